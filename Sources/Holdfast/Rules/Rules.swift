/// An ordered list of rules, with a count of how often each was applied.
package struct Rules: Sendable {
    package struct Entry: Sendable {
        package let rule: Rule
        package fileprivate(set) var uses = 0
        /// The count of matching events on each open connection.
        fileprivate var seen: [Int: Int] = [:]

        /// How often it may still be applied.
        package var usesLeft: Int { (rule.times ?? .max) - uses }
    }

    package private(set) var entries: [Entry] = []

    package init(_ rules: [Rule] = []) {
        for rule in rules { add(rule) }
    }

    package var isEmpty: Bool { entries.isEmpty }

    package var unused: [Rule] { entries.filter { $0.uses == 0 }.map(\.rule) }

    package mutating func add(_ rule: Rule) { entries.append(Entry(rule: rule)) }

    /// Replaces the rules with the same action.
    package mutating func set(_ rule: Rule) {
        entries.removeAll { $0.rule.action == rule.action }
        add(rule)
    }

    /// The index of the rule to apply to an event: the first match, or the newest.
    ///
    /// A rule about the nth event counts every matching event, even one to which another rule is applied.
    package mutating func follow(
        _ arrival: Rule.Arrival, on connection: Int = 0, doing action: Rule.Action? = nil, newest: Bool = false
    ) -> Int? {
        var found: Int?
        let indices = Array(entries.indices)
        for index in newest ? indices.reversed() : indices {
            let rule = entries[index].rule
            guard found == nil || rule.index != nil, entries[index].usesLeft > 0, action ?? rule.action == rule.action,
                rule.applies(to: arrival)
            else { continue }
            entries[index].seen[connection, default: 0] += 1
            guard found == nil, rule.index == nil || rule.index == entries[index].seen[connection] else { continue }
            entries[index].uses += 1
            found = index
        }
        return found
    }

    /// The first rule that matches an event, counted as applied.
    package mutating func rule(
        for arrival: Rule.Arrival, on connection: Int = 0, doing action: Rule.Action? = nil
    ) -> Rule? {
        follow(arrival, on: connection, doing: action).map { entries[$0].rule }
    }

    /// Uncounts one use of a rule, because its effect never happened.
    package mutating func giveBack(_ rule: Rule) {
        guard let index = entries.firstIndex(where: { $0.rule == rule && $0.uses > 0 }) else { return }
        entries[index].uses -= 1
    }

    package mutating func forget(_ connection: Int) {
        for index in entries.indices { entries[index].seen[connection] = nil }
    }
}
