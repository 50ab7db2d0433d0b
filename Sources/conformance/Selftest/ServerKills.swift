import Foundation
import Holdfast
import Reference
import Report
import Stage

/// Runs the suite for servers against the reference server: healthy, varied, and broken in each named way.
///
/// A defect that shows to whoever has a URL is put into a server of this process. The healthy server, the variations and the
/// defects of crashes and faults are servers of their own, this same program started again, which can be killed.
struct ServerKills {
    let specification: Specification
    let scenarios: [Scenario]
    let meter: Meter

    private typealias Peer = KillMatrixPeer

    /// Broken servers of this process that are met at the same time; nearly all of the time they are waited for.
    private static let jobs = 12
    /// Servers of their own that are met at the same time; each is started many times.
    private static let startedJobs = 3
    /// How often a server with a defect of crashes is killed, at each attempt: most show at once, and one that shows in 15 % of
    /// the kills escapes all of them once in four hundred million times.
    private static let kills = [4, 16, 40, 60]
    /// A variation is killed so often that a wrong verdict on a crash shows, and too seldom to prove anything.
    private static let killsOfVariations = 3

    /// Meets all of them.
    func peers(
        _ defects: [Defect], _ variations: [Variation], _ dialects: [Dialect]
    ) async throws -> [KillMatrixPeer] {
        let whole = try Selection([], role: .server, of: specification, scenarios: scenarios)
        let healthy = try await meter.meeting(
            ["healthy"], named: { $0 }, atOnce: 1, again: \.wasLate
        ) { name, isAlone in
            try await started(.healthy, name, whole, isAlone: isAlone)
        }
        let varied = try await meter.meeting(
            variations, named: \.name, atOnce: Self.startedJobs, again: \.wasLate
        ) { variation, isAlone in
            try await started(.variation, variation.name, whole, kills: Self.killsOfVariations, isAlone: isAlone)
        }
        let spoken = try await meter.meeting(
            dialects, named: { KillMatrix.Peers.name(ofDialect: $0.name) }, atOnce: Self.startedJobs, again: \.wasLate
        ) { dialect, isAlone in
            try await speaking(dialect, whole, isAlone: isAlone)
        }
        // Among many and with little patience a scenario may give up on a server that is only slow, before it comes to what is
        // broken: what was not caught so is met again alone and with all patience.
        let here = try await meter.meeting(
            defects.filter { !Self.needsStart($0) }, named: \.name, atOnce: Self.jobs, again: { _ in true }
        ) { defect, isAlone in
            if isAlone { return try await inProcess(defect, patience: nil) }
            return try await byTheWallClock { try await inProcess(defect, patience: ReferenceInProcess.patience) }
        }
        let apart = try await inOrder(defects.filter(Self.needsStart), atOnce: Self.startedJobs) { defect in
            try await meter.meeting(defect.name) { try await killed(defect) }
        }
        let byName = Dictionary((here + apart).map { ($0.name, $0) }, uniquingKeysWith: { $1 })
        return healthy + varied + spoken + defects.compactMap { byName[$0.name] }
    }

    /// Whether only a server that can be killed shows a defect.
    static func needsStart(_ defect: Defect) -> Bool { defect.need == .restart || defect.need == .storageFault }

    private func selection(of defect: Defect) throws -> Selection {
        try Selection([defect.clause.description], role: .server, of: specification, scenarios: scenarios)
    }

    /// A server of this process with a defect; what only a started one can show is left out.
    private func inProcess(_ defect: Defect, patience: Duration?) async throws -> Peer {
        let report = try await ReferenceInProcess(defect: defect, patience: patience).run { subject in
            try await ServerSuite(
                subject: subject, specification: specification, selection: selection(of: defect),
                scope: Scope(skipsCrashes: true), jobs: 8
            ).run()
        }
        return Peer(report, .defect, defect.name, clause: defect.clause, provesAll: false)
    }

    /// A server of its own with a defect of crashes or faults: killed a few times, then more often, until it is caught.
    private func killed(_ defect: Defect) async throws -> Peer {
        var last: Peer?
        for (attempt, kills) in Self.kills.enumerated() {
            func meet() async throws -> Peer {
                try await started(.defect, defect.name, selection(of: defect), clause: defect.clause, kills: kills)
            }
            var peer = attempt == 0 ? try await byTheWallClock(meet) : try await meet()
            peer.attempts = attempt + 1
            if peer.holds { return peer }
            last = peer
        }
        return last ?? .unmet(defect.name, defect.clause)
    }

    /// A healthy server of its own behind the wire of a dialect.
    private func speaking(_ dialect: Dialect, _ selection: Selection, isAlone: Bool) async throws -> Peer {
        var reference = ReferenceSubject()
        reference.dialect = dialect
        // The reference server numbers anew after a restart, and not every wire has a word for that.
        let report = try await report(
            on: reference, selection, scope: Scope(skipsCrashes: true), isAlone: isAlone)
        return Peer(
            report, .wire, KillMatrix.Peers.name(ofDialect: dialect.name),
            unkeepable: dialect.unkeepable.keys.sorted(), provesAll: false)
    }

    private func report(
        on reference: ReferenceSubject, _ selection: Selection, scope: Scope = Scope(), kills: Int? = nil,
        patience: Duration? = nil, isAlone: Bool = false
    ) async throws -> RunReport {
        var subject = try reference.subject()
        if let kills { subject.kills = kills }
        if let patience { subject.timeouts = subject.timeouts.capped(at: patience) }
        return try await Services.run(for: subject) { subject in
            try await ServerSuite(
                subject: subject, specification: specification, selection: selection, scope: scope,
                jobs: isAlone ? KillMatrix.jobsAlone : 8
            ).run()
        }
    }

    private func started(
        _ kind: Peer.Kind, _ name: String, _ selection: Selection, clause: ClauseID? = nil, kills: Int? = nil,
        isAlone: Bool = false
    ) async throws -> Peer {
        var reference = ReferenceSubject()
        switch kind {
        case .healthy, .wire: break
        case .variation: reference.variations = [name]
        case .defect: reference.defects = [name]
        }
        if kind != .healthy { reference.replayFrames = ReferenceInProcess.replayFrames }
        let report = try await report(
            on: reference, selection, kills: kills, patience: kind == .defect ? ReferenceInProcess.patience : nil,
            isAlone: isAlone)
        // A few kills prove nothing, and are not meant to.
        return Peer(report, kind, name, clause: clause, provesAll: kind == .healthy)
    }
}
