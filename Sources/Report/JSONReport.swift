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
        var object = JSONObject()
        object["format"] = .string(Self.format)
        object["version"] = number(Self.version)
        object["headline"] = .string(report.headline)
        object["exit"] = ["code": number(Int(report.exit.rawValue)), "meaning": .string(report.meaning)]
        object["specification"] = .string(report.specification)
        object["tool"] = report.tool.map { .string($0) }
        object["subject"] = subject
        object["address"] = .string(report.address)
        object["startedAt"] = .string(report.startedAt)
        object["durationMs"] = number(milliseconds(report.duration))
        object["interrupted"] = .bool(report.wasInterrupted)
        object["again"] = report.again.map(again)
        object["shard"] = report.part.map(part)
        object["summary"] = summary
        object["tiers"] = .array(report.tiers.map(tier))
        object["clauses"] = .array(report.clauses.map(clause))
        object["pending"] = ids(report.pending)
        object["excluded"] = ids(report.excluded)
        object["setAside"] = ids(report.setAside)
        if report.part != nil { object["elsewhere"] = ids(report.elsewhere) }
        object["baseline"] = report.baseline.map(baseline)
        object["gaps"] = .array(
            report.gaps.map { gap in
                ["reason": .string(gap.reason), "clauses": ids(gap.clauses)]
            })
        object["notes"] = .array((Self.lines(of: report.unseen) + report.notes).map { .string($0) })
        object["diagnostics"] = .array(report.diagnostics.map { .string($0) })
        object["scenarios"] = .array(report.scenarios.map(scenario))
        return .object(object)
    }

    private var subject: JSONValue {
        var object: JSONObject = [
            "name": .string(report.subject.name),
            "role": .string(report.subject.role.rawValue),
            "profiles": .array(report.subject.profiles.sorted().map { .string($0.rawValue) }),
            "agent": .string(report.subject.hasScriptedAgent ? "scripted" : "any"),
        ]
        if !report.subject.limits.isEmpty {
            let limits = report.subject.limits.sorted { $0.key < $1.key }
            object["limits"] = .object(JSONObject(limits.map { (key: $0.key, value: number($0.value)) }))
        }
        return .object(object)
    }

    private func again(_ again: RunReport.Again) -> JSONValue {
        var object: JSONObject = ["command": .string(again.command)]
        object["driver"] = again.driver.map { .string($0) }
        return .object(object)
    }

    private func part(_ part: Shard.Part) -> JSONValue {
        [
            "index": number(part.shard.index), "count": number(part.shard.count), "scenarios": number(part.total),
            "places": .array(part.places.map(number)),
        ]
    }

    private func baseline(_ baseline: BaselineResult) -> JSONValue {
        [
            "file": .string(baseline.file), "date": .string(baseline.date.description),
            "entries": .array(baseline.results.map(entry)),
        ]
    }

    private func entry(_ result: BaselineResult.EntryResult) -> JSONValue {
        let entry = result.entry
        var object: JSONObject = [
            "clause": .string(entry.clause), "scenario": .string(entry.scenario.text),
            "reason": .string(entry.reason),
        ]
        object["link"] = entry.link.map { .string($0) }
        object["expires"] = .string(entry.expires.description)
        if entry.isIntermittent { object["intermittent"] = true }
        object["line"] = number(entry.line)
        object["state"] = .string(result.state.rawValue)
        object["violated"] = number(result.violated)
        object["exercised"] = number(result.exercised)
        object["nearest"] = result.nearest.map { .string($0) }
        if !result.violatedIn.isEmpty { object["violatedIn"] = .array(result.violatedIn.map { .string($0) }) }
        return .object(object)
    }

    private func ids(_ clauses: [ClauseID]) -> JSONValue { .array(clauses.map { .string($0.description) }) }

    private var summary: JSONValue {
        var counts = JSONObject()
        for outcome in Outcome.allCases { counts[outcome.rawValue] = number(report.clauses(outcome).count) }
        counts["pending"] = number(report.pending.count)
        counts["excluded"] = number(report.excluded.count)
        counts["setAside"] = number(report.setAside.count)
        if report.part != nil { counts["elsewhere"] = number(report.elsewhere.count) }
        if let baseline = report.baseline {
            counts["expected"] = number(report.expected.count)
            counts["stale"] = number(baseline.stale.count)
        }
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

    /// What stands before the notes.
    static func lines(of unseen: [(profile: Profile, clauses: Int)]) -> [String] {
        unseen.map { "profile '\($0.profile.rawValue)' is declared, and nothing of it was seen" }
    }

    /// One clause as it stands in the report.
    func clause(_ result: ClauseResult) -> JSONValue {
        var object = JSONObject()
        object["id"] = .string(result.clause.id.description)
        object["outcome"] = .string(result.outcome.rawValue)
        if report.isExpected(result) { object["expected"] = true }
        object["keyword"] = .string(result.clause.keyword.rawValue)
        object["role"] = .string(result.clause.role.rawValue)
        object["profile"] = .string(result.clause.profile.rawValue)
        if !result.clause.companions.isEmpty {
            object["with"] = .array(result.clause.companions.map { .string($0.rawValue) })
        }
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
        if let intended = report.intended[result.name] { object["intended"] = ids(intended) }
        if let reason = result.skipped {
            object["skipped"] = .string(reason)
            if result.wasSetAside { object["setAside"] = true }
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
