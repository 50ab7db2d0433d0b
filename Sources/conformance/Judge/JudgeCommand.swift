import ArgumentParser
import Basics
import Captures
import Foundation
import Holdfast
import JSON
import Report
import Transcript

struct JudgeCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "judge",
        abstract: "Judge captures, transcripts and stored reports.",
        discussion: """
            What a file is shows by its content; --as says it. A folder stands for the captures in it, '-' for standard \
            input.

              transcript   of this program, one or many in a file
              report       of this program: every verdict is computed again and compared
              frames       JSON frames, one a line, bare or {"at":…,"dir":">","frame":{…}}
              har          as browsers export it, with WebSocket messages
              notes        A -> {…}  A <- {…}  A CLOSED 4001 'x'  HTTP GET /p -> 200 {…}

            A capture begins in the middle and does not hold everything. Nobody is accused because of what it does not \
            hold, and nothing passes that it does not show; the end tells which clauses it could not reach, and why.

            Examples:
              conformance judge capture.ndjson
              conformance judge --dialect nami --profile core session.har
              gunzip -c day.ndjson.gz | conformance judge -
              conformance judge run/report.json

            Exit codes: 0 nothing violated · 1 violation, or a stored verdict that differs · 2 nothing could be judged, \
            or the stored run was incomplete · 64 a file cannot be read
            """
    )

    @Argument(
        help: ArgumentHelp("Captures, folders of captures, or '-' for standard input.", valueName: "file"),
        completion: .file())
    var files: [String]

    @Option(
        name: .customLong("as"),
        help: ArgumentHelp("What every file is: transcript, report, frames, har or notes.", valueName: "form"),
        completion: .list(CaptureForm.allCases.map(\.rawValue)))
    var form: String?

    @Option(
        help: ArgumentHelp(
            "How the system says things: the name of a dialect, or a dialect file. Default: canonical.",
            valueName: "name|file"), completion: .dialects)
    var dialect: String?

    @Option(
        help: ArgumentHelp(
            "A profile the side under test declares, one or more. Default: the dialect's, core, or client-core.",
            valueName: "name"), completion: .words { Profile.allCases.map(\.rawValue) })
    var profile: [String] = []

    @Option(help: ArgumentHelp("Whose side is judged: server or client.", valueName: "side"), completion: .sides)
    var role: String?

    @Option(
        help: ArgumentHelp(
            "A subject file; tells name, profiles, limits and dialect, flags override it.", valueName: "file"),
        completion: .file(extensions: ["json"]))
    var subject: String?

    @Flag(help: "All connections are one person's, though they show no token.")
    var onePerson = false

    @Flag(help: "It was recorded beside the server: an end without a close frame, and delays, are the server's own.")
    var besideServer = false

    @Flag(help: "Frames may be missing anywhere, not only where the file says so.")
    var lossy = false

    @Option(
        help: ArgumentHelp("Give up on a pipe that brings nothing for so long; 0 waits for ever.", valueName: "seconds")
    )
    var patience = 60

    @Option(help: ArgumentHelp("Threads that judge. Default: one per core.", valueName: "count"))
    var jobs: Int?

    @Option(
        help: ArgumentHelp("Write the judgement for machines, and the parts with violations, here.", valueName: "dir"),
        completion: .directory)
    var out: String?

    @Flag(help: "Print the judgement for machines instead.")
    var json = false

    func run() async throws {
        let specification = try Tool.specification()
        let options = try JudgeOptions(self, specification)
        guard jobs.map({ (1...256).contains($0) }) ?? true else {
            throw Tool.refuse(
                "--jobs", "'\(jobs ?? 0)' is no number of threads", expected: "1 to 256",
                fix: "name a number in that range")
        }
        let paths = try JudgeFiles.paths(files)
        let run = JudgeRun(
            specification: specification, options: options,
            jobs: jobs ?? ProcessInfo.processInfo.activeProcessorCount, keepsParts: out != nil)
        let judgement = await run.judge(paths)
        if let out { try JudgeFolder(path: out).write(judgement, specification) }
        if json {
            Console.write(JudgementJSON(judgement, specification).value.text(pretty: true) + "\n")
        } else {
            Console.write(JudgementText(judgement, specification, style: Console.style).text)
        }
        if !judgement.problems.isEmpty { throw Tool.refuse(judgement.problems) }
        let exit = judgement.exit
        if exit != .conforms { throw Tool.end(exit) }
    }
}

/// What the flags and the subject file say of captures that do not say it themselves.
struct JudgeOptions: Sendable {
    let form: CaptureForm?
    let reading: CaptureReader.Options
    let patience: Int

    init(_ command: JudgeCommand, _ specification: Specification) throws {
        var problems: [InputProblem] = []
        form = command.form.flatMap { name in
            if let form = CaptureForm(rawValue: name) { return form }
            let known = CaptureForm.allCases.map(\.rawValue)
            problems.append(
                InputProblem(
                    place: "--as", what: "'\(name)' is no form", expected: known.joined(separator: ", "),
                    fix: nearestName(to: name, among: known).map { "did you mean '\($0)'?" } ?? "name one of these"))
            return nil
        }
        let described = try command.subject.map { try Tool.subject(in: $0) }
        let role = command.role.map(Role.init(rawValue:)) ?? .server
        if role == nil {
            problems.append(
                InputProblem(
                    place: "--role", what: "'\(command.role ?? "")' is no side", expected: "server or client",
                    fix: nearestName(to: command.role ?? "", among: Role.allCases.map(\.rawValue)).map {
                        "did you mean '\($0)'?"
                    }
                        ?? "name one of them"))
        }
        let dialect =
            try (command.dialect ?? described?.dialect).map { try Tool.dialect($0, given: "--dialect") } ?? .canonical
        let side = role ?? .server
        let usual: Set<Profile> = side == .server ? described?.profiles ?? Self.usual(dialect) : [.clientCore]
        let declared =
            command.profile.isEmpty ? usual : SubjectOptions.declared(named: command.profile, of: side, &problems)
        guard problems.isEmpty else { throw Tool.refuse(problems) }
        var known: Set<History.Capture.Lack> = []
        if command.besideServer { known.insert(.network) }
        reading = CaptureReader.Options(
            subject: History.Subject(
                name: described?.name ?? "capture", role: side, profiles: declared, hasScriptedAgent: false,
                limits: described?.limits ?? [:]),
            dialect: dialect, isOnePerson: command.onePerson ? true : nil, known: known,
            lacking: command.lossy ? [.frames] : [])
        patience = max(0, command.patience)
    }

    /// What a server is judged by when nothing says it: all that its dialect can say, of a canonical one the core.
    private static func usual(_ dialect: Dialect) -> Set<Profile> {
        guard !dialect.isCanonical else { return [.core] }
        return dialect.profiles.intersection(Profile.all(of: .server)).union([.core])
    }
}
