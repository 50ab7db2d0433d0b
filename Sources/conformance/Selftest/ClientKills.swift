import Foundation
import Holdfast
import ReferenceClient
import Report
import Stage

/// Runs the suite for clients against the reference client: healthy, varied, and broken in each named way.
///
/// All of them live in this process: a client needs no program of its own to lose its connection, its network or its life.
struct ClientKills {
    let specification: Specification
    let scenarios: [ClientScenario]
    let meter: Meter

    private typealias Peer = KillMatrixPeer

    /// Clients that are met at the same time; nearly all of the time they are waited for.
    private static let jobs = 8
    /// How often a client with a defect is met until it is caught: what shows by chance shows in the end.
    private static let attempts = 3

    /// Meets all of them.
    func peers(_ defects: [ClientDefect], _ variations: [ClientVariation]) async throws -> [KillMatrixPeer] {
        let whole = try ScenarioSelection([], role: .client, of: specification, scenarios: scenarios)
        let healthy = try await meter.meeting(
            ["healthy-client"], named: { $0 }, atOnce: 1, again: \.wasLate
        ) { name, isAlone in
            Peer(
                try await report(on: ReferenceClients(), whole, isAlone: isAlone), .healthy, name, provesAll: true)
        }
        let varied = try await meter.meeting(
            variations, named: \.name, atOnce: 2, again: \.wasLate
        ) { variation, isAlone in
            Peer(
                try await report(on: ReferenceClients(variations: [variation]), whole, isAlone: isAlone), .variation,
                variation.name, provesAll: true)
        }
        // Where a machine is late, timers that never vary seem to; alone they show it.
        let broken = try await meter.meeting(
            defects, named: \.name, atOnce: Self.jobs, again: { _ in true }
        ) { defect, isAlone in
            try await peer(with: defect, isAlone: isAlone)
        }
        return healthy + varied + broken
    }

    private func peer(with defect: ClientDefect, isAlone: Bool) async throws -> Peer {
        let selection = try ScenarioSelection(
            [defect.clause.description], role: .client, of: specification, scenarios: scenarios)
        var last = Peer.unmet(defect.name, defect.clause)
        for attempt in 1...Self.attempts {
            // A client that is known to be broken gets no more time because the machine is late.
            let seen = try await byTheWallClock {
                try await report(on: ReferenceClients(defects: [defect]), selection, isAlone: isAlone)
            }
            last = Peer(seen, .defect, defect.name, clause: defect.clause, provesAll: false)
            last.attempts = attempt
            if last.holds { break }
        }
        return last
    }

    private func report(
        on clients: ReferenceClients, _ selection: ScenarioSelection<ClientScenario>, isAlone: Bool = false
    ) async throws -> RunReport {
        try await ClientSuite(
            subject: clients.subject(specification), specification: specification, selection: selection,
            jobs: isAlone ? KillMatrix.jobsAlone : Self.jobs, address: "in this process"
        ).run()
    }
}

/// Reference clients of this process, with what is wrong or different about them.
struct ReferenceClients: Sendable {
    var defects: Set<ClientDefect> = []
    var variations: Set<ClientVariation> = []

    /// The client as the suite drives it.
    func subject(_ specification: Specification) throws -> ClientSubject {
        let drivers = InProcessDrivers(schemas: try DriverSchemas(specification)) { data in
            ReferenceApp(defects: defects, variations: variations, storingIn: data)
        }
        return ClientSubject(name: "reference client", profiles: Profile.all(of: .client), driver: drivers)
    }
}
