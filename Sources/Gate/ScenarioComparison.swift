import Holdfast
import JSON
import SchemaDiff

/// Compares the scenarios of two states: what runs do no longer, or do differently.
struct ScenarioComparison {
    /// Compares the scenarios of two states.
    static func entries(_ old: ProtocolState, _ new: ProtocolState) -> [GateEntry] {
        let before = scenarios(of: old)
        let after = scenarios(of: new)
        var entries: [GateEntry] = []
        for (path, was) in before.sorted(by: { $0.key < $1.key }) {
            guard let now = after[path] else {
                entries.append(
                    entry(
                        "scenario-removed", .warning, path, nil, old: was["title"],
                        why: "runs put \(words(was["clauses"])) to the test less often"))
                continue
            }
            entries += changes(path, from: was, to: now)
        }
        for (path, now) in after.sorted(by: { $0.key < $1.key }) where before[path] == nil {
            entries.append(
                entry(
                    "scenario-added", .information, nil, path, new: now["title"],
                    why: "runs put \(words(now["clauses"])) to the test more often, and ask for nothing new"))
        }
        return entries + unexercised(before, after, new)
    }

    private static func changes(_ path: String, from was: JSONValue, to now: JSONValue) -> [GateEntry] {
        guard was != now else { return [] }
        let members = Set((was.objectValue ?? [:]).keys).union((now.objectValue ?? [:]).keys)
        let changed = members.filter { was[$0] != now[$0] }.sorted()
        let words: Set<String> = ["title", "summary", "$schema"]
        if words.isSuperset(of: changed) {
            return [
                entry(
                    "scenario-reworded", .information, path, path, old: was["title"], new: now["title"],
                    why: "only words about it differ: \(changed.joined(separator: ", "))")
            ]
        }
        if waits(of: was) != waits(of: now), withoutWaits(was) == withoutWaits(now) {
            return [
                entry(
                    "scenario-wait-changed", .warning, path, path, old: .string(waits(of: was).joined(separator: ", ")),
                    new: .string(waits(of: now).joined(separator: ", ")),
                    why: "a subject that was in time may be late now, or is waited for longer")
            ]
        }
        return [
            entry(
                "scenario-changed", .warning, path, path, old: .string(changed.joined(separator: ", ")),
                why: "it does something else now, so a subject that passed it may fail it")
        ]
    }

    /// Clauses that scenarios put to the test before, and none does now.
    private static func unexercised(
        _ before: [String: JSONValue], _ after: [String: JSONValue], _ new: ProtocolState
    ) -> [GateEntry] {
        let was = Set(before.values.flatMap { clauses(of: $0) })
        let now = Set(after.values.flatMap { clauses(of: $0) })
        return new.specification.clauses.filter { clause in
            let id = clause.id.description
            return was.contains(id) && !now.contains(id) && clause.exclusion == nil
        }.map { clause in
            GateEntry(
                GateFinding(
                    rule: "clause-without-scenario", severity: .warning, direction: nil,
                    new: GatePlace(
                        file: clause.file, pointer: JSONPointer(tokens: [clause.id.description]), line: clause.line),
                    why: "a scenario put the clause to the test before, and none does now"),
                rise: .patch)
        }
    }

    private static func scenarios(of state: ProtocolState) -> [String: JSONValue] {
        Dictionary(
            state.texts(below: "scenarios/", ".json").compactMap { path, text in
                (try? JSONParser.value(text)).map { (path, $0) }
            }, uniquingKeysWith: { first, _ in first })
    }

    private static func clauses(of scenario: JSONValue) -> [String] {
        (scenario["clauses"]?.arrayValue ?? []).compactMap(\.stringValue)
    }

    private static let waitMembers: Set<String> = ["within", "for", "wait", "seconds", "milliseconds"]

    /// Everything that says how long to wait, in order.
    private static func waits(of value: JSONValue) -> [String] {
        switch value {
        case .array(let values): values.flatMap(waits)
        case .object(let object):
            object.flatMap { member in
                waitMembers.contains(member.key) ? ["\(member.key) \(member.value.text())"] : waits(of: member.value)
            }
        default: []
        }
    }

    private static func withoutWaits(_ value: JSONValue) -> JSONValue {
        switch value {
        case .array(let values): .array(values.map(withoutWaits))
        case .object(let object):
            .object(
                JSONObject(
                    object.filter { !waitMembers.contains($0.key) }.map { (key: $0.key, value: withoutWaits($0.value)) }
                ))
        default: value
        }
    }

    private static func words(_ clauses: JSONValue?) -> String {
        let ids = (clauses?.arrayValue ?? []).compactMap(\.stringValue)
        return ids.isEmpty ? "its clauses" : ids.joined(separator: ", ")
    }

    private static func entry(
        _ rule: String, _ severity: GateSeverity, _ before: String?, _ after: String?, old: JSONValue? = nil,
        new: JSONValue? = nil, why: String
    ) -> GateEntry {
        GateEntry(
            GateFinding(
                rule: rule, severity: severity, direction: nil, old: before.map { GatePlace(file: $0, line: 1) },
                new: after.map { GatePlace(file: $0, line: 1) }, oldValue: old, newValue: new, why: why),
            rise: .patch)
    }
}
