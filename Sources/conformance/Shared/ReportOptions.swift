import ArgumentParser
import Holdfast
import HoldfastBasics
import HoldfastPlatform
import HoldfastReport
import HoldfastSmallFoundation
import HoldfastSuite

/// Flags about violations that are expected.
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

    /// What is expected; nil when nothing was said.
    func expected() throws -> Baseline? {
        if let writeBaseline { try refuseOverwriting(writeBaseline) }
        return try baseline.map { path in
            try Baseline(
                Files.bytes(of: path), file: path == "-" ? "standard input" : path, today: Self.today)
        }
    }

    /// Reasons that people wrote are not lost to a flag.
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

/// Flags that say what is written of a report besides the console report.
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
}

/// A form of a report, and the file it goes to.
struct FormatTarget<Format: CaseIterable & RawRepresentable<String> & Equatable & Sendable>: Equatable, Sendable {
    let format: Format
    /// The file; `-` for standard output.
    let path: String

    /// What `NAME=FILE` flags ask for; makes the folders, so that a long run does not end at a missing one.
    ///
    /// Where a run is to make them, what is there of the run before goes first: a run that fails leaves no report of another.
    static func all(_ flags: [String], ofRun: Bool = false) throws -> [Self] {
        var targets: [Self] = []
        var problems: [InputProblem] = []
        for text in flags {
            do throws(InputProblem) {
                let target = try Self(text)
                if let before = targets.first(where: { $0.path == target.path }) {
                    problems.note(
                        "--format",
                        "'\(before.format.rawValue)' and '\(target.format.rawValue)' both go to '\(target.path)'",
                        expected: "a different file for each format", fix: "choose another file")
                }
                targets.append(target)
            } catch {
                problems.append(error)
            }
        }
        try problems.throwAll()
        for target in targets where target.path != "-" { try target.prepare() }
        if ofRun { StaleReports.remove(targets.map(\.path)) }
        return targets
    }

    /// Writes the forms to their files and shows the text for people, on standard error where a form takes standard output.
    ///
    /// Such a form is for a program, which wants nothing else there; lines of a log stand beside others.
    static func write(
        _ targets: [Self], beside shown: String, areLines: (Format) -> Bool = { _ in false },
        _ text: (Format) -> String
    ) throws {
        for target in targets where target.path != "-" { try Files.write(text(target.format), to: target.path) }
        let printed = targets.first { $0.path == "-" }?.format
        if let printed, !areLines(printed) { Console.error(String(shown.dropLast())) } else { Console.write(shown) }
        if let printed { Console.write(text(printed)) }
    }

    private init(_ text: String) throws(InputProblem) {
        let names = Format.allCases.map(\.rawValue)
        let parts = text.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
        guard let format = Format(rawValue: parts[0]) else {
            throw InputProblem(
                "--format", "there is no format '\(clipped(parts[0]))'", insteadOf: parts[0], among: names,
                otherwise: "choose one of these")
        }
        guard parts.count == 2, !parts[1].isEmpty else {
            throw InputProblem(
                "--format", "'\(text)' names no file", expected: "NAME=FILE, or NAME=- for standard output",
                fix: "write for example --format \(parts[0])=report.\(parts[0])")
        }
        (self.format, path) = (format, parts[1])
    }

    private func prepare() throws {
        if Files.isFolder(path) {
            throw InputProblem(
                "--format", "'\(path)' is a folder", expected: "a file",
                fix: "name a file in it, such as \(path)/report.\(format.rawValue)")
        }
        let folder = Files.folder(of: path)
        if !folder.isEmpty { try Files.makeFolder(folder) }
        guard FileManager.default.isWritableFile(atPath: folder.isEmpty ? "." : folder) else {
            throw InputProblem(
                "--format", "'\(path)' cannot be written: no write permission for its folder",
                expected: "a file in a writable folder", fix: "choose another one")
        }
    }
}

/// Flags that say what is performed, how much of it and how often.
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

    /// Checks how many scenarios are to run at once.
    static func checkJobs(_ jobs: Int) throws(InputProblem) {
        guard jobs > 0 else {
            throw InputProblem(
                "--jobs", "'\(jobs)' would run nothing", expected: "a number from 1", fix: "remove it")
        }
    }

    /// What is performed of a selection.
    func share<Item>(of selection: ScenarioSelection<Item>) throws -> ScenarioSelection<Item> {
        guard (1...100).contains(repetitions) else {
            throw InputProblem(
                "--repeat", "'\(repetitions)' is out of range", expected: "a number from 1 to 100",
                fix: "remove it for one run")
        }
        var selection = selection.repeated(repetitions)
        if let shard { selection.take(try Shard(shard, environment: ProcessInfo.processInfo.environment)) }
        return selection
    }
}

/// Reports that a run before has left where this run writes its own.
enum StaleReports {
    /// Takes away what regular files there are.
    static func remove(_ paths: [String]) {
        for path in paths where path != "-" && !Files.isFolder(path) {
            if (try? FileStatus(of: path))?.kind == .regular { try? FileManager.default.removeItem(atPath: path) }
        }
    }

    /// The forms and files that `--format` flags name, where the command makes a report of its own.
    static func named(in words: [String]) -> [(form: String, path: String)] {
        guard let command = words.first, ["server", "client", "load", "gate"].contains(command) else { return [] }
        // What stands behind `--` is the driver's.
        let words = words.prefix { $0 != "--" }
        return words.indices.compactMap { index in
            let isApart = words[index] == "--format" && index + 1 < words.count
            guard isApart || words[index].hasPrefix("--format=") else { return nil }
            let flag = isApart ? words[index + 1] : String(words[index].dropFirst("--format=".count))
            let parts = flag.split(separator: "=", maxSplits: 1).map(String.init)
            // A word that names no form may be a slip, and the file anybody's.
            return parts.count == 2 && ReportFormat(rawValue: parts[0]) != nil ? (parts[0], parts[1]) : nil
        }
    }

    /// Leaves no report of a run before where this one ends without any, and an annotation of why where those were asked for.
    static func end(_ words: [String], with code: Int32, saying what: String) {
        let named = named(in: words)
        remove(named.map(\.path))
        let annotation = GitHubAnnotation(
            .error, title: "conformance \(words.first ?? "") ended with \(code)", message: GitHubAnnotation.words(what)
        ).text
        for target in named where target.form == "github" {
            if target.path == "-" { Console.write(annotation) } else { try? Files.write(annotation, to: target.path) }
        }
    }
}
