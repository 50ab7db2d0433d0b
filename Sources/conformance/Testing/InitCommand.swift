import ArgumentParser
import Holdfast
import HoldfastPlatform
import HoldfastSmallFoundation
import HoldfastSuite

struct InitCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "init",
        abstract: "Write the files that test a server in a build.",
        usage: "conformance init [<url>] [<options>]",
        discussion: """
            Asks where the server is, which variables hold tokens, what it declares and which CI runs it; then writes subject.json \
            and the CI's file, and prints the first commands. With an address or --start it asks nothing. It overwrites \
            nothing.

            Examples:
              conformance init
              conformance init ws://127.0.0.1:8080/ws
              conformance init --start './my-server --port {port} --data {data}' --token-env CHAT_TOKEN
              conformance init wss://chat.example/ws --profile sync --ci gitlab
            """
    )

    @Argument(help: ArgumentHelp("The WebSocket of the server.", valueName: "url"))
    var url: String?

    @Option(help: ArgumentHelp("The command that starts it, taken apart as a shell does.", valueName: "command"))
    var start: String?

    @Option(
        help: ArgumentHelp(
            "A variable that holds the token of the next principal; may be given several times.", valueName: "name"))
    var tokenEnv: [String] = []

    @Option(
        help: ArgumentHelp(
            "A profile it declares beside core; may be given several times. Default: what its greeting states.",
            valueName: "name"), completion: .serverProfiles)
    var profile: [String] = []

    @Option(help: ArgumentHelp("The name in reports. Default: its address.", valueName: "text"))
    var name: String?

    @Option(
        help: ArgumentHelp("The CI to write a file for: github, gitlab or none. Default: github.", valueName: "name"),
        completion: .list(ProjectSetup.CI.allCases.map(\.rawValue)))
    var ci: String?

    @Option(help: ArgumentHelp("The folder of the project.", valueName: "dir"), completion: .directory)
    var out = "."

    func run() async throws {
        var setup = ProjectSetup()
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
        let exports = setup.tokenVariables.map { "  export \($0)=…\n" }.joined()
        Console.write(
            Tool.addressed(
                """

                first:
                \(exports)  conformance doctor --subject \(subject)
                  conformance server --subject \(subject)

                """))
    }

    // MARK: questions

    private func ask(_ setup: inout ProjectSetup) throws {
        try answer("Where is the server? Its address (ws://…), or the command that starts it:") { text in
            if text.isEmpty {
                throw InputProblem(
                    "address", "nothing was given", expected: "an address or a command",
                    fix: "for instance ws://127.0.0.1:8080/ws")
            }
            try setup.take(location: text)
        }
        if tokenEnv.isEmpty {
            try answer("Which variables hold tokens, one for each person? (none)") {
                try setup.take(tokenVariables: Self.words($0), isSet: Self.isSet)
            }
        }
        if profile.isEmpty {
            try answer("Which profiles does it declare? (what its greeting states)") {
                try setup.take(profiles: Self.words($0))
            }
        }
        if ci == nil {
            try answer("Which CI runs it: github, gitlab or none? (github)") {
                setup.ci = $0.isEmpty ? .github : try Self.ci($0)
            }
        }
    }

    /// Asks until the answer can be taken.
    private func answer(_ question: String, _ take: (String) throws -> Void) throws {
        while true {
            Console.write(question + " ")
            guard let line = readLine() else {
                throw InputProblem(
                    "init", "nobody answers: standard input has ended", expected: "an address, or --start 'COMMAND'",
                    fix: "give the answers as flags: conformance init ws://127.0.0.1:8080/ws")
            }
            do {
                return try take(Self.trimmed(line))
            } catch {
                Console.error("\(error)")
            }
        }
    }

    private static func isSet(_ name: String) -> Bool { ProcessInfo.processInfo.environment[name] != nil }

    private static func trimmed(_ line: String) -> String {
        String(line.drop(while: \.isWhitespace).reversed().drop(while: \.isWhitespace).reversed())
    }

    private static func words(_ line: String) -> [String] {
        line.split { $0 == "," || $0.isWhitespace }.map(String.init)
    }

    private static func ci(_ name: String) throws(InputProblem) -> ProjectSetup.CI {
        guard let ci = ProjectSetup.CI(rawValue: name) else {
            throw InputProblem(
                "--ci", "'\(name)' is none of them", insteadOf: name, among: ProjectSetup.CI.allCases.map(\.rawValue),
                otherwise: "name one of these")
        }
        return ci
    }
}
