import Holdfast
import HoldfastBasics
import HoldfastSmallFoundation
import HoldfastStage

/// The sources of credentials; messages never show a credential.
extension SubjectFile.Token {
    private static let maxBytes = 64 << 10

    /// The credential from the only flag that gives one, perhaps by running a program; nil if no flag does.
    package static func only(of flags: [(name: String, token: SubjectFile.Token?)]) async throws -> String? {
        let given = flags.filter { $0.token != nil }
        if given.count > 1 {
            throw InputProblem(
                given[1].name, "conflicts with \(given[0].name)", expected: "one of them",
                fix: "keep one and remove the others")
        }
        guard let flag = given.first else { return nil }
        if case .command(let words) = flag.token { return try await printed(by: words, given: flag.name) }
        return try flag.token?.known(given: flag.name) ?? ""
    }

    /// The credential, if it is known without running a program; nil otherwise.
    func known(given location: String, in folder: String? = nil) throws -> String? {
        switch self {
        case .given(let token): return token
        case .file(let path):
            let path = folder.map { path.hasPrefix("/") ? path : "\($0)/\(path)" } ?? path
            return try Self.checked(Files.text(of: path), of: "'\(path)'", given: location)
        case .variable(let name):
            guard let text = ProcessInfo.processInfo.environment[name] else {
                // If no variable has this name, the value may be the token itself, so it is not shown.
                throw InputProblem(
                    location, "the environment variable is not set",
                    expected: "the name of a variable that holds a token",
                    fix: "export the variable, or correct the name; do not put the token itself here")
            }
            return try Self.checked(text, of: "the variable '\(name)'", given: location)
        case .command: return nil
        }
    }

    func principal(_ name: String, given location: String, in folder: String?) throws -> ServerSubject.Principal {
        var principal = ServerSubject.Principal(name: name, token: try known(given: location, in: folder))
        if case .command(let words) = self {
            principal.source = TokenSource { try await Self.printed(by: words, given: location) }
        }
        return principal
    }

    private static func printed(by words: [String], given location: String) async throws -> String {
        let program = words.first ?? ""
        func refuse(_ what: String, _ fix: String) -> InputProblem {
            InputProblem(location, "'\(program)' \(what)", expected: "a program that prints a token and ends", fix: fix)
        }
        guard !words.isEmpty else { throw refuse("names no program", "for example \(location) 'gh auth token'") }
        let run: ProgramRun
        do throws(ProgramProblem) {
            run = try await ProgramRun(words, atMost: maxBytes, within: .seconds(30))
        } catch {
            switch error {
            case .notStarted(let reason): throw refuse("cannot be started: \(reason)", "correct the command")
            case .tooMuch(let bytes): throw refuse("prints more than \(bytes) bytes", "make it print only the token")
            case .late(let limit):
                throw refuse(
                    "does not finish within \(limit.components.seconds) s", "make it run without asking for a password")
            }
        }
        guard run.exit == .code(0) else {
            // Its output may contain the token.
            throw refuse("ends with \(run.exit)", "run it by hand until it prints the token")
        }
        return try checked(String(decoding: run.output, as: UTF8.self), of: "what '\(program)' prints", given: location)
    }

    /// The trimmed first line; throws if it is empty or too long.
    private static func checked(_ text: String, of what: String, given location: String) throws(InputProblem) -> String
    {
        let line = String(text.split(separator: "\n", omittingEmptySubsequences: false).first ?? "")
        let token = String(line.trimmed(\.isWhitespace))
        guard !token.isEmpty, token.utf8.count <= maxBytes else {
            throw InputProblem(
                location, "\(what) has no token in its first line", expected: "only the token, in the first line",
                fix: "check its content")
        }
        return token
    }
}

extension ServerSubject {
    /// The same server after running the programs that print its tokens.
    func withTokens() async throws -> ServerSubject {
        var subject = self
        for index in principals.indices where principals[index].token == nil {
            subject.principals[index].token = try await principals[index].source?.renewed()
        }
        return subject
    }
}
