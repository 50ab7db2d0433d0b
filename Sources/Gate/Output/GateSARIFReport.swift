import HoldfastJSON
import HoldfastReport
import HoldfastSchemaDiff
import HoldfastSuite

/// The report of the gate as SARIF 2.1.0.
package struct GateSARIFReport {
    private let report: GateReport

    package init(_ report: GateReport) { self.report = report }

    package var value: JSONValue {
        SARIFLog(
            tool: "conformance gate", version: toolVersion, exit: report.exit, headline: report.headline,
            root: "The root of the new state.", fingerprints: "holdfastGate/v1",
            words: { RuleBook.rule($0)?.title ?? $0 }, results: report.entries.map(result)
        ).log
    }

    private func result(_ entry: GateEntry) -> SARIFLog.Result {
        let justification =
            switch entry.standing {
            case .counts: String?.none
            case .announced: "the new major version announces it"
            case .waived(let reason, let until): "\(reason) (until \(until))"
            }
        // What is gone is shown where it was.
        return SARIFLog.Result(
            rule: entry.finding.rule,
            level: entry.fails ? .error : entry.finding.severity == .information ? .notice : .warning,
            text: entry.detail, file: entry.path, line: entry.location?.line ?? 1,
            name: entry.location?.pointerText ?? "gate",
            fingerprint: entry.finding.fingerprint, justification: justification)
    }
}
