import Holdfast
import HoldfastReport

struct KillMatrixPeer: Sendable {
    enum Kind: String { case healthy, variation, wire, defect }

    let kind: Kind
    let name: String
    /// The clause that a defect breaks; nil for other peers.
    let clause: ClauseID?
    var violated: [ClauseID] = []
    /// The clauses that its wire format cannot keep.
    var unkeepable: [ClauseID] = []
    var problems: [String] = []
    /// Clauses that a passing peer leaves unproved.
    var unproved: [ClauseID] = []
    var attempts = 1
    /// The argument of `--only` that reruns the scenario which caught the defect; nil if no scenario did.
    var selector: String?
    /// Whether a rerun with this argument found the violation again; nil if there was no rerun.
    var isRepeated: Bool?
    /// The clause that a whole report would name first for the defect; nil if the defect was not found.
    var head: ClauseID?
    /// Whether the machine was overloaded for much of the time: then little is proved, and a client gives up early.
    var wasLate = false
    /// The last report, if the suite misjudged the peer.
    var report: RunReport?

    /// A defect that no run has tested yet.
    static func untested(_ name: String, _ clause: ClauseID) -> KillMatrixPeer {
        KillMatrixPeer(kind: .defect, name: name, clause: clause)
    }

    /// Whether the suite's verdict on this peer is correct.
    var holds: Bool {
        guard let clause else {
            if kind == .wire {
                // Clauses that the wire cannot keep must be broken or unexercised; no other may be broken.
                let unbroken = Set(unkeepable).subtracting(violated)
                return violated.allSatisfy(unkeepable.contains) && unbroken.isSubset(of: unproved) && problems.isEmpty
            }
            return violated.isEmpty && problems.isEmpty && unproved.isEmpty
        }
        return violated.contains(clause) && isRepeated != false
    }
}

extension KillMatrixPeer {
    /// Runs the selection that a report suggests until the violation appears again, and notes whether it did.
    ///
    /// A violation that depends on timing need not appear each time.
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
        // Clauses whose scenarios were set aside, such as those with crashes, need not be broken.
        let mustBreak = unkeepable.filter { !report.setAside.contains($0) }
        self.init(kind: kind, name: name, clause: clause, unkeepable: mustBreak)
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
