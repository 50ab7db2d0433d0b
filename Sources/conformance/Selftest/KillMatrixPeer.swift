import Holdfast
import Report

/// One server or client that the suites were run against, and what they said of it.
struct KillMatrixPeer: Sendable {
    enum Kind: String { case healthy, variation, wire, defect }

    let kind: Kind
    let name: String
    /// The clause a defect breaks.
    let clause: ClauseID?
    /// The clauses that were violated.
    let violated: [ClauseID]
    /// The clauses that its wire cannot keep.
    var unkeepable: [ClauseID] = []
    /// What the suite itself did wrong.
    let problems: [String]
    /// Clauses that a green peer leaves unproved.
    let unproved: [ClauseID]
    /// How often it was tried.
    var attempts = 1
    /// Whether the machine was late for a good part of the time: then little is proved, and a client gives up early.
    var wasLate = false
    /// What was seen at the last attempt, when the suite says what is not true.
    var report: RunReport?

    /// A defect nobody met.
    static func unmet(_ name: String, _ clause: ClauseID) -> KillMatrixPeer {
        KillMatrixPeer(kind: .defect, name: name, clause: clause, violated: [], problems: [], unproved: [])
    }

    /// Whether the suite says of this peer what is true.
    var holds: Bool {
        guard let clause else {
            // Frames without names prove little, and so of a wire nothing counts but what is broken.
            return violated.sorted() == unkeepable && problems.isEmpty && (kind == .wire || unproved.isEmpty)
        }
        return violated.contains(clause)
    }
}

extension KillMatrixPeer {
    /// What a report says of a peer; with `provesAll` evidence that proves nothing counts against it.
    init(
        _ report: RunReport, _ kind: Kind, _ name: String, clause: ClauseID? = nil, unkeepable: [ClauseID] = [],
        provesAll: Bool
    ) {
        let broken = report.clauses(.violation) + report.clauses(.warning)
        var unproved = report.clauses(.untested) + report.clauses(.harnessError)
        if provesAll { unproved += report.clauses(.inconclusive) }
        self.init(
            kind: kind, name: name, clause: clause, violated: broken.map(\.clause.id), unkeepable: unkeepable,
            problems: report.scenarios.flatMap { scenario in scenario.problems.map { "\(scenario.name): \($0)" } },
            unproved: kind == .defect ? [] : unproved.map(\.clause.id))
        if !holds { self.report = report }
        let late = report.scenarios.reduce(Duration.zero) { $0 + $1.history.header.timeLate }
        let whole = report.scenarios.reduce(Duration.zero) { $0 + $1.duration }
        wasLate = late * 10 > whole
    }
}

extension Meter {
    /// Meets a peer.
    func meeting(
        _ name: String, _ meet: () async throws -> KillMatrixPeer
    ) async throws -> KillMatrixPeer {
        try await counting(name, isFlawed: { !$0.holds }, meet)
    }

    /// Meets peers, so many at a time; those that are misjudged and deserve it are met once more, alone.
    func meeting<Item: Sendable>(
        _ items: [Item], named name: @escaping @Sendable (Item) -> String, atOnce jobs: Int,
        again deservesAnother: @escaping @Sendable (KillMatrixPeer) -> Bool,
        _ meet: @escaping @Sendable (Item, _ isAlone: Bool) async throws -> KillMatrixPeer
    ) async throws -> [KillMatrixPeer] {
        var peers = try await inOrder(items, atOnce: jobs) { [self] item in
            begin(name(item))
            let peer = try await meet(item, false)
            if !peer.holds, deservesAnother(peer) {
                repeatLater(name(item))
            } else {
                end(name(item), isFlawed: !peer.holds)
            }
            return peer
        }
        for (place, item) in items.enumerated() where !peers[place].holds && deservesAnother(peers[place]) {
            var peer = try await meeting(name(item)) { try await meet(item, true) }
            peer.attempts += peers[place].attempts
            peers[place] = peer
        }
        return peers
    }
}

/// Does something for each item, so many at a time, and returns the results in order.
func inOrder<Item: Sendable, Result: Sendable>(
    _ items: [Item], atOnce jobs: Int, _ body: @escaping @Sendable (Item) async throws -> Result
) async throws -> [Result] {
    try await withThrowingTaskGroup(of: (Int, Result).self) { group in
        var waiting = items.enumerated().makeIterator()
        var done: [(Int, Result)] = []
        func begin() {
            guard let (place, item) = waiting.next() else { return }
            group.addTask { (place, try await body(item)) }
        }
        for _ in 0..<jobs { begin() }
        while let result = try await group.next() {
            done.append(result)
            begin()
        }
        return done.sorted { $0.0 < $1.0 }.map(\.1)
    }
}
