import Holdfast
import HoldfastBasics
import HoldfastJSON
import HoldfastJudge

/// Writes a baseline with the violations of a run, for a person to complete.
package enum BaselineWriter {
    /// The text in place of a reason; a baseline that still has it is rejected.
    package static let placeholder = "FILL IN: why this violation is expected"
    /// The validity of new entries, in days.
    package static let days = 90

    /// One entry for each clause violated in a scenario.
    ///
    /// Entries of the current baseline that are still correct stay, with reason, link and expiry; stale ones are
    /// removed. A pattern that covers too much is replaced by the scenarios with the violation.
    package static func text(_ report: RunReport, on today: CivilDate) -> String {
        let kept = report.baseline?.results.filter { !$0.isStale }.map(\.entry) ?? []
        var entries = kept
        let narrowed = report.baseline?.results.filter { $0.state == .passesElsewhere }.map(\.entry) ?? []
        var written: Set<String> = []
        for result in report.clauses(.violation) {
            let id = result.clause.id.description
            for scenario in report.scenarios where result.decidedBy.contains(scenario.name) {
                guard !kept.contains(where: { $0.names(id, in: scenario) }),
                    written.insert("\(id) \(scenario.baseName)").inserted
                else { continue }
                let known = narrowed.first { $0.names(id, in: scenario) }
                entries.append(
                    Baseline.Entry(
                        clause: id, scenario: scenario.baseName, reason: known?.reason ?? placeholder,
                        link: known?.link, expires: known?.expires ?? today.advanced(by: days),
                        isIntermittent: known?.isIntermittent ?? false))
            }
        }
        let file = JSONValue(members: [
            "format": Baseline.format, "version": Baseline.version, "expected": entries,
        ])
        return file.text(pretty: true) + "\n"
    }
}
