import Holdfast

/// The rules of a scenario, and what became of them.
struct WorldRules {
    struct Entry {
        let rule: ClientRule
        /// The conversations as they were when the rule was made.
        let sessions: [ServerWorld.Session]
        var left: Int?
        var uses = 0
    }

    private(set) var entries: [Entry] = []

    mutating func add(_ rule: ClientRule, seeing sessions: [ServerWorld.Session]) {
        entries.append(Entry(rule: rule, sessions: sessions, left: rule.times))
    }

    /// The newest rule that still holds for what came, which is used by this.
    mutating func use(_ comes: ClientRule.Arrival, session: String? = nil) -> Entry {
        let place = entries.lastIndex { entry in
            entry.rule.comes == comes && entry.left != 0 && (entry.rule.session == nil || entry.rule.session == session)
        }
        guard let place else { return Entry(rule: ClientRule(comes), sessions: [], left: nil) }
        entries[place].uses += 1
        entries[place].left = entries[place].left.map { $0 - 1 }
        return entries[place]
    }

    /// Rules that were made for something and never used, in words such as `read hold`.
    var unused: [String] {
        entries.filter { $0.uses == 0 && ($0.rule.then != .serve || $0.rule.greeting != nil) }.map { entry in
            let session = entry.rule.session.map { " \($0)" } ?? ""
            return "\(entry.rule.comes.rawValue) \(entry.rule.then.rawValue)\(session)"
        }
    }
}
