import HoldfastJSON
import HoldfastPlatform

/// One table of `Spec/states/`: the transition for each state and input.
package struct StateTable: Sendable {
    package struct Row: Sendable {
        package let state, input, next: String
        /// The profiles required for it, and those that exclude it.
        package let with, without: Set<Profile>
        /// The conditions required for it, and those that exclude it.
        package let conditions, exclusions: Set<String>
        package let answer: [Act]
        /// The clauses it follows from.
        package let clauses: [ClauseID]
    }

    package struct Act: Sendable {
        /// The kind of act, such as `send` or `show`.
        package let verb: String
        /// The thing that is sent, requested or shown.
        package let what: String?
        /// The codes of an error or of a close frame.
        package let codes: [String]
        /// Members that are present, and members that are absent.
        package let members, absent: [String]
        package let values: [String: JSONValue]
        /// A server's recipients: `all`, `others`, or nil for this connection only.
        package let to: String?
        package let isOptional: Bool
    }

    package let name: String
    package let states, inputs, conditions: [String]
    package let rows: [Row]
    private let places: [Pair: [Int]]

    private struct Pair: Hashable {
        let state, input: String
    }

    package init?(_ role: Role, _ name: String, in files: SpecificationFiles) {
        let file = files.json("states/\(role.rawValue).json")
        let machines = file?["machines"]?.arrayValue ?? []
        guard let machine = machines.first(where: { $0["name"]?.stringValue == name }) else { return nil }
        self.name = "\(role.rawValue).json \(name)"
        states = Self.texts(machine["states"]) { $0["name"]?.stringValue }
        inputs = Self.texts(machine["inputs"]) { $0["name"]?.stringValue }
        conditions = Self.texts(machine["conditions"]) { $0["name"]?.stringValue }
        rows = (machine["rows"]?.arrayValue ?? []).map(Self.row)
        places = Dictionary(grouping: rows.indices) { [rows] in Pair(state: rows[$0].state, input: rows[$0].input) }
    }

    /// The indices of the rows for an input in a state; several if there is a choice.
    package func places(of state: String, _ input: String) -> [Int] { places[Pair(state: state, input: input)] ?? [] }

    private static func texts(
        _ value: JSONValue?, _ text: (JSONValue) -> String? = { $0.stringValue }
    ) -> [String] { (value?.arrayValue ?? []).compactMap(text) }

    private static func row(_ row: JSONValue) -> Row {
        let when = row["when"]
        func profiles(_ name: String) -> Set<Profile> { Set(texts(when?[name]).compactMap(Profile.init)) }
        return Row(
            state: row["state"]?.stringValue ?? "", input: row["input"]?.stringValue ?? "",
            next: row["next"]?.stringValue ?? "", with: profiles("with"), without: profiles("without"),
            conditions: Set(texts(when?["if"])), exclusions: Set(texts(when?["unless"])),
            answer: (row["answer"]?.arrayValue ?? []).map(act),
            clauses: texts(row["clauses"]).compactMap { ClauseID($0) })
    }

    private static func act(_ act: JSONValue) -> Act {
        let values = act["values"]?.objectValue.map { Dictionary($0.map { ($0.key, $0.value) }) { $1 } }
        return Act(
            verb: act["do"]?.stringValue ?? "", what: act["what"]?.stringValue,
            codes: texts(act["codes"]) + texts(act["closeCodes"]) { $0.intValue.map(String.init) },
            members: texts(act["members"]), absent: texts(act["absent"]), values: values ?? [:],
            to: act["to"]?.stringValue, isOptional: act["optional"]?.boolValue == true)
    }
}

/// The tables of a specification, each read on first use.
final class StateTables: Sendable {
    private let files: SpecificationFiles
    private let read = Mutex<[String: StateTable]>([:])

    init(_ files: SpecificationFiles) { self.files = files }

    subscript(role: Role, name: String) -> StateTable? {
        let key = "\(role.rawValue) \(name)"
        if let known = read.withLock({ $0[key] }) { return known }
        let table = StateTable(role, name, in: files)
        read.withLock { $0[key] = table }
        return table
    }
}
