import Holdfast
import HoldfastBasics
import HoldfastJSON
import HoldfastJudge

/// Writes a baseline of what a run violated, for a person to complete.
package enum BaselineWriter {
    /// What stands where a person has to say why; a baseline that still says it is refused.
    package static let placeholder = "FILL IN: why this violation is expected"
    /// For how long new entries hold.
    package static let days = 90

    /// An entry for each clause that is violated in a scenario.
    ///
    /// What the run was judged against is kept while it still is as expected, with its reason, its link and its day; entries
    /// that are stale go. A pattern that names too much leaves the scenarios it is right about.
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
