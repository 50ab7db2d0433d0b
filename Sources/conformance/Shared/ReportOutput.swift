import Holdfast
import HoldfastBasics
import HoldfastReport
import HoldfastSuite

/// Processes a finished report: applies the baseline, writes it, shows it, and ends the command.
struct ReportOutput: Sendable {
    private let targets: [FormatTarget<ReportFormat>]
    private let (listsAll, isQuiet): (Bool, Bool)
    let baseline: Baseline?
    private let newBaseline: String?
    private let today: CivilDate
    private let specification: Specification

    /// Reads and checks the files in the flags; before a run (`forRun`), removes old reports.
    init(
        _ formats: FormatOptions, _ baseline: BaselineOptions? = nil, isPart: Bool = false, forRun: Bool = false,
        under specification: Specification
    ) throws {
        if isPart, baseline?.writeBaseline != nil {
            throw InputProblem(
                "--write-baseline", "a shard knows only its own violations", expected: "a whole run",
                fix: "pass it to 'conformance report merge'")
        }
        self.baseline = try baseline?.expected()
        newBaseline = baseline?.writeBaseline
        if let newBaseline { try Files.prepare(newBaseline, given: "--write-baseline") }
        targets = try FormatTarget.all(formats.formats, forRun: forRun)
        (listsAll, isQuiet) = (formats.verbose, formats.quiet)
        today = BaselineOptions.today
        self.specification = specification
    }

    /// Writes and shows a report.
    ///
    /// * `text`: The text to print instead of the console report; nil for that report.
    /// * `names`: Names of scenarios that a baseline may contain in addition to those of the specification.
    /// * `write`: Writes the command's own files.
    /// - Throws: The exit code of the run, unless it conforms.
    func end(
        with report: RunReport, showing text: String? = nil, addingScenarios names: [String] = [],
        writing write: (RunReport) throws -> Void = { _ in }
    ) throws {
        var report = report
        if let baseline {
            let role = report.subject.role
            report.compare(
                with: baseline, on: today,
                clauses: specification.clauses.filter { $0.role == role }.map(\.id.description),
                scenarios: try specification.scenarioNames(for: role) + names)
        }
        var unwritten = UnwrittenFiles()
        unwritten.attempt { try write(report) }
        unwritten += show(report, as: text)
        if let newBaseline {
            unwritten.attempt {
                try Files.write(BaselineWriter.text(report, on: today), to: newBaseline)
                Console.error("\(newBaseline): fill in the reason of each entry before you use it")
            }
        }
        try unwritten.end(after: report.exit)
    }

    /// Prints lines, on standard error if a format uses standard output.
    func say(_ text: String) {
        if isQuiet { return }
        if targets.contains(where: { $0.path == "-" }) {
            Console.error(String(text.dropLast()))
        } else {
            Console.write(text)
        }
    }

    func show(_ report: RunReport, as shown: String? = nil) -> UnwrittenFiles {
        let style = Console.style
        let text =
            isQuiet
            ? report.headlineIn(style) + "\n"
            : (listsAll ? nil : shown)
                ?? Tool.addressed(ConsoleReport(report, style: style, listsAll: listsAll).text)
        return FormatTarget.write(targets, beside: text) { $0.text(of: report) }
    }
}

/// The files that a command could not write; the command shows its results anyway.
struct UnwrittenFiles {
    private var problems: [any Error] = []
    var isEmpty: Bool { problems.isEmpty }

    mutating func attempt(_ write: () throws -> Void) {
        do { try write() } catch { problems.append(error) }
    }

    static func += (left: inout Self, right: Self) { left.problems += right.problems }

    /// Prints each problem and ends the command: with 1 if there was a violation, else as a failure of this program.
    func end(after exit: ExitStatus = .conforms) throws {
        for problem in problems { Console.error(Tool.addressed("\(problem)")) }
        try (problems.isEmpty || exit == .violation ? exit : .harness).end()
    }
}
