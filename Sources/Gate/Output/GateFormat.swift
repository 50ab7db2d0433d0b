/// The ways in which programs read a report of the gate.
package enum GateFormat: String, Sendable, CaseIterable {
    case json, junit, github, sarif, markdown

    /// Whether a program picks its lines out of whatever else is printed.
    package var isForLogs: Bool { self == .github }

    /// The whole report, ending with a newline.
    package func text(of report: GateReport) -> String {
        switch self {
        case .json: GateJSONReport(report).value.text(pretty: true) + "\n"
        case .junit: GateJUnitReport(report).text
        case .github: GateAnnotations(report).text
        case .sarif: GateSARIFReport(report).value.text(pretty: true) + "\n"
        case .markdown: GateMarkdown(report).text
        }
    }
}
