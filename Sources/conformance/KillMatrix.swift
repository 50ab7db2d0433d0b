import Foundation
import Holdfast
import JSON
import Judge
import Reference
import Report
import Stage

/// Runs the suite against the reference server: healthy, varied, and broken in each named way.
struct KillMatrix {
    let specification: Specification
    let scenarios: [Scenario]
    var showsProgress = false

    /// How long a broken server is waited for: it is on the same machine, and what it does not send never comes.
    private static let patience = Duration.seconds(3)
    /// What a broken or varied server keeps for replay: a tenth of the usual shows the same in a tenth of the time.
    private static let replayFrames = 100
    /// Broken servers that are tested at the same time; nearly all of the time is spent waiting for what they do not send.
    private static let jobs = 12

    /// What became of each defect and variation.
    struct Result {
        var peers: [Peer] = []
        /// Defects of clauses that have no check yet; nothing can catch them.
        var waiting: [Defect] = []
        /// Clauses with a check that neither a defect nor a transcript among the fixtures breaks.
        var unbroken: [ClauseID] = []

        /// Whether the healthy server and all variations are green, every defect is caught by its own clause, and no check
        /// is without a defect that it catches.
        var holds: Bool { !peers.isEmpty && peers.allSatisfy(\.holds) && unbroken.isEmpty }
    }

    /// One server under test.
    struct Peer {
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

        /// Whether the suite says of this peer what is true.
        var holds: Bool {
            guard let clause else { return violated.isEmpty && problems.isEmpty && unproved.isEmpty }
            return violated.contains(clause)
        }
    }

    func run(defects: [Defect], variations: [Variation]) async throws -> Result {
        var result = Result()
        result.waiting = defects.filter { Checks.check(of: $0.clause) == nil }
        let defects = defects.filter { Checks.check(of: $0.clause) != nil }
        let broken = try Set(Defect.all.map(\.clause)).union(Tool.fixtures(of: specification).brokenByTranscripts)
        result.unbroken = Checks.all.map(\.clause).filter { !broken.contains($0) }
        let whole = try Selection([], role: .server, of: specification, scenarios: scenarios)
        let total = 1 + defects.count + variations.count
        note(0, total, "healthy")
        result.peers.append(try await peer(.healthy, "healthy", selection: whole) { _ in })
        for variation in variations {
            note(result.peers.count, total, variation.name)
            result.peers.append(
                try await peer(.variation, variation.name, selection: whole) { $0.variations = [variation] })
        }
        result.peers += try await withThrowingTaskGroup(of: (Int, Peer).self) { group in
            var waiting = Array(defects.enumerated()).makeIterator()
            var done: [(Int, Peer)] = []
            func begin() {
                guard let (place, defect) = waiting.next() else { return }
                group.addTask { (place, try await self.peer(for: defect)) }
            }
            for _ in 0..<Self.jobs { begin() }
            while let peer = try await group.next() {
                done.append(peer)
                note(1 + variations.count + done.count, total, peer.1.name)
                begin()
            }
            return done.sorted { $0.0 < $1.0 }.map(\.1)
        }
        if showsProgress { Console.endProgress() }
        return result
    }

    private func peer(for defect: Defect) async throws -> Peer {
        let pattern = defect.clause.description
        let selection = try Selection([pattern], role: .server, of: specification, scenarios: scenarios)
        return try await peer(.defect, defect.name, clause: defect.clause, selection: selection) {
            $0.defects = [defect]
        }
    }

    private func peer(
        _ kind: Peer.Kind, _ name: String, clause: ClauseID? = nil, selection: Selection,
        _ change: (inout ReferenceConfiguration) -> Void
    ) async throws -> Peer {
        let folder = NSTemporaryDirectory() + "holdfast-\(UUID().uuidString)"
        try Files.makeFolder(folder)
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let reference = ReferencePeer(
            host: "127.0.0.1", port: 0, dataFolder: folder, principals: ReferencePeer.freshPrincipals(),
            requiresAuth: true)
        var configuration = reference.configuration
        if kind != .healthy { configuration.replayFrames = Self.replayFrames }
        change(&configuration)
        let server = try await ReferenceServer.start(configuration)
        let report: RunReport
        do {
            var subject = try reference.subject(port: server.port)
            if kind == .defect { subject.timeouts = subject.timeouts.capped(at: Self.patience) }
            report = try await ServerSuite(
                subject: subject, specification: specification, selection: selection, jobs: 8
            ).run()
        } catch {
            await server.stop()
            throw error
        }
        await server.stop()
        let broken = report.clauses(.violation) + report.clauses(.warning)
        let unproved = report.clauses(.untested) + report.clauses(.inconclusive) + report.clauses(.harnessError)
        return Peer(
            kind: kind, name: name, clause: clause, violated: broken.map(\.clause.id),
            problems: report.scenarios.flatMap { scenario in scenario.problems.map { "\(scenario.name): \($0)" } },
            unproved: kind == .defect ? [] : unproved.map(\.clause.id))
    }

    private func note(_ done: Int, _ total: Int, _ name: String) {
        if showsProgress { Console.progress("\(done)/\(total)  \(name)") }
    }
}

extension KillMatrix.Result {
    /// The matrix for people: one line for each peer, what failed first.
    func text(_ style: ConsoleStyle) -> String {
        let caught = peers.filter { $0.clause != nil && $0.holds }.count
        let defects = peers.filter { $0.clause != nil }.count
        let width = ((peers.map(\.name.count) + waiting.map(\.name.count)).max() ?? 0) + 2
        var lines: [String] = []
        for peer in peers {
            lines.append(line(peer, width: width))
            if !peer.holds { lines += peer.problems.prefix(3).map { "    " + $0 } }
        }
        for defect in waiting {
            lines.append("waits   \(padded(defect.name, width))\(defect.clause) has no check yet")
        }
        for clause in unbroken {
            lines.append("UNSHOWN \(padded("", width))\(clause) has a check that no defect and no transcript breaks")
        }
        let clauses = Set(peers.filter { $0.clause != nil && $0.holds }.compactMap(\.clause)).count
        lines.append("")
        lines.append(
            "\(holds ? "the suite holds" : "the suite does NOT hold"): \(caught) of \(defects) defects caught by their own clause, "
                + "\(clauses) clauses shown to catch, \(waiting.count) defects wait for a check, "
                + "\(peers.filter { $0.clause == nil && $0.holds }.count) of \(peers.count - defects) legal peers green"
        )
        return lines.joined(separator: "\n") + "\n"
    }

    private func line(_ peer: KillMatrix.Peer, width: Int) -> String {
        let name = padded(peer.name, width)
        let others = peer.violated.filter { $0 != peer.clause }.map(\.description).joined(separator: " ")
        guard let clause = peer.clause else {
            let unproved = peer.unproved.map(\.description).joined(separator: " ")
            if peer.holds { return "green   \(name)" }
            return
                "RED     \(name)violated: \(others.isEmpty ? "-" : others)  unproved: \(unproved.isEmpty ? "-" : unproved)"
        }
        let also = others.isEmpty ? "" : "  also \(others)"
        return "\(peer.holds ? "caught " : "LIVES  ") \(name)\(clause)\(also)"
    }

    /// The matrix for machines.
    var value: JSONValue {
        [
            "format": "holdfast-kill-matrix", "version": 1, "holds": .bool(holds),
            "waiting": .array(waiting.map { .string($0.name) }),
            "unbroken": .array(unbroken.map { .string($0.description) }),
            "peers": .array(
                peers.map { peer in
                    [
                        "kind": .string(peer.kind.rawValue), "name": .string(peer.name),
                        "clause": peer.clause.map { .string($0.description) } ?? .null,
                        "holds": .bool(peer.holds),
                        "violated": .array(peer.violated.map { .string($0.description) }),
                        "unproved": .array(peer.unproved.map { .string($0.description) }),
                        "problems": .array(peer.problems.map { .string($0) }),
                    ]
                }),
        ]
    }
}
