import HoldfastReport

/// The report of the gate as annotations of a job of GitHub Actions, at the lines that changed.
package struct GateAnnotations {
    private let report: GateReport

    package init(_ report: GateReport) { self.report = report }

    /// The lines; the verdict first, then what fails, then warnings.
    package var text: String {
        let verdict = GitHubAnnotation(
            report.passes ? .notice : .error, title: report.passes ? "protocol gate" : "protocol gate failed",
            message: report.headline)
        let failures = report.entries.filter(\.fails)
        let warnings = report.entries.filter { !$0.fails && $0.finding.severity == .warning }
        // The verdict is an annotation of its kind itself.
        let lines =
            GitHubAnnotation.bounded(
                failures.map { annotation($0, .error) }, room: GitHubAnnotation.limit - (report.passes ? 0 : 1))
            + GitHubAnnotation.bounded(warnings.map { annotation($0, .warning) })
        return ([verdict] + lines).map(\.text).joined()
    }

    private func annotation(_ entry: GateEntry, _ level: GitHubAnnotation.Level) -> GitHubAnnotation {
        // What is gone has no line in the checkout that the annotation is shown in.
        let location = entry.finding.new
        return GitHubAnnotation(
            level, title: entry.finding.rule, message: GitHubAnnotation.words(entry.detail), file: location?.path,
            line: location?.line)
    }
}
