import Foundation
import Holdfast
import Judge
import Reference
import Report
import Stage

/// Runs the suite against the reference server: healthy, varied, and broken in each named way.
///
/// A defect that shows to whoever has a URL is put into a server of this process. The healthy server, the variations and the
/// defects of crashes and faults are servers of their own, this same program started again, which can be killed.
struct KillMatrix {
    let specification: Specification
    let scenarios: [Scenario]
    var showsProgress = false

    /// Broken servers of this process that are met at the same time; nearly all of the time they are waited for.
    private static let jobs = 12
    /// Servers of their own that are met at the same time; each is started many times.
    private static let startedJobs = 3
    /// How often a server with a defect of crashes is killed, at each attempt: most show at once, and one that shows in 15 % of
    /// the kills escapes all of them once in four hundred million times.
    private static let kills = [4, 16, 40, 60]
    /// A variation is killed so often that a wrong verdict on a crash shows, and too seldom to prove anything.
    private static let killsOfVariations = 3

    /// What became of each defect and variation.
    struct Result {
        var peers: [Peer] = []
        /// Defects of clauses that have no check yet; nothing can catch them.
        var waiting: [Defect] = []
        /// Clauses with a check that neither a caught defect nor a transcript among the fixtures breaks.
        var unbroken: [ClauseID] = []
        /// Clauses that only a transcript breaks.
        var shownByTranscript: [ClauseID] = []
        var duration = Duration.zero

        /// Whether the healthy server and all variations are green, every defect is caught by its own clause, and no check
        /// is without something that it catches.
        var holds: Bool { !peers.isEmpty && peers.allSatisfy(\.holds) && unbroken.isEmpty && waiting.isEmpty }
    }

    /// One server under test.
    struct Peer: Sendable {
        enum Kind: String { case healthy, variation, defect }

        let kind: Kind
        let name: String
        /// The clause a defect breaks.
        let clause: ClauseID?
        /// The clauses that were violated.
        let violated: [ClauseID]
        /// What the suite itself did wrong.
        let problems: [String]
        /// Clauses that a green peer leaves unproved.
        let unproved: [ClauseID]
        /// How often it was tried.
        var attempts = 1
        /// What was seen at the last attempt, when the suite says what is not true.
        var report: RunReport?

        /// A defect nobody met.
        static func unmet(_ defect: Defect) -> Peer {
            Peer(kind: .defect, name: defect.name, clause: defect.clause, violated: [], problems: [], unproved: [])
        }

        /// Whether the suite says of this peer what is true.
        var holds: Bool {
            guard let clause else { return violated.isEmpty && problems.isEmpty && unproved.isEmpty }
            return violated.contains(clause)
        }
    }

    /// Meets all of them; `isWhole` when no defect was left out, so that each clause must have been shown to catch.
    func run(defects: [Defect], variations: [Variation], isWhole: Bool) async throws -> Result {
        let began = ContinuousClock.now
        var result = Result()
        result.waiting = defects.filter { Checks.check(of: $0.clause) == nil }
        let defects = defects.filter { Checks.check(of: $0.clause) != nil }
        let meter = Meter(total: 1 + defects.count + variations.count, isShown: showsProgress)
        let whole = try Selection([], role: .server, of: specification, scenarios: scenarios)
        result.peers.append(try await meter.counting("healthy") { try await started(.healthy, "healthy", whole) })
        result.peers += try await each(variations, Self.startedJobs) { variation in
            try await meter.counting(variation.name) {
                try await started(.variation, variation.name, whole, kills: Self.killsOfVariations)
            }
        }
        let needsStart = { (defect: Defect) in defect.need == .restart || defect.need == .storageFault }
        let here = try await each(defects.filter { !needsStart($0) }, Self.jobs) { defect in
            try await meter.counting(defect.name) { try await inProcess(defect) }
        }
        let apart = try await each(defects.filter(needsStart), Self.startedJobs) { defect in
            try await meter.counting(defect.name) { try await killed(defect) }
        }
        let byName = Dictionary((here + apart).map { ($0.name, $0) }, uniquingKeysWith: { $1 })
        result.peers += defects.compactMap { byName[$0.name] }
        meter.end()
        if isWhole { try account(&result) }
        result.duration = .now - began
        return result
    }

    /// Which checks were seen to catch something.
    private func account(_ result: inout Result) throws {
        let caught = Set(result.peers.filter(\.holds).compactMap(\.clause))
        let shown = try Tool.fixtures(of: specification).brokenByTranscripts
        let others = Checks.all.map(\.clause).filter { !caught.contains($0) }
        result.shownByTranscript = others.filter(shown.contains)
        result.unbroken = others.filter { !shown.contains($0) }
    }

    /// Does something for each item, so many at a time, and returns the results in order.
    private func each<Item: Sendable>(
        _ items: [Item], _ jobs: Int, _ meet: @escaping @Sendable (Item) async throws -> Peer
    ) async throws -> [Peer] {
        try await withThrowingTaskGroup(of: (Int, Peer).self) { group in
            var waiting = items.enumerated().makeIterator()
            var done: [(Int, Peer)] = []
            func begin() {
                guard let (place, item) = waiting.next() else { return }
                group.addTask { (place, try await meet(item)) }
            }
            for _ in 0..<jobs { begin() }
            while let peer = try await group.next() {
                done.append(peer)
                begin()
            }
            return done.sorted { $0.0 < $1.0 }.map(\.1)
        }
    }

    // MARK: peers

    private func selection(of defect: Defect) throws -> Selection {
        try Selection([defect.clause.description], role: .server, of: specification, scenarios: scenarios)
    }

    /// A server of this process with a defect; what only a started one can show is left out.
    ///
    /// A defect that was not caught with little patience is met again with all of it: on a busy machine a scenario may give
    /// up on a server that is only slow, before it comes to what is broken.
    private func inProcess(_ defect: Defect) async throws -> Peer {
        var last: Peer?
        for (attempt, patience) in [ReferenceInProcess.patience, nil].enumerated() {
            let report = try await ReferenceInProcess(defect: defect, patience: patience).run { subject in
                try await ServerSuite(
                    subject: subject, specification: specification, selection: selection(of: defect),
                    scope: Scope(skipsCrashes: true), jobs: 8
                ).run()
            }
            var peer = peer(from: report, .defect, defect.name, clause: defect.clause)
            peer.attempts = attempt + 1
            if peer.holds { return peer }
            last = peer
        }
        return last ?? .unmet(defect)
    }

    /// A server of its own with a defect of crashes or faults: killed a few times, then more often, until it is caught.
    private func killed(_ defect: Defect) async throws -> Peer {
        var last: Peer?
        for (attempt, kills) in Self.kills.enumerated() {
            var peer = try await started(
                .defect, defect.name, selection(of: defect), clause: defect.clause, kills: kills)
            peer.attempts = attempt + 1
            if peer.holds { return peer }
            last = peer
        }
        return last
            ?? Peer(
                kind: .defect, name: defect.name, clause: defect.clause, violated: [], problems: [], unproved: [])
    }

    private func started(
        _ kind: Peer.Kind, _ name: String, _ selection: Selection, clause: ClauseID? = nil, kills: Int? = nil
    ) async throws -> Peer {
        var reference = ReferenceSubject()
        switch kind {
        case .healthy: break
        case .variation: reference.variations = [name]
        case .defect: reference.defects = [name]
        }
        if kind != .healthy { reference.replayFrames = ReferenceInProcess.replayFrames }
        var subject = try reference.subject()
        if let kills { subject.kills = kills }
        if kind == .defect { subject.timeouts = subject.timeouts.capped(at: ReferenceInProcess.patience) }
        let report = try await Services.run(for: subject) { subject in
            try await ServerSuite(subject: subject, specification: specification, selection: selection, jobs: 8).run()
        }
        return peer(from: report, kind, name, clause: clause)
    }

    private func peer(from report: RunReport, _ kind: Peer.Kind, _ name: String, clause: ClauseID?) -> Peer {
        let broken = report.clauses(.violation) + report.clauses(.warning)
        var unproved = report.clauses(.untested) + report.clauses(.harnessError)
        // A few kills prove nothing, and are not meant to.
        if kind == .healthy { unproved += report.clauses(.inconclusive) }
        var peer = Peer(
            kind: kind, name: name, clause: clause, violated: broken.map(\.clause.id),
            problems: report.scenarios.flatMap { scenario in scenario.problems.map { "\(scenario.name): \($0)" } },
            unproved: kind == .defect ? [] : unproved.map(\.clause.id))
        if !peer.holds { peer.report = report }
        return peer
    }
}
