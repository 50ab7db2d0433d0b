import Report

/// The report of the gate as annotations of a job of GitHub Actions, at the lines that changed.
public struct GateAnnotations {
    private let report: GateReport

    /// The report of a comparison.
    public init(_ report: GateReport) {
        self.report = report
    }

    /// The lines; the verdict first, then what fails, then warnings.
    public var text: String {
        let verdict = GitHubAnnotation(
            report.passes ? .notice : .error, title: report.passes ? "protocol gate" : "protocol gate failed",
            message: report.headline)
        let shown = report.entries.filter { $0.fails || $0.finding.severity == .warning }
        return verdict.text
            + shown.map { entry in
                // What is gone has no line in the checkout that the annotation is shown in.
                let place = entry.finding.new
                return GitHubAnnotation(
                    entry.fails ? .error : .warning, title: entry.finding.rule, message: entry.detail,
                    file: place?.path, line: place?.line
                ).text
            }.joined()
    }
}
