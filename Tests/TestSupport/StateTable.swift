import Holdfast
import HoldfastJSON

extension StateTable {
    /// What holds when something comes.
    package struct Facts: Sendable {
        /// The profiles of this side.
        package var kept: Set<Profile>
        /// The conditions of the table that hold.
        package var conditions: Set<String>

        package init(kept: Set<Profile>, conditions: Set<String> = []) {
            (self.kept, self.conditions) = (kept, conditions)
        }
    }

    /// The table of a role, as it stands in the checkout.
    package init(_ role: Role, _ name: String) throws {
        guard let table = StateTable(role, name, in: try SpecificationFiles(folder: SourceTree.root + "/Spec")) else {
            throw Missing(name: name)
        }
        self = table
    }

    struct Missing: Error { let name: String }
}

extension StateTable.Row: CustomStringConvertible {
    /// Whether it speaks of what comes in a state when these facts hold.
    package func applies(_ state: String, _ input: String, _ facts: StateTable.Facts) -> Bool {
        self.state == state && self.input == input && with.isSubset(of: facts.kept)
            && without.isDisjoint(with: facts.kept) && conditions.isSubset(of: facts.conditions)
            && exclusions.isDisjoint(with: facts.conditions)
    }

    package var description: String {
        let profiles = [("with", with), ("without", without)].filter { !$1.isEmpty }.map {
            "\($0) \($1.sorted().map(\.rawValue).joined(separator: ", "))"
        }
        let when =
            profiles
            + [("if", conditions), ("unless", exclusions)].filter { !$1.isEmpty }.map {
                "\($0) \($1.sorted().joined(separator: ", "))"
            }
        let acts = answer.isEmpty ? "nothing" : answer.map(\.description).joined(separator: ", ")
        return ([state, "×", input] + when + ["→", acts, "→", next]).joined(separator: " ")
    }
}

extension StateTable.Act: CustomStringConvertible {
    package var description: String {
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
        codes.isEmpty ? code != 4001 && code != 4010 : codes.contains(String(code))
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
        let place = "\(state) × \(input) \(facts.conditions.sorted())"
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
        let named = Set(table.rows.flatMap { $0.conditions.union($0.exclusions) })
        for name in named.symmetricDifference(table.conditions).sorted() {
            problems.append("\(table.name): the condition '\(name)' is not declared, or no row asks for it")
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
