import Holdfast
import HoldfastJSON

// A server at rest: no faults, and nothing under way.
extension ServerWorld {
    mutating func heal() {
        dropRules()
        isUnreachable = false
        answerReads()
        for (number, connection) in connections.sorted(by: { $0.key < $1.key }) where connection.isStuck {
            connections[number]?.isStuck = false
            connections[number]?.state = .over
            effects.append(.cut(connection: number, .reset))
        }
    }

    /// Answers everything that was held back, with the current state.
    mutating func answerReads() {
        withholdsReads = false
        while let it = held.first {
            held.removeFirst()
            answer(it, asAsked: false)
        }
    }

    /// Reserves this many turn numbers for messages of others; returns the first.
    mutating func reserve(_ count: Int) -> Int {
        lastTurn += count
        return lastTurn - count + 1
    }

    /// The running turns of existing sessions, oldest first.
    var runningTurns: [Int] {
        turns.values.filter { $0.status == .running && index(of: $0.session) != nil }.map(\.number).sorted()
    }

    /// The messages of a session that a person sees, in order.
    func history(of session: String) -> [String] {
        index(of: session).map { sessions[$0].messages.filter { $0.role != .system }.map(\.id) } ?? []
    }

    /// The messages of a session that were sent on an open connection.
    func shownMessages(of session: String) -> [String] {
        let shownIDs = connections.values.filter { $0.state == .greeted }.reduce(into: Set<String>()) {
            $0 = $0.union($1.shownIDs)
        }
        return history(of: session).filter(shownIDs.contains)
    }

    /// Notes that a session is compared with a screen now, and returns its messages.
    mutating func compare(_ session: String) -> [String] {
        comparedAt[session] = index(of: session).map { sessions[$0].updatedAt }
        return history(of: session)
    }

    /// The sessions that have changed since they were compared, most recently changed first.
    var changedSessions: [String] {
        newestSessions.filter { session in index(of: session).map { sessions[$0].updatedAt } != comparedAt[session] }
    }

    /// The sessions, most recently changed first.
    var newestSessions: [String] { sessions.sorted { $0.updatedAt > $1.updatedAt }.map(\.id) }
}
