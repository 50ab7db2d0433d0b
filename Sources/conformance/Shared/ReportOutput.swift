import Holdfast
import HoldfastBasics
import HoldfastReport
import HoldfastSuite

/// Everything that happens with a report once there is one: it meets the baseline, is written, is shown, and ends the command.
struct ReportOutput: Sendable {
    private let targets: [FormatTarget<ReportFormat>]
    private let listsAll: Bool
    private let baseline: Baseline?
    private let newBaseline: String?
    private let today: CivilDate
    private let specification: Specification

    /// Reads and checks what the flags name, before anything is performed.
    init(
        _ formats: FormatOptions, _ baseline: BaselineOptions? = nil, isPart: Bool = false, ofRun: Bool = false,
        under specification: Specification
    ) throws {
        if isPart, baseline?.writeBaseline != nil {
            throw InputProblem(
                "--write-baseline", "a shard knows only its own violations", expected: "a whole run",
                fix: "pass it to 'conformance report merge'")
        }
        self.baseline = try baseline?.expected()
        newBaseline = baseline?.writeBaseline
        targets = try FormatTarget.all(formats.formats, ofRun: ofRun)
        listsAll = formats.verbose
        today = BaselineOptions.today
        self.specification = specification
    }

    /// Writes and shows a report.
    ///
    /// * `text`: What is shown to people in place of the console report; nil for that.
    /// * `names`: Names of scenarios that a baseline may hold besides those of the specification.
    /// * `write`: Writes what the command itself is to write.
    /// - Throws: The exit code of the run, unless it conforms.
    func end(
        with report: RunReport, showing text: String? = nil, knowing names: [String] = [],
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
        try write(report)
        try show(report, as: text)
        if let newBaseline {
            try Files.write(BaselineWriter.text(report, on: today), to: newBaseline)
            Console.error("\(newBaseline): fill in the reason of each entry before you use it")
        }
        try report.exit.end()
    }

    /// Writes lines for people, to standard error where a format takes standard output.
    func say(_ text: String) {
        if targets.contains(where: { $0.path == "-" }) {
            Console.error(String(text.dropLast()))
        } else {
            Console.write(text)
        }
    }

    /// Writes the formats and prints the console report, or what is shown in its place.
    func show(_ report: RunReport, as shown: String? = nil) throws {
        let text =
            (listsAll ? nil : shown)
            ?? Tool.addressed(ConsoleReport(report, style: Console.style, listsAll: listsAll).text)
        try FormatTarget.write(targets, beside: text) { $0.text(of: report) }
    }
}
