import Holdfast
import HoldfastBasics
import HoldfastJSON
import HoldfastJudge
import HoldfastTranscript

// The parts of a report in JSON, each written and read in one place. The schema has already been checked; only
// problems that no schema can express are noted here.

extension History.Subject: JSONRepresentable {
    package var json: JSONValue {
        let limits = limits.sorted { $0.key < $1.key }.map { (key: $0.key, value: JSONValue($0.value)) }
        return JSONValue(members: [
            "name": name, "role": role.rawValue, "profiles": profiles.sorted().map(\.rawValue),
            "agent": hasScriptedAgent ? "scripted" : "any",
            "limits": limits.isEmpty ? JSONValue?.none : .object(JSONObject(limits)),
        ])
    }

    init?(_ stored: MemberReader) {
        guard let role = stored.choice("role", of: Role.self) else { return nil }
        let limits = stored.members("limits")
        self.init(
            name: stored.text("name"), role: role,
            profiles: Set(stored.choices("profiles", of: Profile.self).map(\.choice)),
            hasScriptedAgent: ["scripted", "model"].contains(stored.text("agent")),
            limits: limits.map { $0.object.keys.keyed(by: \.self).mapValues($0.number) } ?? [:])
    }
}

extension RunReport.Rerun: JSONRepresentable {
    package var json: JSONValue {
        JSONValue(members: ["command": command, "driver": driver, "whole": isWhole.orAbsent])
    }

    init(_ stored: MemberReader) {
        self.init(
            stored.text("command"), driver: stored.string("driver"), isWhole: stored.bool("whole") ?? false)
    }
}

extension Shard.Part: JSONRepresentable {
    package var json: JSONValue {
        JSONValue(members: ["index": shard.index, "count": shard.count, "scenarios": total, "places": positions])
    }

    init?(_ stored: MemberReader, scenarios: Int) {
        let (index, count, total) = (stored.number("index"), stored.number("count"), stored.number("scenarios"))
        let positions = (stored.array("places") ?? []).compactMap(\.value.intValue)
        if !(1...Shard.maxCount).contains(count) {
            stored.refuse("count", "found \(count)", expected: "an integer from 1 to \(Shard.maxCount)")
        } else if index > count {
            stored.refuse("index", "found \(index)", expected: "an integer from 1 to \(count)")
        } else if positions.count != scenarios || positions.contains(where: { $0 >= total })
            || !zip(positions, positions.dropFirst()).allSatisfy(<)
        {
            stored.refuse(
                "places", "these are not the indices of the \(scenarios) scenarios below",
                expected: "\(scenarios) increasing numbers below \(total)")
        } else {
            self.init(shard: Shard(index, of: count), total: total, positions: positions)
            return
        }
        return nil
    }
}

extension BaselineResult: JSONRepresentable {
    package var json: JSONValue { JSONValue(members: ["file": file, "date": date.description, "entries": results]) }

    init?(_ stored: MemberReader) {
        guard let date = stored.date("date") else { return nil }
        self.init(
            file: stored.text("file"), date: date, results: stored.objects("entries").compactMap { EntryResult($0) })
    }
}

extension BaselineResult.EntryResult: JSONRepresentable {
    /// The entry as in its file, then its result.
    package var json: JSONValue {
        entry.json.adding(
            JSONValue(members: [
                "line": entry.line, "state": state.rawValue, "violated": violated, "exercised": exercised,
                "nearest": nearest, "violatedIn": violatedIn.orAbsent,
            ]))
    }

    init?(_ stored: MemberReader) {
        guard let expires = stored.date("expires"),
            let state = stored.choice("state", of: BaselineResult.State.self)
        else { return nil }
        self.init(
            entry: Baseline.Entry(stored, expires: expires, line: stored.number("line")), state: state,
            violated: stored.number("violated"), exercised: stored.number("exercised"),
            nearest: stored.string("nearest"), violatedIn: stored.texts("violatedIn"))
    }
}

extension TierResult: JSONRepresentable {
    package var json: JSONValue {
        let counts = Outcome.allCases.compactMap { outcome in
            self.counts[outcome].map { (key: outcome.rawValue, value: JSONValue($0)) }
        }
        return JSONValue(members: [
            "tier": tier, "agent": agent, "performed": performed, "leftOut": leftOut,
            "clauses": JSONValue.object(JSONObject(counts)),
        ])
    }

    init(_ stored: MemberReader) {
        let counts = stored.members("clauses")
        self.init(
            tier: stored.number("tier"), performed: stored.number("performed"), leftOut: stored.number("leftOut"),
            counts: Outcome.allCases.filter { counts?.value($0.rawValue) != nil }.keyed(by: \.self)
                .mapValues { counts?.number($0.rawValue) ?? 0 })
    }
}

extension Gap: JSONRepresentable {
    package var json: JSONValue { JSONValue(members: ["reason": reason, "clauses": clauses]) }

    init(_ stored: MemberReader) { self.init(reason: stored.text("reason"), clauses: stored.ids("clauses")) }
}

extension Cause: JSONRepresentable {
    /// Written for other programs; the reader of a report recomputes the causes.
    package var json: JSONValue { JSONValue(members: ["head": head, "followers": followers]) }
}

extension Verdict: JSONRepresentable {
    package var json: JSONValue {
        JSONValue(members: [
            "clause": clause, "outcome": outcome.rawValue, "exercised": exercised, "findings": findings.orAbsent,
            "remarks": remarks.orAbsent,
        ])
    }

    init?(_ stored: MemberReader, events: Int) {
        guard let clause = stored.id("clause"), let outcome = stored.choice("outcome", of: Outcome.self) else {
            return nil
        }
        self.init(
            clause: clause, outcome: outcome, exercised: stored.number("exercised"),
            findings: stored.objects("findings").map { Finding($0, events: events) }, remarks: stored.texts("remarks"))
    }
}

extension Finding: JSONRepresentable {
    package var json: JSONValue {
        JSONValue(members: [
            "what": what, "expected": expected, "actual": actual, "events": events, "proof": proof,
        ])
    }

    init(_ stored: MemberReader, events: Int) {
        let cited = (stored.array("events") ?? []).compactMap { position -> Int? in
            if let event = position.value.intValue, (0..<events).contains(event) { return event }
            stored.collector.note(
                position.pointer, "found \(MemberReader.shown(position.value))",
                expected: "the index of one of the \(events) events of the transcript, from 0",
                fix: ReportReader.fix)
            return nil
        }
        self.init(
            stored.text("what"), expected: stored.text("expected"), actual: stored.text("actual"), at: cited,
            proof: stored.value("proof")?.intValue)
    }
}

extension ClauseID: JSONRepresentable {
    package var json: JSONValue { .string(description) }
}

extension MemberReader {
    /// A number that the schema requires; 0 if it is missing.
    func number(_ key: String) -> Int {
        guard let value = value(key) else { return 0 }
        return value.intValue ?? wrong(key, value, "an integer up to \(Int.max)") ?? 0
    }

    func texts(_ key: String) -> [String] { strings(key)?.map(\.text) ?? [] }

    func date(_ key: String) -> CivilDate? {
        CivilDate(text(key)) ?? wrong(key, .string(text(key)), "a day such as 2026-12-31")
    }

    func id(_ key: String) -> ClauseID? {
        ClauseID(text(key)) ?? wrong(key, .string(text(key)), "a clause id such as SYNC-3")
    }

    func ids(_ key: String) -> [ClauseID] {
        (strings(key) ?? []).compactMap { element in
            if let id = ClauseID(element.text) { return id }
            collector.note(
                element.pointer, "found '\(clipped(element.text))'", expected: "a clause id such as SYNC-3",
                fix: ReportReader.fix)
            return nil
        }
    }

    func refuse(_ key: String, _ what: String, expected: String) {
        collector.note(pointer.appending(key), what, expected: expected, fix: ReportReader.fix)
    }
}
