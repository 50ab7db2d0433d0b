import Holdfast
import HoldfastBasics
import HoldfastJSON
import HoldfastJudge
import HoldfastTranscript

/// The report as JSON; the format is `Spec/schemas/files/report.json`, version 1.
///
/// It contains every transcript or names its file, so that each verdict can be recomputed.
package struct JSONReport {
    package static let format = "holdfast-report"
    package static let version = 1

    private let report: RunReport
    private let omitsTranscripts: Bool

    /// The report of a run; the transcripts are in it, or in separate files next to it.
    package init(_ report: RunReport, transcriptsApart omitsTranscripts: Bool = false) {
        self.report = report
        self.omitsTranscripts = omitsTranscripts
    }

    /// The path of a transcript, relative to the report.
    package static func transcript(of scenario: String) -> String { "transcripts/\(scenario).ndjson" }

    /// The whole report with a final newline: one line for each member, clause and scenario.
    package var text: String {
        let members = (value.objectValue ?? [:]).map { key, value in
            var text = value.text()
            if let items = value.arrayValue, items.contains(where: { $0.objectValue != nil }) {
                text = "[\n" + items.map { "    " + $0.text() }.joined(separator: ",\n") + "\n  ]"
            }
            return "  \(JSONValue.string(key).text()): \(text)"
        }
        return "{\n" + members.joined(separator: ",\n") + "\n}\n"
    }

    /// The whole report; it has no secrets, because transcripts have none.
    package var value: JSONValue {
        JSONValue(members: [
            "format": Self.format, "version": Self.version, "headline": report.headline,
            "exit": JSONValue(members: ["code": Int(report.exit.rawValue), "meaning": report.meaning]),
            "specification": report.specification, "tool": report.tool, "subject": report.subject,
            "address": report.address, "startedAt": report.startedAt, "durationMs": report.duration.milliseconds,
            "interrupted": report.wasInterrupted, "stoppedAfter": report.stoppedAfter,
            "strict": report.isStrict.orAbsent, "again": report.rerun,
            "shard": report.part, "summary": summary,
            "tiers": report.tiers, "clauses": report.clauses.map(clause), "pending": report.pending,
            "excluded": report.excluded, "setAside": report.setAside,
            "outOfReach": report.outOfReach.orAbsent,
            "leftOut": report.leftOut.sorted().orAbsent, "sentences": sentences,
            "elsewhere": report.part == nil ? report.deferred.orAbsent : report.deferred, "baseline": report.baseline,
            "causes": report.causes.orAbsent,
            "gaps": report.gaps, "notes": Self.lines(of: report.unseen) + report.notes,
            "diagnostics": report.diagnostics, "load": report.load, "reach": report.reach,
            "scenarios": report.scenarios.map(scenario),
        ])
    }

    private var sentences: JSONValue? {
        let members = report.sentences.sorted { $0.key < $1.key }.map { ("\($0.key)", JSONValue.string($0.value)) }
        return members.isEmpty ? nil : .object(JSONObject(members))
    }

    private var summary: JSONValue {
        let counts = Outcome.allCases.map { (key: $0.rawValue, value: JSONValue(report.clauses($0).count)) }
        return JSONValue.object(JSONObject(counts)).adding(
            JSONValue(members: [
                "pending": report.pending.count, "excluded": report.excluded.count,
                "setAside": report.setAside.count,
                "outOfReach": report.unreached.isEmpty ? nil : report.unreached.count,
                "elsewhere": report.part == nil && report.deferred.isEmpty ? nil : report.deferred.count,
                "expected": report.baseline == nil ? nil : report.expected.count,
                "stale": report.baseline?.stale.count,
            ]))
    }

    /// The lines about profiles without evidence, which precede the notes.
    static func lines(of unseen: [(profile: Profile, clauses: Int)]) -> [String] {
        unseen.map { "profile '\($0.profile.rawValue)' is declared, but none of its clauses was exercised" }
    }

    func clause(_ result: ClauseResult) -> JSONValue {
        let findings = result.findings.map { $0.finding.json.adding(["scenario": .string($0.scenario)]) }
        return JSONValue(members: [
            "id": result.clause.id, "outcome": result.outcome.rawValue,
            "expected": report.isExpected(result).orAbsent, "keyword": result.clause.keyword.rawValue,
            "role": result.clause.role.rawValue, "profile": result.clause.profile.rawValue,
            "sentence": result.clause.sentence,
            "exercised": result.exercised, "scenarios": result.scenarios,
            "remarks": result.remarks.orAbsent, "findings": findings.orAbsent,
        ])
    }

    private func scenario(_ result: ScenarioResult) -> JSONValue {
        let start = JSONValue(members: [
            "name": result.name, "tier": result.tier, "intended": report.intended[result.name],
            "skipped": result.skipped, "cut": result.cut?.rawValue,
        ])
        guard result.skipped == nil else {
            return start.adding(
                JSONValue(members: [
                    "setAside": result.wasSetAside.orAbsent, "outOfReach": result.isOutOfReach.orAbsent,
                    "lacks": result.lacks.orAbsent,
                ]))
        }
        return start.adding(
            JSONValue(members: [
                "durationMs": result.duration.milliseconds, "stoppedAt": result.stoppedAt, "failure": result.failure,
                "problems": result.problems.orAbsent,
                "verdicts": result.verdicts.filter {
                    $0.outcome != .notApplicable && ($0.exercised > 0 || $0.outcome != .untested)
                },
                "transcript": omitsTranscripts
                    ? JSONValue.string(Self.transcript(of: result.name))
                    : .array(TranscriptWriter.packed(result.history)),
            ]))
    }
}
