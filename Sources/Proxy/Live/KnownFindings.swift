import Holdfast
import HoldfastCaptures
import HoldfastJudge

/// The findings of a part that still grows: those that were reported, and those that the next judgment must confirm.
///
/// Later events can change a finding, so it is certain only after two judgments in a row, or that of the complete part.
package struct KnownFindings: Sendable {
    package typealias Found = (clause: ClauseID, finding: Finding)

    private struct Key: Hashable {
        let clause: ClauseID
        let location: CaptureLocation?
        let what: String
    }

    private var known: [Key: Found] = [:]
    private var suspects: [Key: Found] = [:]

    package init() {}

    package var hasSuspects: Bool { !suspects.isEmpty }

    private func findings(_ locations: [CaptureLocation], _ verdicts: [Verdict]) -> [(key: Key, found: Found)] {
        verdicts.filter { [.violation, .warning].contains($0.outcome) }.flatMap { verdict in
            verdict.findings.map { finding in
                let location = finding.events.last.flatMap { locations.indices.contains($0) ? locations[$0] : nil }
                return (Key(clause: verdict.clause, location: location, what: finding.what), (verdict.clause, finding))
            }
        }
    }

    /// The findings that the previous judgment already had.
    package mutating func update(_ locations: [CaptureLocation], _ verdicts: [Verdict]) -> [Found] {
        var (sure, next): ([Found], [Key: Found]) = ([], [:])
        for (key, found) in findings(locations, verdicts) where known[key] == nil {
            if suspects[key] != nil {
                known[key] = found
                sure.append(found)
            } else {
                next[key] = found
            }
        }
        suspects = next
        return sure
    }

    /// The suspects of the last judgment, if nothing has been read since: judging again would find the same.
    package mutating func confirm() -> [Found] {
        defer { suspects = [:] }
        known.merge(suspects) { $1 }
        return Array(suspects.values)
    }

    /// The findings of the complete part that were not reported, and the reported ones that it does not have.
    package func close(
        _ locations: [CaptureLocation], _ verdicts: [Verdict]
    ) -> (new: [Found], withdrawn: [Found]) {
        let all = findings(locations, verdicts)
        let keys = Set(all.map(\.key))
        return (all.filter { known[$0.key] == nil }.map(\.found), known.filter { !keys.contains($0.key) }.map(\.value))
    }
}
