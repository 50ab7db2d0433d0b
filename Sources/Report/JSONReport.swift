import Basics
import Holdfast
import JSON
import Judge
import Transcript

/// The report for machines; its shape is `Spec/schemas/files/report.json`, version 1.
///
/// It carries every transcript, so that each verdict can be recomputed from the report alone.
package struct JSONReport {
    /// The value of `format`.
    package static let format = "holdfast-report"
    /// The version of the shape.
    package static let version = 1

    private let report: RunReport

    /// The report of a run.
    package init(_ report: RunReport) {
        self.report = report
    }

    /// The whole report; secrets never enter transcripts, so none are in here.
    package var value: JSONValue {
        JSONValue(members: [
            "format": Self.format, "version": Self.version, "headline": report.headline,
            "exit": JSONValue(members: ["code": Int(report.exit.rawValue), "meaning": report.meaning]),
            "specification": report.specification, "tool": report.tool, "subject": report.subject,
            "address": report.address, "startedAt": report.startedAt, "durationMs": report.duration.milliseconds,
            "interrupted": report.wasInterrupted, "again": report.again, "shard": report.part, "summary": summary,
            "tiers": report.tiers, "clauses": report.clauses.map(clause), "pending": report.pending,
            "excluded": report.excluded, "setAside": report.setAside,
            "outOfReach": report.outOfReach.orAbsent,
            "elsewhere": report.part == nil ? nil : report.elsewhere, "baseline": report.baseline,
            "gaps": report.gaps, "notes": Self.lines(of: report.unseen) + report.notes,
            "diagnostics": report.diagnostics, "scenarios": report.scenarios.map(scenario),
        ])
    }

    private var summary: JSONValue {
        let counts = Outcome.allCases.map { (key: $0.rawValue, value: JSONValue(report.clauses($0).count)) }
        return JSONValue.object(JSONObject(counts)).adding(
            JSONValue(members: [
                "pending": report.pending.count, "excluded": report.excluded.count,
                "setAside": report.setAside.count,
                "outOfReach": report.unreached.isEmpty ? nil : report.unreached.count,
                "elsewhere": report.part == nil ? nil : report.elsewhere.count,
                "expected": report.baseline == nil ? nil : report.expected.count,
                "stale": report.baseline?.stale.count,
            ]))
    }

    /// What stands before the notes.
    static func lines(of unseen: [(profile: Profile, clauses: Int)]) -> [String] {
        unseen.map { "profile '\($0.profile.rawValue)' is declared, and nothing of it was seen" }
    }

    /// One clause as it stands in the report.
    func clause(_ result: ClauseResult) -> JSONValue {
        let findings = result.findings.map { $0.finding.json.adding(["scenario": .string($0.scenario)]) }
        return JSONValue(members: [
            "id": result.clause.id, "outcome": result.outcome.rawValue,
            "expected": report.isExpected(result).orAbsent, "keyword": result.clause.keyword.rawValue,
            "role": result.clause.role.rawValue, "profile": result.clause.profile.rawValue,
            "with": result.clause.companions.map(\.rawValue).orAbsent, "sentence": result.clause.sentence,
            "exercised": result.exercised, "scenarios": result.scenarios,
            "remarks": result.remarks.orAbsent, "findings": findings.orAbsent,
        ])
    }

    private func scenario(_ result: ScenarioResult) -> JSONValue {
        let start = JSONValue(members: [
            "name": result.name, "tier": result.tier, "intended": report.intended[result.name],
            "skipped": result.skipped,
        ])
        guard result.skipped == nil else {
            return start.adding(
                JSONValue(members: [
                    "setAside": result.wasSetAside.orAbsent, "outOfReach": result.isOutOfReach.orAbsent,
                ]))
        }
        return start.adding(
            JSONValue(members: [
                "durationMs": result.duration.milliseconds, "stoppedAt": result.stoppedAt, "failure": result.failure,
                "problems": result.problems.orAbsent,
                "verdicts": result.verdicts.filter { $0.outcome != .notApplicable },
                "transcript": TranscriptWriter.values(result.history),
            ]))
    }
}
