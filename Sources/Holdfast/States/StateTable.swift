import HoldfastJSON
import HoldfastPlatform

/// One table of `Spec/states/`: what follows when something comes in a state.
package struct StateTable: Sendable {
    /// What one row says.
    package struct Row: Sendable {
        /// The state and the input that it is about, and the state that follows.
        package let state, input, next: String
        /// The profiles with which, and those without which, it holds.
        package let with, without: Set<Profile>
        /// What else has to hold, in words.
        package let also: String?
        /// What is done about the input.
        package let answer: [Act]
        /// The clauses that it follows from.
        package let clauses: [ClauseID]
    }

    /// One thing that is done.
    package struct Act: Sendable {
        /// The kind of act, such as `send` or `show`.
        package let verb: String
        /// What is sent, asked for or shown.
        package let what: String?
        /// The codes of an error that is sent, or those with which a connection is ended.
        package let codes: [String]
        /// The members that it has, and those that it lacks.
        package let members, absent: [String]
        /// The members whose values are told.
        package let values: [String: JSONValue]
        /// Where a server sends it: `all`, `others`, or nil for this connection alone.
        package let to: String?
        /// Whether it may be left undone.
        package let isOptional: Bool
    }

    /// What it is a table of.
    package let name: String
    /// The names of its states, and of what comes in.
    package let states, inputs: [String]
    /// Its rows, in the order of the file.
    package let rows: [Row]
    private let places: [Pair: [Int]]

    private struct Pair: Hashable {
        let state, input: String
    }

    /// The table of a role; nil where the files have none of that name.
    package init?(_ role: Role, _ name: String, in files: SpecificationFiles) {
        let file = files.texts["states/\(role.rawValue).json"].flatMap { try? JSONParser.value($0) }
        let machines = file?["machines"]?.arrayValue ?? []
        guard let machine = machines.first(where: { $0["name"]?.stringValue == name }) else { return nil }
        self.name = "\(role.rawValue).json \(name)"
        states = Self.texts(machine["states"]) { $0["name"]?.stringValue }
        inputs = Self.texts(machine["inputs"]) { $0["name"]?.stringValue }
        rows = (machine["rows"]?.arrayValue ?? []).map(Self.row)
        places = Dictionary(grouping: rows.indices) { [rows] in Pair(state: rows[$0].state, input: rows[$0].input) }
    }

    /// Which rows say what follows when something comes in a state: more than one where there is a choice.
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
            also: when?["also"]?.stringValue, answer: (row["answer"]?.arrayValue ?? []).map(act),
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

/// The tables of one specification, each read when it is first asked for.
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
