import Holdfast
import HoldfastBasics
import HoldfastStage

/// The start command from the subject file and the flags, which override the file.
extension ServerUnderTest {
    /// Whether an option is given that needs a start command.
    private var needsCommand: Bool { data != nil || !environment.isEmpty || ready != nil }

    /// The start command; nil if there is none, or the server could not be started.
    func startCommand(
        _ described: SubjectFile.Start?, in folder: String?, url: String?, http: String?,
        _ problems: inout [InputProblem]
    ) -> StartCommand? {
        guard let words = words(described, &problems), !words.isEmpty else {
            if self.start == nil, described == nil, needsCommand {
                problems.note(
                    data != nil ? "--data" : ready != nil ? "--ready" : "--env", "no start command given",
                    expected: "--start COMMAND, or a subject file with 'start'", fix: "add --start 'COMMAND'")
            }
            return nil
        }
        let isFromFile = self.start == nil
        var start = StartCommand(words, url: url ?? StartCommand.defaultURL, http: http)
        start.directory = isFromFile ? Self.path(described?.directory ?? ".", in: folder) : nil
        start.data = data ?? described?.data.map { Self.path($0, in: folder) }
        start.ready = ready ?? (isFromFile ? described?.ready : nil)
        start.environment = (described?.environment ?? [:]).merging(variables(&problems)) { $1 }
        problems += start.problems(dataFrom: data == nil ? "--subject /start/data" : "--data")
        return start
    }

    private func words(_ described: SubjectFile.Start?, _ problems: inout [InputProblem]) -> [String]? {
        guard let command = start else { return described?.command }
        do throws(ShellWords.Problem) {
            let words = try ShellWords(command).words
            if words.isEmpty {
                problems.note(
                    "--start", "no program in '\(command)'", expected: "a program and its arguments",
                    fix: "for example --start 'my-server --port {port}'")
            }
            let places = ["{port}", "{data}", "{push}", "{model}"]
            for name in words.flatMap({ $0.matches(of: /{[a-z]+}/) }).map({ String($0.output) })
            where !places.contains(name) {
                // Another text in braces may be the server's own, unless it has the same letters.
                guard let near = places.first(where: { $0.sorted() == name.sorted() }) else { continue }
                problems.note(
                    "--start", "unknown '\(name)' in '\(command)'", expected: places.joined(separator: ", "),
                    fix: "did you mean '\(near)'?")
            }
            return words
        } catch {
            let what =
                switch error {
                case .unfinishedQuote(let quote): "a quote \(quote) that never ends"
                case .unfinishedBackslash: "a backslash at the end"
                }
            problems.note(
                "--start", "\(what) in '\(command)'", expected: "a command line as in a shell",
                fix: "close the quote; for shell syntax use sh -c '…'")
            return nil
        }
    }

    private func variables(_ problems: inout [InputProblem]) -> [String: String] {
        var variables: [String: String] = [:]
        for text in environment {
            let name = text.prefix { $0 != "=" }
            let isName = ShellWords.isVariable(name)
            guard isName, name.endIndex < text.endIndex else {
                problems.note(
                    "--env", "'\(isName ? String(name) : "…")' is not NAME=VALUE", expected: "NAME=VALUE",
                    fix: "for example --env LOG_LEVEL=warning")
                continue
            }
            variables[String(name)] = String(text[text.index(after: name.endIndex)...])
        }
        return variables
    }

    private static func path(_ path: String, in folder: String?) -> String {
        guard let folder, !path.hasPrefix("/"), !path.hasPrefix("{") else { return path }
        return path == "." ? folder : "\(folder)/\(path)"
    }
}
