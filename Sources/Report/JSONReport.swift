import Holdfast
import JSON
import Judge
import Transcript

/// The report for machines; its shape is `Spec/schemas/files/report.json`, version 1.
///
/// It carries every transcript, so that each verdict can be recomputed from the report alone.
public struct JSONReport {
    /// The version of the shape.
    public static let version = 1

    private let report: RunReport

    /// The report of a run.
    public init(_ report: RunReport) {
        self.report = report
    }

    /// The whole report; secrets never enter transcripts, so none are in here.
    public var value: JSONValue {
        var object = JSONObject()
        object["format"] = "holdfast-report"
        object["version"] = number(Self.version)
        object["headline"] = .string(report.headline)
        object["exit"] = ["code": number(Int(report.exit.rawValue)), "meaning": .string(report.exit.meaning)]
        object["specification"] = .string(report.specification)
        object["subject"] = subject
        object["address"] = .string(report.address)
        object["startedAt"] = .string(report.startedAt)
        object["durationMs"] = number(milliseconds(report.duration))
        object["interrupted"] = .bool(report.wasInterrupted)
        object["summary"] = summary
        object["tiers"] = .array(report.tiers.map(tier))
        object["clauses"] = .array(report.clauses.map(clause))
        object["pending"] = .array(report.pending.map { .string($0.id.description) })
        object["excluded"] = .array(report.excluded.map { .string($0.id.description) })
        object["setAside"] = .array(report.setAside.map { .string($0.id.description) })
        object["gaps"] = .array(
            report.gaps.map { gap in
                ["reason": .string(gap.reason), "clauses": .array(gap.clauses.map { .string($0.description) })]
            })
        object["notes"] = .array(notes.map { .string($0) })
        object["diagnostics"] = .array(report.diagnostics.map { .string($0) })
        object["scenarios"] = .array(report.scenarios.map(scenario))
        return .object(object)
    }

    private var subject: JSONValue {
        [
            "name": .string(report.subject.name),
            "role": .string(report.subject.role.rawValue),
            "profiles": .array(report.subject.profiles.sorted().map { .string($0.rawValue) }),
            "agent": .string(report.subject.hasScriptedAgent ? "scripted" : "any"),
        ]
    }

    private var summary: JSONValue {
        var counts = JSONObject()
        for outcome in Outcome.allCases { counts[outcome.rawValue] = number(report.clauses(outcome).count) }
        counts["pending"] = number(report.pending.count)
        counts["excluded"] = number(report.excluded.count)
        counts["setAside"] = number(report.setAside.count)
        return .object(counts)
    }

    private func tier(_ result: TierResult) -> JSONValue {
        let counts = Outcome.allCases.compactMap { outcome in
            result.counts[outcome].map { (key: outcome.rawValue, value: number($0)) }
        }
        return [
            "tier": number(result.tier), "agent": .string(result.agent), "performed": number(result.performed),
            "leftOut": number(result.leftOut), "clauses": .object(JSONObject(counts)),
        ]
    }

    private var notes: [String] {
        report.unseen.map { "profile '\($0.profile.rawValue)' is declared, and nothing of it was seen" } + report.notes
    }

    private func clause(_ result: ClauseResult) -> JSONValue {
        var object = JSONObject()
        object["id"] = .string(result.clause.id.description)
        object["outcome"] = .string(result.outcome.rawValue)
        object["keyword"] = .string(result.clause.keyword.rawValue)
        object["role"] = .string(result.clause.role.rawValue)
        object["profile"] = .string(result.clause.profile.rawValue)
        object["sentence"] = .string(result.clause.sentence)
        object["exercised"] = number(result.exercised)
        object["scenarios"] = .array(result.scenarios.map { .string($0) })
        if !result.remarks.isEmpty { object["remarks"] = .array(result.remarks.map { .string($0) }) }
        if !result.findings.isEmpty {
            object["findings"] = .array(
                result.findings.map { occurrence in
                    var finding = self.finding(occurrence.finding)
                    finding["scenario"] = .string(occurrence.scenario)
                    return .object(finding)
                })
        }
        return .object(object)
    }

    private func finding(_ finding: Finding) -> JSONObject {
        var object = JSONObject()
        object["what"] = .string(finding.what)
        object["expected"] = .string(finding.expected)
        object["actual"] = .string(finding.actual)
        object["events"] = .array(finding.events.map(number))
        return object
    }

    private func scenario(_ result: ScenarioResult) -> JSONValue {
        var object = JSONObject()
        object["name"] = .string(result.name)
        object["tier"] = number(result.tier)
        if let reason = result.skipped {
            object["skipped"] = .string(reason)
            return .object(object)
        }
        object["durationMs"] = number(milliseconds(result.duration))
        if let place = result.stoppedAt { object["stoppedAt"] = .string(place) }
        if let failure = result.failure { object["failure"] = .string(failure) }
        if !result.problems.isEmpty { object["problems"] = .array(result.problems.map { .string($0) }) }
        object["verdicts"] = .array(result.verdicts.filter { $0.outcome != .notApplicable }.map(verdict))
        object["transcript"] = .array(TranscriptWriter.values(result.history))
        return .object(object)
    }

    private func verdict(_ verdict: Verdict) -> JSONValue {
        var object = JSONObject()
        object["clause"] = .string(verdict.clause.description)
        object["outcome"] = .string(verdict.outcome.rawValue)
        object["exercised"] = number(verdict.exercised)
        if !verdict.findings.isEmpty { object["findings"] = .array(verdict.findings.map { .object(finding($0)) }) }
        if !verdict.remarks.isEmpty { object["remarks"] = .array(verdict.remarks.map { .string($0) }) }
        return .object(object)
    }

    private func number(_ value: Int) -> JSONValue { .number(JSONNumber(value)) }

    private func milliseconds(_ duration: Duration) -> Int {
        Int(duration.components.seconds * 1000 + duration.components.attoseconds / 1_000_000_000_000_000)
    }
}
