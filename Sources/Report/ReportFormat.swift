import HoldfastJSON

/// The ways in which programs read a report.
package enum ReportFormat: String, Sendable, CaseIterable {
    /// Everything, with the transcripts; its shape is `Spec/schemas/files/report.json`.
    case json
    /// JUnit XML, for the test page of a CI service.
    case junit
    /// The same, where what nothing exercised is skipped instead of failed.
    case junitLenient = "junit-lenient"
    /// One file for a browser, with a chart of every scenario.
    case html
    /// A summary for the page of a CI step.
    case markdown
    /// Annotations for GitHub.
    case github
    /// The Test Anything Protocol, version 14.
    case tap
    /// SARIF 2.1.0, for the page of findings of a code host.
    case sarif
    /// The verdict as a small SVG picture, for a README.
    case badge

    /// The whole report, ending with a newline.
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
