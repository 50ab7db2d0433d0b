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
    /// Failures of the suite itself.
    var problems: [String] = []
    /// Clauses that a green peer leaves unproved.
    var unproved: [ClauseID] = []
    /// How often it was tried.
    var attempts = 1
    /// The arguments that find its violation again, in the scenario that showed it; nil if it was not caught.
    var selector: String?
    /// Whether a second run of that alone found the breach again; nil when there was none.
    var isRepeated: Bool?
    /// The clause that a whole report would name first for what the defect breaks; nil where nothing of it was found.
    var head: ClauseID?
    /// Whether the machine was late for a good part of the time: then little is proved, and a client gives up early.
    var wasLate = false
    /// The last report, if the suite is wrong.
    var report: RunReport?

    /// A defect that no run could show.
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
        return violated.contains(clause) && isRepeated != false
    }
}

extension KillMatrixPeer {
    /// Runs again what a report advises to run again, until the breach is found, and tells whether it was.
    ///
    /// A breach that depends on the moment need not show each time.
    func repeated(_ run: (_ selector: String) async throws -> RunReport) async throws -> KillMatrixPeer {
        guard let selector, let clause, holds else { return self }
        var peer = self
        for _ in 0..<Self.repetitions where peer.isRepeated != true {
            let report = try await run(selector)
            peer.isRepeated = report.clauses.contains {
                $0.clause.id == clause && [.violation, .warning].contains($0.outcome)
            }
            if peer.isRepeated == false { peer.report = report }
        }
        if peer.holds { peer.report = nil }
        return peer
    }

    private static let repetitions = 4

    /// The result of a peer's report; with `provesAll`, inconclusive evidence counts against it.
    init(
        _ report: RunReport, _ kind: Kind, _ name: String, clause: ClauseID? = nil, unkeepable: [ClauseID] = [],
        provesAll: Bool
    ) {
        // A defect that only a kill or a full disk shows is not met.
        let met = unkeepable.filter { !report.setAside.contains($0) }
        self.init(kind: kind, name: name, clause: clause, unkeepable: met)
        violated = (report.clauses(.violation) + report.clauses(.warning)).map(\.clause.id)
        problems = report.scenarios.flatMap { scenario in scenario.problems.map { "\(scenario.name): \($0)" } }
        if kind != .defect {
            let open = report.clauses(.untested) + report.clauses(.harnessError)
            unproved = (open + (provesAll ? report.clauses(.inconclusive) : [])).map(\.clause.id)
        }
        selector = report.clauses.first { $0.clause.id == clause && violated.contains($0.clause.id) }
            .map(report.selector)
        head = clause.flatMap(report.head)
        if !holds { self.report = report }
        let late = report.scenarios.reduce(Duration.zero) { $0 + $1.history.header.timeLate }
        let whole = report.scenarios.reduce(Duration.zero) { $0 + $1.duration }
        wasLate = late * 10 > whole
    }
}
