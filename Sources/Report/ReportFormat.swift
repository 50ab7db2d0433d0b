import HoldfastJSON

package enum ReportFormat: String, Sendable, CaseIterable {
    /// Everything including transcripts; the format is `Spec/schemas/files/report.json`.
    case json
    /// JUnit XML, for the test page of a CI service.
    case junit
    /// JUnit XML in which unexercised clauses are skipped instead of failed.
    case junitLenient = "junit-lenient"
    /// A self-contained HTML file with a chart of every scenario.
    case html
    /// A summary for a CI step.
    case markdown
    /// Annotations for GitHub.
    case github
    /// The Test Anything Protocol, version 14.
    case tap
    /// SARIF 2.1.0, for a code host's list of findings.
    case sarif
    /// The verdict as a small SVG picture, for a README.
    case badge

    package func text(of report: RunReport) -> String {
        switch self {
        case .json: JSONReport(report).text
        case .junit: JUnitReport(report: report).text
        case .junitLenient: JUnitReport(report: report, skipsUntested: true).text
        case .html: HTMLReport(report).text
        case .markdown: MarkdownReport(report: report).text
        case .github: GitHubReport(report: report).text
        case .tap: TAPReport(report: report).text
        case .sarif: SARIFLog(report).text
        case .badge: SVGBadge(report: report).text
        }
    }
}
