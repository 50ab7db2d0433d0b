import ArgumentParser
import Holdfast
import HoldfastBasics
import HoldfastPlatform
import HoldfastReport
import HoldfastSmallFoundation
import HoldfastSuite

struct BaselineOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "A file of expected violations, each with a reason and an expiry date.",
            discussion: """
                Expected violations still run and must fail. An entry that passes, has expired or matches nothing makes the \
                exit code 3.
                """, valueName: "file"), completion: .file(extensions: ["json"]))
    var baseline: String?

    @Option(
        help: ArgumentHelp(
            "Write a baseline of the current violations; fill in the reasons. With --baseline, keep its valid entries.",
            valueName: "file"), completion: .file(extensions: ["json"]))
    var writeBaseline: String?

    /// The options to repeat in a command that reruns this run.
    var rerun: String { baseline.map { " --baseline \(ShellWords.quoted($0))" } ?? "" }

    /// The expected violations; nil without a baseline.
    func expected() throws -> Baseline? {
        if let writeBaseline { try refuseOverwriting(writeBaseline) }
        return try baseline.map { path in
            try Baseline(
                Files.bytes(of: path), file: path == "-" ? "standard input" : path, today: Self.today)
        }
    }

    /// Refuses to overwrite reasons that people wrote.
    private func refuseOverwriting(_ path: String) throws {
        let resolved = { (path: String) in URL(fileURLWithPath: path).standardizedFileURL.path }
        guard FileManager.default.fileExists(atPath: path), baseline.map(resolved) != resolved(path) else { return }
        throw InputProblem(
            "--write-baseline", "'\(path)' exists, and its reasons would be lost", expected: "a new file",
            fix: "add --baseline \(ShellWords.quoted(path)) to keep what still holds, or name another file")
    }

    /// Today, in UTC, so that a day ends everywhere at the same moment.
    static var today: CivilDate { CivilDate(daysSince1970: SystemClock.microseconds / 86_400_000_000) }
}

struct FormatOptions: ParsableArguments {
    @Option(
        name: .customLong("format"),
        help: ArgumentHelp(
            "Also write the report in this format. Repeatable.",
            discussion: """
                Formats: html (a single page), json, junit, junit-lenient (untested clauses are skipped, not failed), \
                markdown, github, tap, sarif, badge (an SVG image of the verdict). The file '-' is standard output; the \
                console report then goes to standard error.
                """, valueName: "name=file"), completion: .formats)
    var formats: [String] = []

    @Flag(help: "List every clause in the console report, including those that passed.")
    var verbose = false

    @Flag(name: .shortAndLong, help: "Print only the line with the verdict, and no progress.")
    var quiet = false

    var progress: ProgressDisplay? { quiet ? nil : ProgressLine.display() }
}

extension FormatTarget {
    /// Writes the formats to their files and shows a text, on standard error if a format uses standard output.
    ///
    /// The program that reads such a format expects nothing else there; only formats of log lines may mix with others.
    static func write(
        _ targets: [Self], beside shown: String, areLines: (Format) -> Bool = { _ in false },
        _ text: (Format) -> String
    ) -> UnwrittenFiles {
        var unwritten = UnwrittenFiles()
        for target in targets where target.path != "-" {
            unwritten.attempt { try Files.write(text(target.format), to: target.path) }
        }
        let printed = targets.first { $0.path == "-" }?.format
        if let printed, !areLines(printed) { Console.error(String(shown.dropLast())) } else { Console.write(shown) }
        if let printed { Console.write(text(printed)) }
        return unwritten
    }
}

struct PartOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "Run shard I of N, counting from 1; '/N' takes the index from JOB_COMPLETION_INDEX.",
            discussion: "A shard reports only what it ran; 'conformance report merge' combines all shards.",
            valueName: "i/n"))
    var shard: String?

    @Option(
        help: ArgumentHelp(
            "Skip these clauses or scenarios; '*' is a wildcard. Repeatable. The report lists them as set aside.",
            valueName: "pattern"), completion: .serverPatterns)
    var exclude: [String] = []

    @Option(
        name: .customLong("repeat"),
        help: ArgumentHelp("Run each scenario this many times; every run counts.", valueName: "n"))
    var repetitions = 1

    @Option(
        help: ArgumentHelp(
            "Stop after this many scenarios with a violation that the baseline does not expect. A life is one scenario.",
            valueName: "n"))
    var maxFailures: Int?

    @Flag(name: [.customShort("x"), .customLong("fail-fast")], help: "The same as --max-failures 1.")
    var failsFast = false

    /// The options to repeat in a command that reruns this run.
    var rerun: String { exclude.map { " --exclude \(ShellWords.quoted($0))" }.joined() }

    /// The part of a selection that this run performs.
    func share<Item>(of selection: ScenarioSelection<Item>) throws -> ScenarioSelection<Item> {
        try InputProblem.checked("--repeat", repetitions, within: 1...100, fix: "remove it for one run")
        try InputProblem.checked(
            "--max-failures", maxFailures ?? 1, within: 1...Int.max, fix: "remove it to run everything")
        guard !failsFast || maxFailures == nil else {
            throw InputProblem(
                "--fail-fast", "means --max-failures 1, and that is given too", expected: "one of them",
                fix: "remove one of them")
        }
        var selection = selection.repeated(repetitions)
        if let shard { selection.take(try Shard(shard, environment: ProcessInfo.processInfo.environment)) }
        selection.maxFailures = failsFast ? 1 : maxFailures
        return selection
    }
}
