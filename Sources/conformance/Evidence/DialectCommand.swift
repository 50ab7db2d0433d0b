import ArgumentParser
import Holdfast
import HoldfastSuite
import JSON
import Report
import Transcript

struct DialectCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "dialect",
        abstract: "List, show and check dialects of real systems.",
        discussion: """
            A dialect says how a server that predates the specification spells the same things on its wire.

            Examples:
              conformance dialect list
              conformance dialect show nami
              conformance dialect check my-server.json --capture notes.txt
            """,
        subcommands: [DialectListCommand.self, DialectShowCommand.self, DialectCheckCommand.self]
    )
}

struct DialectListCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "list", abstract: "Every dialect that came with this program.",
        discussion: """
            Each with what a server of it can declare.

            Examples:
              conformance dialect list
            """)

    func run() async throws {
        for dialect in [.canonical] + (try Specification(.embedded).dialects()) {
            let profiles =
                dialect.isCanonical ? "all profiles" : dialect.profiles.sorted().map(\.rawValue).joined(separator: " ")
            Console.write("\(padded(dialect.name, 11))\(dialect.summary)\n\(padded("", 11))\(profiles)\n")
        }
    }
}

struct DialectShowCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "show", abstract: "The file of a dialect, to read or to start a new one from.",
        discussion: """
            How such a file is written: Spec/chapters/13-dialects.md.

            Examples:
              conformance dialect show nami > my-server.json
            """)

    @Argument(help: "The name, as 'conformance dialect list' shows it.", completion: .dialects)
    var name: String

    func run() async throws {
        let specification = try Specification(.embedded)
        let dialect = try specification.dialect(named: name)
        guard !dialect.isCanonical, let text = specification.files.texts["dialects/\(name).json"] else {
            throw InputProblem(
                "show", "the canonical form has no dialect file", expected: "the name of a dialect",
                fix: "read Spec/chapters/05-messages.md, or run 'conformance dialect list'")
        }
        Console.write(text.hasSuffix("\n") ? text : text + "\n")
    }
}

struct DialectCheckCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "check",
        abstract: "Check a dialect file, and what it makes of captures.",
        discussion: """
            Each frame of a capture is understood, ignored for a reason the dialect gives, no message at all, or cannot \
            be mapped.

            Examples:
              conformance dialect check my-server.json
              conformance dialect check my-server.json --capture frames.ndjson
              conformance dialect check nami --capture run.ndjson

            Exit codes: 0 everything is understood or ignored · 1 a frame cannot be mapped · 64 a file cannot be used
            """
    )

    @Argument(help: "A dialect file, or the name of a dialect.", completion: .dialects)
    var dialect: String

    @Option(
        help: ArgumentHelp("A capture to look at; may be given several times.", valueName: "file"), completion: .file())
    var capture: [String] = []

    @Flag(help: "Print JSON.")
    var json = false

    func run() async throws {
        let dialect = try Specification(.embedded).dialect(dialect, given: "check")
        let check = try DialectCheck(dialect, against: capture)
        Console.write(json ? check.value.text(pretty: true) + "\n" : check.text)
        if check.hasUnmapped { throw ExitCode(.violation) }
    }
}
