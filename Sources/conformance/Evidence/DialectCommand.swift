import ArgumentParser
import Holdfast
import HoldfastJSON
import HoldfastReport
import HoldfastSuite
import HoldfastTranscript

struct DialectCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "dialect",
        abstract: "List, show, draft and check dialects of real systems.",
        discussion: """
            A dialect is a JSON file that maps another system's wire format to the protocol. With it, the suite tests that \
            system and judges its traffic unchanged.

            Examples:
              conformance dialect list
              conformance dialect show nami
              conformance dialect new capture.ndjson > my-server.json
              conformance dialect check my-server.json --capture notes.txt
            """,
        subcommands: [
            DialectListCommand.self, DialectShowCommand.self, DialectNewCommand.self, DialectCheckCommand.self,
        ]
    )
}

struct DialectListCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "list", abstract: "List the included dialects.",
        discussion: """
            Shows the profiles that a server of each dialect can declare.

            Examples:
              conformance dialect list
            """)

    func run() async throws {
        for dialect in [.canonical] + (try Specification(.embedded).dialects()) {
            let profiles =
                dialect.isCanonical ? "all profiles" : dialect.profiles.sorted().map(\.rawValue).joined(separator: " ")
            let summary = Console.style.wrapped(
                padded(dialect.name, 11) + dialect.summary, indent: 0, hanging: 11, keepingSpaces: 11)
            Console.write("\(summary)\n\(padded("", 11))\(profiles)\n")
        }
    }
}

struct DialectShowCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "show", abstract: "Print the file of a dialect, for example to start a new one.",
        discussion: """
            Spec/chapters/13-dialects.md describes the format.

            Examples:
              conformance dialect show nami > my-server.json
            """)

    @Argument(help: "A name from 'conformance dialect list'.", completion: .dialects)
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

struct DialectNewCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "new", abstract: "Draft a dialect from a capture.",
        discussion: """
            Lists every message type in the capture and guesses its meaning from names. Entries marked DRAFT are yours to \
            decide. The capture must show who sent each frame: a HAR file, a transcript, or notes such as 'A -> {…}' and \
            'A <- {…}'.

            Examples:
              conformance proxy --listen :9000 --upstream ws://127.0.0.1:8080 --out capture.ndjson
              conformance dialect new capture.ndjson > my-server.json
              conformance dialect check my-server.json --capture capture.ndjson
            """)

    @Argument(help: "The capture, or a transcript.", completion: .file())
    var capture: String

    func run() async throws {
        let draft = try DialectDraft(capture)
        Console.write(draft.text)
        Console.error(draft.advice)
    }
}

struct DialectCheckCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "check",
        abstract: "Check a dialect file, alone or against captures.",
        discussion: """
            Counts the frames of each capture that are mapped, ignored for a stated reason, not messages, or unmapped.

            Examples:
              conformance dialect check my-server.json
              conformance dialect check my-server.json --capture frames.ndjson
              conformance dialect check nami --capture run.ndjson

            Exit codes: 0 every frame is mapped or ignored · 1 unmapped frames · 64 a file cannot be used
            """
    )

    @Argument(help: "A dialect file, or the name of an included dialect.", completion: .dialects)
    var dialect: String

    @Option(
        help: ArgumentHelp("A capture to check against. Repeatable.", valueName: "file"), completion: .file())
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
