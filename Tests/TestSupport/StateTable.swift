import Holdfast
import HoldfastJSON

/// One table of `Spec/states/`: what follows when something comes in a state.
package struct StateTable: Sendable {
    /// What one row says.
    package struct Row: Sendable, CustomStringConvertible {
        package let state, input, next: String
        package let with, without: Set<Profile>
        /// What else has to hold, in words.
        package let also: String?
        package let answer: [Act]

        /// Whether it speaks of what comes in a state when these facts hold.
        package func applies(_ state: String, _ input: String, _ facts: Facts) -> Bool {
            self.state == state && self.input == input && with.isSubset(of: facts.kept)
                && without.isDisjoint(with: facts.kept) && also.map(facts.words.contains) ?? true
        }

        package var description: String {
            let profiles = [("with", with), ("without", without)].filter { !$1.isEmpty }.map {
                "\($0) \($1.sorted().map(\.rawValue).joined(separator: ", "))"
            }
            let when = profiles + (also.map { ["(\($0))"] } ?? [])
            let acts = answer.isEmpty ? "nothing" : answer.map(\.description).joined(separator: ", ")
            return ([state, "×", input] + when + ["→", acts, "→", next]).joined(separator: " ")
        }
    }

    /// One thing that is done.
    package struct Act: Sendable, CustomStringConvertible {
        package let verb: String
        package let what: String?
        package let codes, members, absent: [String]
        package let closeCodes: [Int]
        package let values: [String: JSONValue]
        /// Where a server sends it: `all`, `others`, or nil for this connection alone.
        package let to: String?
        package let isOptional: Bool

        package var description: String {
            let codes = codes + closeCodes.map(String.init)
            return
                ([verb, what, codes.isEmpty ? nil : codes.joined(separator: "|"), to.map { "to \($0)" }] as [String?])
                .compactMap(\.self).joined(separator: " ") + (isOptional ? "?" : "")
        }

        /// Whether a frame is one of those it speaks of.
        package func isMet(by frame: JSONValue) -> Bool {
            frame["type"]?.stringValue == what && members.allSatisfy { frame[$0] != nil }
                && absent.allSatisfy { frame[$0] == nil } && values.allSatisfy { frame[$0.key] == $0.value }
                && (codes.isEmpty || frame["code"]?.stringValue.map(codes.contains) == true)
        }

        /// Whether a close code is one of those it speaks of.
        package func isMet(byClose code: Int) -> Bool {
            closeCodes.isEmpty ? code != 4001 && code != 4010 : closeCodes.contains(code)
        }
    }

    /// What holds when something comes.
    package struct Facts: Sendable {
        /// The profiles of this side.
        package var kept: Set<Profile>
        /// Conditions and choices in the words of the table.
        package var words: Set<String>

        package init(kept: Set<Profile>, words: Set<String> = []) { (self.kept, self.words) = (kept, words) }
    }

    package let name: String
    package let states, inputs: [String]
    package let rows: [Row]

    /// The table of a role, as it stands in the checkout.
    package init(_ role: Role, _ name: String) throws {
        let file = try JSONParser.value(SourceTree.text("Spec/states/\(role.rawValue).json"))
        let machines = file["machines"]?.arrayValue ?? []
        guard let machine = machines.first(where: { $0["name"]?.stringValue == name }) else {
            throw Missing(name: name)
        }
        self.name = "\(role.rawValue).json \(name)"
        states = Self.texts(machine["states"]) { $0["name"]?.stringValue }
        inputs = Self.texts(machine["inputs"]) { $0["name"]?.stringValue }
        rows = (machine["rows"]?.arrayValue ?? []).map(Self.row)
    }

    struct Missing: Error { let name: String }

    private static func texts(
        _ value: JSONValue?, _ text: (JSONValue) -> String? = { $0.stringValue }
    ) -> [String] { (value?.arrayValue ?? []).compactMap(text) }

    private static func row(_ row: JSONValue) -> Row {
        let when = row["when"]
        func profiles(_ name: String) -> Set<Profile> { Set(texts(when?[name]).compactMap(Profile.init)) }
        return Row(
            state: row["state"]?.stringValue ?? "", input: row["input"]?.stringValue ?? "",
            next: row["next"]?.stringValue ?? "", with: profiles("with"), without: profiles("without"),
            also: when?["also"]?.stringValue,
            answer: (row["answer"]?.arrayValue ?? []).map(act))
    }

    private static func act(_ act: JSONValue) -> Act {
        let values = act["values"]?.objectValue.map { Dictionary($0.map { ($0.key, $0.value) }) { $1 } }
        return Act(
            verb: act["do"]?.stringValue ?? "", what: act["what"]?.stringValue, codes: texts(act["codes"]),
            members: texts(act["members"]), absent: texts(act["absent"]),
            closeCodes: (act["closeCodes"]?.arrayValue ?? []).compactMap(\.intValue), values: values ?? [:],
            to: act["to"]?.stringValue, isOptional: act["optional"]?.boolValue == true)
    }
}

/// Holds what a core does against a table: every row is seen, or left out for a reason; every state and input has a row, or
/// has none for a reason.
package struct StateTableCheck {
    /// What a test knows beforehand.
    package struct Exception: Sendable {
        let pattern, reason: String

        /// Rows whose text, or a state and input whose text, begins with the pattern; `*` stands for anything.
        package init(_ pattern: String, _ reason: String) { (self.pattern, self.reason) = (pattern, reason) }

        package func covers(_ text: String) -> Bool {
            let parts = pattern.split(separator: "*", omittingEmptySubsequences: false)
            var rest = text[...]
            for (index, part) in parts.enumerated() where !part.isEmpty {
                guard let place = rest.firstRange(of: part), index > 0 || place.lowerBound == text.startIndex else {
                    return false
                }
                rest = rest[place.upperBound...]
            }
            return true
        }
    }

    package let table: StateTable
    /// What does not agree, the first of each state and input, and how many there were.
    private var problems: [String: (first: String, count: Int)] = [:]
    private var seen: Set<Int> = []
    private var lacking: Set<String> = []

    package init(_ table: StateTable) { self.table = table }

    /// Takes in what was seen once: one of the rows that apply has to say so.
    ///
    /// - Parameters:
    ///   - state: Where it was.
    ///   - input: What came.
    ///   - facts: What holds meanwhile.
    ///   - observed: What was done, in words.
    ///   - isMet: Whether what was done, and where it led, is what a row says.
    package mutating func saw(
        _ state: String, _ input: String, _ facts: StateTable.Facts, _ observed: @autoclosure () -> String,
        isMet: (StateTable.Row) -> Bool
    ) {
        let rows = table.rows.indices.filter { table.rows[$0].applies(state, input, facts) }
        let profiles = facts.kept.sorted().map(\.rawValue).joined(separator: ", ")
        guard !rows.isEmpty else {
            lacking.insert("\(state) × \(input) with \(profiles)")
            return
        }
        let met = rows.filter { isMet(table.rows[$0]) }
        seen.formUnion(met)
        guard met.isEmpty else { return }
        let place = "\(state) × \(input) \(facts.words.sorted())"
        guard problems[place] == nil else {
            problems[place]?.count += 1
            return
        }
        let said = rows.map { "row \($0): \(table.rows[$0])" }.joined(separator: "\n    ")
        let first = "with \(profiles) it did \(observed())\n    \(said)"
        problems[place] = (first, 1)
    }

    /// Everything that does not agree, once all was seen.
    package func verdict(unseen: [Exception], rowless: [Exception]) -> [String] {
        var problems = problems.map { "\(table.name): \($0), \($1.count) times, \($1.first)" }
        for index in table.rows.indices where !seen.contains(index) {
            let text = table.rows[index].description
            if unseen.contains(where: { $0.covers(text) }) { continue }
            problems.append("\(table.name): row \(index) was never seen, and no reason is given: \(text)")
        }
        for pair in lacking.sorted() where !rowless.contains(where: { $0.covers(pair) }) {
            problems.append("\(table.name): no row for \(pair), and no reason is given")
        }
        let unseenRows = table.rows.indices.filter { !seen.contains($0) }.map { table.rows[$0].description }
        for exception in unseen where !unseenRows.contains(where: exception.covers) {
            problems.append("\(table.name): '\(exception.pattern)' is seen, or is no row; take the reason out")
        }
        for exception in rowless where !lacking.contains(where: exception.covers) {
            problems.append("\(table.name): '\(exception.pattern)' has rows, or never comes; take the reason out")
        }
        return problems
    }
}
