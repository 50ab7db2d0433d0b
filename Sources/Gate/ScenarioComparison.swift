import Holdfast
import HoldfastJSON
import HoldfastSchemaDiff

/// Compares the scenarios of two states: runs may no longer test something, or test it differently.
struct ScenarioComparison {
    private struct Scenario {
        let path: String
        let value: JSONValue

        var title: JSONValue? { value["title"] }

        var clauses: [String] { (value["clauses"]?.arrayValue ?? []).compactMap(\.stringValue) }

        var testedClauses: String { clauses.isEmpty ? "its clauses" : clauses.joined(separator: ", ") }
    }

    static func entries(_ old: ProtocolState, _ new: ProtocolState) -> [GateEntry] {
        let (before, after) = (scenarios(of: old), scenarios(of: new))
        let entries = compare(before, after, by: \.path) { was in
            [
                entry(
                    "scenario-removed", .warning, was, nil, old: was.title,
                    why: "runs exercise \(was.testedClauses) less often")
            ]
        } changed: { was, now in
            change(from: was, to: now).map { [$0] } ?? []
        } added: { now in
            [
                entry(
                    "scenario-added", .information, nil, now, new: now.title,
                    why: "runs exercise \(now.testedClauses) more often; nothing new is required")
            ]
        }
        return entries + unexercised(before, after, new)
    }

    /// Adds to the finding about each changed scenario the clauses that its steps no longer exercise.
    static func reportLosses(
        in entries: inout [GateEntry], _ old: ProtocolState, _ new: ProtocolState, by exercise: GateOptions.Exercise
    ) async {
        let names = entries.indices.reduce(into: [Int: String]()) { names, index in
            let path = entries[index].location?.file ?? ""
            guard entries[index].finding.rule == "scenario-changed", path.hasPrefix("scenarios/server/") else { return }
            names[index] = String(path.dropFirst("scenarios/".count).dropLast(".json".count))
        }
        guard !names.isEmpty else { return }
        do {
            let before = try await exercise(names.values.sorted(), old.specification)
            let after = try await exercise(names.values.sorted(), new.specification)
            for (index, name) in names {
                let left = after[name] ?? [:]
                let lost = (before[name] ?? [:]).keys.filter { left[$0] == nil }.sorted().map(\.description)
                guard before[name] != nil, !lost.isEmpty else { continue }
                entries[index].finding.why +=
                    "; the built-in server shows that it no longer exercises \(lost.joined(separator: ", "))"
            }
        } catch {
            // The first line of the problems is enough.
            let reason = "\(error)".split(separator: "\n").first ?? ""
            for index in names.keys { entries[index].finding.why += "; what it exercises is not known: \(reason)" }
        }
    }

    private static func scenarios(of state: ProtocolState) -> [Scenario] {
        state.texts(below: "scenarios/", ".json").compactMap { path, text in
            (try? JSONParser.value(text)).map { Scenario(path: path, value: $0) }
        }
    }

    private static func change(from before: Scenario, to after: Scenario) -> GateEntry? {
        let (was, now) = (before.value, after.value)
        guard was != now else { return nil }
        let members = Set((was.objectValue ?? [:]).keys).union((now.objectValue ?? [:]).keys)
        let changed = members.filter { was[$0] != now[$0] }.sorted()
        if Set(["title", "summary", "$schema", "clauses"]).isSuperset(of: changed) {
            return entry(
                "scenario-reworded", .information, before, after, old: before.title, new: after.title,
                why: "it does the same as before; only its description differs: \(changed.joined(separator: ", "))")
        }
        return entry(
            "scenario-changed", .warning, before, after, old: .string(changed.joined(separator: ", ")),
            why: "it does something else now, so a subject that passed may fail")
    }

    /// Clauses that scenarios exercised before, and none does now.
    private static func unexercised(_ before: [Scenario], _ after: [Scenario], _ new: ProtocolState) -> [GateEntry] {
        let lost = Set(before.flatMap(\.clauses)).subtracting(after.flatMap(\.clauses))
        return new.specification.clauses.filter { lost.contains($0.id.description) && $0.exclusion == nil }.map {
            GateEntry(
                "clause-without-scenario", .warning, new: $0.location,
                why: "a scenario exercised the clause before, and none does now", bump: .patch)
        }
    }

    private static func entry(
        _ rule: String, _ severity: GateSeverity, _ before: Scenario?, _ after: Scenario?, old: JSONValue? = nil,
        new: JSONValue? = nil, why: String
    ) -> GateEntry {
        GateEntry(
            rule, severity, old: before.map { GateLocation(file: $0.path, line: 1) },
            new: after.map { GateLocation(file: $0.path, line: 1) }, oldValue: old, newValue: new, why: why,
            bump: .patch)
    }
}
