import ArgumentParser
import Holdfast
import HoldfastBasics
import HoldfastPlatform
import HoldfastSmallFoundation
import HoldfastSuite
import Revision

struct InitCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "init",
        abstract: "Write a subject file and a CI file for your server.",
        usage: "conformance init [<url>] [<options>]",
        discussion: """
            Asks for the server, its token variables, its profiles and your CI, then writes subject.json and the CI file \
            and prints the first commands. With a URL or --start it asks nothing. With a URL, neither the suite nor \
            the CI file starts the server: start it yourself. It never overwrites a file.

            Examples:
              conformance init
              conformance init ws://127.0.0.1:8080/ws
              conformance init --start './my-server --port {port} --data {data}' --token-env CHAT_TOKEN
              conformance init wss://chat.example/ws --profile sync --ci gitlab
            """
    )

    @Argument(help: ArgumentHelp("The WebSocket URL of the server.", valueName: "url"))
    var url: String?

    @Option(help: ArgumentHelp("The command that starts the server; quotes work as in a shell.", valueName: "command"))
    var start: String?

    @Option(
        help: ArgumentHelp(
            "An environment variable that holds the token of the next principal. Repeatable.", valueName: "name"))
    var tokenEnv: [String] = []

    @Option(
        help: ArgumentHelp(
            "A profile the server declares, in addition to core. Repeatable. Default: taken from its greeting.",
            valueName: "name"), completion: .serverProfiles)
    var profile: [String] = []

    @Option(help: ArgumentHelp("The name of the server in reports. Default: its address.", valueName: "text"))
    var name: String?

    @Option(
        help: ArgumentHelp("Your CI: github, gitlab or none. Default: github.", valueName: "name"),
        completion: .list(ProjectSetup.CI.allCases.map(\.rawValue)))
    var ci: String?

    @Option(help: ArgumentHelp("The project folder.", valueName: "dir"), completion: .directory)
    var out = "."

    func run() async throws {
        var setup = ProjectSetup()
        setup.origin = Self.origin
        setup.name = name
        try setup.take(tokenVariables: tokenEnv, isSet: Self.isSet)
        try setup.take(profiles: profile)
        if let ci { setup.ci = try Self.ci(ci) }
        if let url { try setup.take(url: url) }
        if let start { try setup.take(start: start) }
        if url == nil && start == nil { try ask(&setup) }
        try setup.write(to: out)
        let location = out == "." ? "" : "\(out)/"
        for file in setup.files { Console.write("wrote \(location)\(file.path)\n") }
        let subject = ShellWords.quoted("\(location)subject.json")
        if let missing = setup.missing { Console.write("then \(missing)\n") }
        if setup.start.isEmpty { Console.write("the suite does not start the server: start it first, in CI too\n") }
        let exports = setup.tokenVariables.map { "  export \($0)=…\n" }.joined()
        Console.write(
            Tool.addressed(
                """

                first:
                \(exports)  conformance doctor --subject \(subject)
                  conformance server --subject \(subject)

                """))
    }

    /// The release of this program, else the repository and revision of the clone that it was built from.
    private static var origin: ProjectSetup.Origin {
        let release = String(cString: holdfastRelease())
        guard release.isEmpty else { return .release(url: release) }
        return .checkout(
            repository: (try? Tool.program()).flatMap { GitOrigin.url(above: $0) },
            revision: String(cString: holdfastRevision()))
    }

    // MARK: questions

    private func ask(_ setup: inout ProjectSetup) throws {
        try answer("Server: its URL (ws://…), or the command that starts it:") { text in
            if text.isEmpty {
                throw InputProblem(
                    "address", "no answer", expected: "a URL or a command",
                    fix: "for example ws://127.0.0.1:8080/ws")
            }
            try setup.take(location: text)
        }
        if tokenEnv.isEmpty {
            try answer("Environment variables that hold tokens, one per principal? (none)") {
                try setup.take(tokenVariables: Self.words($0), isSet: Self.isSet)
            }
        }
        if profile.isEmpty {
            try answer("Profiles it declares? (taken from its greeting)") {
                try setup.take(profiles: Self.words($0))
            }
        }
        if ci == nil {
            try answer("CI: github, gitlab or none? (github)") {
                setup.ci = $0.isEmpty ? .github : try Self.ci($0)
            }
        }
    }

    private func answer(_ question: String, _ take: (String) throws -> Void) throws {
        while true {
            Console.write(question + " ")
            guard let line = readLine() else {
                throw InputProblem(
                    "init", "standard input ended before all questions were answered",
                    expected: "a URL, or --start 'COMMAND'",
                    fix: "pass the answers as flags: conformance init ws://127.0.0.1:8080/ws")
            }
            do {
                return try take(String(line.trimmed(\.isWhitespace)))
            } catch {
                Console.error("\(error)")
            }
        }
    }

    private static func isSet(_ name: String) -> Bool { ProcessInfo.processInfo.environment[name] != nil }

    private static func words(_ line: String) -> [String] {
        line.split { $0 == "," || $0.isWhitespace }.map(String.init)
    }

    private static func ci(_ name: String) throws(InputProblem) -> ProjectSetup.CI {
        guard let ci = ProjectSetup.CI(rawValue: name) else {
            throw InputProblem(
                "--ci", "unknown CI '\(name)'", insteadOf: name, among: ProjectSetup.CI.allCases.map(\.rawValue),
                otherwise: "choose one of these")
        }
        return ci
    }
}
