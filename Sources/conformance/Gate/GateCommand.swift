import ArgumentParser
import Foundation
import Gate
import Holdfast
import JSON
import Report
import Transcript

struct GateCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "gate",
        abstract: "Compare two states of the protocol: whom it breaks.",
        discussion: """
            A state is a folder that holds Spec/ and Fixtures/, or a revision of the git repository one stands in: v1.0.0, \
            HEAD~1, main, or main:folder for a folder inside it. Nothing is checked out. Messages, clauses, codes, timeouts, \
            requests, scenarios and fixtures are compared, and transcripts are judged under both specifications.

            Examples:
              conformance gate v1.0.0
              conformance gate origin/main . --format github=- --format markdown=changes.md
              conformance gate v1.0.0 HEAD --archive transcripts/ --waivers .ci/gate-waivers.json

            Exit codes: 0 compatible, or announced by a new major version · 1 somebody breaks, or version, changelog or \
            waivers are wrong · 64 a state cannot be read
            """
    )

    @Argument(help: ArgumentHelp("What peers have now: a folder or a revision.", valueName: "old"))
    var old: String

    @Argument(help: ArgumentHelp("What they shall get: a folder or a revision.", valueName: "new"))
    var new = "."

    @Option(
        help: ArgumentHelp(
            "An older state that is still supported; its peers must not break either. Several times.",
            valueName: "state"))
    var supported: [String] = []

    @Option(
        help: ArgumentHelp(
            "A transcript, or a folder of them, to judge under both specifications. Several times.", valueName: "path"))
    var archive: [String] = []

    @Option(help: ArgumentHelp("Findings that are accepted, each for a reason and until a day.", valueName: "file"))
    var waivers: String?

    @Option(
        help: ArgumentHelp(
            "A report besides: json, junit, github, sarif or markdown, into a file or '-'. Several times.",
            valueName: "name=file"))
    var format: [String] = []

    @Option(help: ArgumentHelp("Where the repository is. Default: where one stands.", valueName: "folder"))
    var repository = "."

    func run() async throws {
        let formats = try format.map(GateFormat.init)
        let reader = StateReader(repository: repository)
        let accepted = try waivers.map(Self.waivers) ?? Waivers()
        var options = GateOptions(today: CalendarDay(secondsSince1970: Int(Date().timeIntervalSince1970)))
        options.waivers = accepted
        options.archive = try archive.flatMap(TranscriptArchive.transcripts)
        let before = try await reader.state(old)
        let after = try await reader.state(new)
        for name in supported { options.supported.append(try await reader.state(name)) }
        let report: GateReport
        do {
            report = try await gate(from: before, to: after, options: options)
        } catch {
            throw Tool.refuse(error.problems)
        }
        // A report on standard output is for a program, which wants nothing else there; annotations are lines of a log.
        if !formats.contains(where: { $0.file == "-" && !$0.isForLogs }) {
            Console.write(GateConsoleReport(report, style: Console.style).text)
        }
        for format in formats {
            let text = format.text(of: report)
            if format.file == "-" { Console.write(text) } else { try Files.write(text, to: format.file) }
        }
        if report.exit != .conforms { throw Tool.end(report.exit) }
    }

    private static func waivers(_ path: String) throws -> Waivers {
        let bytes = try Files.bytes(of: path)
        do {
            return try Waivers(String(decoding: bytes, as: UTF8.self), file: path)
        } catch {
            throw Tool.refuse(error.problems)
        }
    }
}

/// One further report of the gate: its form and where it goes.
struct GateFormat {
    private enum Name: String, CaseIterable {
        case json, junit, github, sarif, markdown
    }

    private let name: Name
    /// The file; `-` for standard output.
    let file: String
    /// Whether a program picks its lines out of whatever else is printed.
    var isForLogs: Bool { name == .github }

    init(_ text: String) throws {
        let parts = text.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
        let names = Name.allCases.map(\.rawValue)
        guard let name = Name(rawValue: parts[0]) else {
            throw Tool.refuse(
                "--format", "'\(parts[0])' is no form of a report of the gate",
                expected: names.sorted().joined(separator: ", "),
                fix: nearestName(to: parts[0], among: names).map { "did you mean '\($0)'?" } ?? "name one of these")
        }
        guard parts.count == 2, !parts[1].isEmpty else {
            throw Tool.refuse(
                "--format", "'\(text)' names no file",
                expected: "\(name.rawValue)=FILE, or \(name.rawValue)=- for standard output",
                fix: "say where the report goes")
        }
        self.name = name
        file = parts[1]
    }

    func text(of report: GateReport) -> String {
        switch name {
        case .json: GateJSONReport(report).value.text(pretty: true) + "\n"
        case .junit: GateJUnitReport(report).text
        case .github: GateAnnotations(report).text
        case .sarif: GateSARIFReport(report, toolVersion: Tool.version).value.text(pretty: true) + "\n"
        case .markdown: GateMarkdown(report).text
        }
    }
}
