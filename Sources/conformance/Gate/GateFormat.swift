import Gate
import JSON

/// The ways in which programs read a report of the gate.
enum GateFormat: String, CaseIterable {
    case json, junit, github, sarif, markdown

    /// Whether a program picks its lines out of whatever else is printed.
    var isForLogs: Bool { self == .github }

    func text(of report: GateReport) -> String {
        switch self {
        case .json: GateJSONReport(report).value.text(pretty: true) + "\n"
        case .junit: GateJUnitReport(report).text
        case .github: GateAnnotations(report).text
        case .sarif: GateSARIFReport(report, toolVersion: Tool.version).value.text(pretty: true) + "\n"
        case .markdown: GateMarkdown(report).text
        }
    }
}
