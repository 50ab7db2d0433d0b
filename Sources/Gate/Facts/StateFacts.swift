import Holdfast
import HoldfastJSON
import HoldfastSchemaDiff

enum StateFacts {
    /// The rows of every machine of a state, and the meanings of its states, inputs and conditions.
    ///
    /// A state, an input or a condition that was only renamed keeps its old name.
    static func facts(of state: ProtocolState, namedAs other: ProtocolState? = nil) -> [Fact] {
        state.texts(below: "states/", ".json").flatMap { path, text -> [Fact] in
            guard let root = try? JSONParser.value(text) else { return [] }
            let before = other?.json(path)?["machines"]?.arrayValue ?? []
            let role = root["role"]?.stringValue.flatMap(Role.init) ?? .server
            return (root["machines"]?.arrayValue ?? []).enumerated().flatMap { index, machine -> [Fact] in
                let name = machine["name"]?.stringValue ?? ""
                let known = before.first { $0["name"] == machine["name"] }
                let states = names("states", of: machine, as: known)
                let inputs = names("inputs", of: machine, as: known)
                let conditions = names("conditions", of: machine, as: known)
                var rows: [String: [JSONValue]] = [:]
                var places: [String: JSONPointer] = [:]
                var alternatives: [String: [JSONValue]] = [:]
                for (number, row) in (machine["rows"]?.arrayValue ?? []).enumerated() {
                    let state = row["state"]?.stringValue ?? "?"
                    let input = row["input"]?.stringValue ?? "?"
                    let key = "\(role.rawValue) \(name): \(states[state] ?? state), \(inputs[input] ?? input)"
                    alternatives[key, default: []].append(row)
                    places[key] =
                        places[key] ?? JSONPointer(tokens: ["machines", String(index), "rows", String(number)])
                }
                for (key, row) in alternatives.flatMap({ key, rows in merged(rows).map { (key, $0) } }) {
                    let when = JSONObject(
                        (row["when"]?.objectValue ?? [:]).map { kind, named in
                            let names = (named.arrayValue ?? []).compactMap(\.stringValue)
                            let known = names.map { conditions[$0] ?? $0 }.sorted()
                            return (key: kind, value: .array(known.map { .string($0) }))
                        })
                    let result: JSONValue = [
                        "when": .object(when), "answer": row["answer"] ?? [],
                        "next": row["next"]?.stringValue.flatMap { states[$0].map { .string($0) } } ?? row["next"]
                            ?? "",
                    ]
                    rows[key, default: []].append(result)
                }
                let table = Fact(
                    rule: .table, key: "\(role.rawValue) \(name)",
                    location: GateLocation(file: path, pointer: JSONPointer(tokens: ["table", name]), line: 1),
                    subject: name)
                let lists = [("states", states), ("inputs", inputs), ("conditions", conditions)]
                let meanings = lists.flatMap { list, known in
                    (machine[list]?.arrayValue ?? []).enumerated().map { number, named in
                        let own = named["name"]?.stringValue ?? ""
                        let word = known[own] ?? own
                        return Fact(
                            rule: .stateWord, key: "\(table.key): \(word)", words: named["means"] ?? .null,
                            location: GateLocation(
                                file: path, pointer: JSONPointer(tokens: [table.key, list, word])),
                            place: JSONPointer(tokens: ["machines", String(index), list, String(number)]),
                            subject: word, parents: [table.id])
                    }
                }
                return [table] + meanings
                    + rows.keys.sorted().flatMap { key -> [Fact] in
                        // Rows of one state and input are the possible reactions, in any order.
                        guard let answers = rows[key] else { return [] }
                        let sorted = answers.sorted { $0.text(sortedKeys: true) < $1.text(sortedKeys: true) }
                        let row = Fact(
                            rule: .stateRow, key: key, value: .array(sorted),
                            location: GateLocation(file: path, pointer: JSONPointer(tokens: [key])), place: places[key],
                            subject: key.split(separator: " ").last.map(String.init) ?? name,
                            obliged: [GateParty(role)], parents: [table.id])
                        let clauses = Set((alternatives[key] ?? []).flatMap { $0["clauses"]?.arrayValue ?? [] })
                        return [
                            row,
                            Fact(
                                rule: .stateClause, key: key,
                                value: .array(clauses.sorted { $0.text() < $1.text() }),
                                location: GateLocation(file: path, pointer: JSONPointer(tokens: [key, "clauses"])),
                                place: row.place, subject: row.subject, parents: [row.id]),
                        ]
                    }
            }
        }
    }

    /// The old names of renamed entries, which have the same meaning, by their new names.
    private static func names(_ list: String, of machine: JSONValue, as other: JSONValue?) -> [String: String] {
        func meanings(_ machine: JSONValue?) -> [String: JSONValue] {
            Dictionary(
                (machine?[list]?.arrayValue ?? []).map { ($0["name"]?.stringValue ?? "", $0["means"] ?? .null) },
                uniquingKeysWith: { first, _ in first })
        }
        let (was, now) = (meanings(other), meanings(machine))
        let gone = was.filter { now[$0.key] == nil }
        let fresh = now.filter { was[$0.key] == nil }
        return fresh.compactMapValues { meaning in
            let same = gone.filter { $0.value == meaning }
            let isAlone = fresh.values.count { $0 == meaning } == 1
            return isAlone && same.count == 1 && !meaning.isNull ? same.first?.key : nil
        }
    }

    /// Merges rows of one state and input that differ only in whether a condition holds.
    private static func merged(_ rows: [JSONValue]) -> [JSONValue] {
        var rows = rows
        var index = 0
        while index < rows.count {
            let other = rows.indices.lazy.compactMap { other in
                other == index ? nil : merged(rows[index], rows[other]).map { (other, $0) }
            }.first
            guard let (place, both) = other else {
                index += 1
                continue
            }
            rows[min(index, place)] = both
            rows.remove(at: max(index, place))
            index = 0
        }
        return rows
    }

    /// The common row of two that differ only in whether a condition holds; nil for other rows.
    private static func merged(_ one: JSONValue, _ other: JSONValue) -> JSONValue? {
        func list(_ row: JSONValue, _ key: String) -> [JSONValue] { row["when"]?[key]?.arrayValue ?? [] }
        func rest(_ row: JSONValue, without condition: (String, JSONValue)? = nil) -> JSONValue {
            var row = row
            var when = row["when"]?.objectValue ?? [:]
            for key in conditions.flatMap({ [$0.0, $0.1] }) {
                let left = list(row, key).filter { key != condition?.0 || $0 != condition?.1 }
                when[key] = left.isEmpty ? nil : .array(left.sorted { $0.text() < $1.text() })
            }
            row["when"] = when.isEmpty ? nil : .object(when)
            row["clauses"] = nil
            row["note"] = nil
            return row
        }
        for (yes, no) in conditions {
            for value in list(one, yes) where list(other, no).contains(value) {
                let same = rest(one, without: (yes, value))
                if same == rest(other, without: (no, value)) { return same }
            }
        }
        return nil
    }

    private static let conditions = [("with", "without"), ("if", "unless")]
}
