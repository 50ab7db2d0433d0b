import HoldfastJSON
import HoldfastReport
import HoldfastSchemaDiff
import HoldfastSuite

package enum GateFormat: String, Sendable, CaseIterable {
    case json, junit, github, sarif, markdown

    package func text(of report: GateReport) -> String {
        switch self {
        case .json: GateJSONReport(report: report).value.text(pretty: true) + "\n"
        case .junit: GateJUnitReport(report: report).text
        case .github: GateAnnotations(report: report).text
        case .sarif: GateSARIFReport(report: report).value.text(pretty: true) + "\n"
        case .markdown: GateMarkdown(report: report).text
        }
    }
}

struct GateAnnotations {
    let report: GateReport

    var text: String {
        let verdict = GitHubAnnotation(
            report.passes ? .notice : .error, title: report.passes ? "protocol gate" : "protocol gate failed",
            message: report.headline)
        let failures = report.heads.filter(\.fails)
        let warnings = report.heads.filter { !$0.fails && $0.finding.severity == .warning }
        // The verdict is an annotation too, so it counts toward the limit of its level.
        let lines =
            GitHubAnnotation.bounded(
                failures.map { annotation($0, .error) }, to: GitHubAnnotation.limit - (report.passes ? 0 : 1))
            + GitHubAnnotation.bounded(warnings.map { annotation($0, .warning) })
        return ([verdict] + lines).map(\.text).joined()
    }

    private func annotation(_ entry: GateEntry, _ level: GitHubAnnotation.Level) -> GitHubAnnotation {
        // A removed part has no line in the checkout that shows the annotation.
        let location = entry.finding.new
        return GitHubAnnotation(
            level, title: entry.title, message: GitHubAnnotation.words(report.detail(of: entry)), file: location?.path,
            line: location?.line)
    }
}

struct GateSARIFReport {
    let report: GateReport

    var value: JSONValue {
        SARIFLog(
            tool: "conformance gate", version: toolVersion, exit: report.exit, headline: report.headline,
            root: "The root of the new state.", fingerprints: "holdfastGate/v1",
            words: { RuleBook.rule($0)?.title ?? $0 }, results: report.heads.map(result)
        ).value
    }

    private func result(_ entry: GateEntry) -> SARIFLog.Result {
        let justification =
            switch entry.status {
            case .counts: String?.none
            case .announced: "the new major version announces it"
            case .waived(let reason, let until): "\(reason) (until \(until))"
            }
        // A removed part is shown at its old place.
        return SARIFLog.Result(
            rule: entry.finding.rule,
            level: entry.fails ? .error : entry.finding.severity == .information ? .notice : .warning,
            text: "\(entry.title)\n\(report.detail(of: entry))", file: entry.location?.path,
            line: entry.location?.line ?? 1,
            name: entry.location?.pointerText ?? "gate",
            fingerprint: entry.finding.fingerprint, justification: justification)
    }
}
