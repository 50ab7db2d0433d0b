import Holdfast
import HoldfastReport

/// One server or client that the suites were run against, and what they said of it.
struct KillMatrixPeer: Sendable {
    enum Kind: String { case healthy, variation, wire, defect }

    let kind: Kind
    let name: String
    /// The clause a defect breaks.
    let clause: ClauseID?
    var violated: [ClauseID] = []
    /// The clauses that its wire cannot keep.
    var unkeepable: [ClauseID] = []
    /// What the suite itself did wrong.
    var problems: [String] = []
    /// Clauses that a green peer leaves unproved.
    var unproved: [ClauseID] = []
    /// How often it was tried.
    var attempts = 1
    /// Whether the machine was late for a good part of the time: then little is proved, and a client gives up early.
    var wasLate = false
    /// What was seen at the last attempt, when the suite says what is not true.
    var report: RunReport?

    /// A defect nobody met.
    static func unmet(_ name: String, _ clause: ClauseID) -> KillMatrixPeer {
        KillMatrixPeer(kind: .defect, name: name, clause: clause)
    }

    /// Whether the suite says of this peer what is true.
    var holds: Bool {
        guard let clause else {
            if kind == .wire {
                // Frames without names prove little: what the wire cannot keep is broken or not met, and nothing else is broken.
                let unbroken = Set(unkeepable).subtracting(violated)
                return violated.allSatisfy(unkeepable.contains) && unbroken.isSubset(of: unproved) && problems.isEmpty
            }
            return violated.isEmpty && problems.isEmpty && unproved.isEmpty
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
        // What only a kill or a full disk shows is not met.
        let met = unkeepable.filter { !report.setAside.contains($0) }
        self.init(kind: kind, name: name, clause: clause, unkeepable: met)
        violated = (report.clauses(.violation) + report.clauses(.warning)).map(\.clause.id)
        problems = report.scenarios.flatMap { scenario in scenario.problems.map { "\(scenario.name): \($0)" } }
        if kind != .defect {
            let open = report.clauses(.untested) + report.clauses(.harnessError)
            unproved = (open + (provesAll ? report.clauses(.inconclusive) : [])).map(\.clause.id)
        }
        if !holds { self.report = report }
        let late = report.scenarios.reduce(Duration.zero) { $0 + $1.history.header.timeLate }
        let whole = report.scenarios.reduce(Duration.zero) { $0 + $1.duration }
        wasLate = late * 10 > whole
    }
}
