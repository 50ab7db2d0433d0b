import Holdfast
import HoldfastReport
import HoldfastStage
import ReferenceClient

/// Runs the client suite against the reference client: healthy, varied, and with each named defect.
///
/// All of them run in this process: a client needs no process of its own to lose its connection or network, or to be
/// killed.
struct ClientKills: Sendable {
    let specification: Specification
    let scenarios: [ClientScenario]

    /// The number of clients tested at the same time; nearly all the time is spent waiting for them.
    private static let jobs = 8
    /// The number of tries for a client with a defect, since some defects show only by chance.
    private static let attempts = 3

    func groups(_ defects: [ClientDefect], _ variations: [ClientVariation]) throws -> [KillMatrixGroup] {
        let whole = try ScenarioSelection(role: .client, of: specification, scenarios: scenarios)
        return [
            KillMatrixGroup(["healthy-client"], named: { $0 }, kind: 3, atOnce: 1, retry: \.wasLate) { name, isAlone in
                KillMatrixPeer(try await report(whole, isAlone: isAlone), .healthy, name, provesAll: true)
            },
            KillMatrixGroup(variations, named: \.rawValue, kind: 3, atOnce: 2, retry: \.wasLate) { variation, isAlone in
                let runReport = try await report(variations: [variation], whole, isAlone: isAlone)
                return KillMatrixPeer(runReport, .variation, variation.rawValue, provesAll: true)
            },
            // Load can hide a defect (constant timers seem to vary), so each uncaught defect is tested again, alone.
            KillMatrixGroup(defects, named: \.name, kind: 4, atOnce: Self.jobs, retry: { _ in true }) {
                try await peer(with: $0, isAlone: $1)
            },
        ]
    }

    private func peer(with defect: ClientDefect, isAlone: Bool) async throws -> KillMatrixPeer {
        let selection = try ScenarioSelection(
            [defect.clause.description], role: .client, of: specification, scenarios: scenarios)
        var last = KillMatrixPeer.untested(defect.name, defect.clause)
        for attempt in 1...Self.attempts where !last.holds {
            // A client that is known to be broken gets no additional time when the machine is overloaded.
            let run = { (selection: ScenarioSelection<ClientScenario>) in
                try await byTheWallClock { try await report(defects: [defect], selection, isAlone: isAlone) }
            }
            last = try await KillMatrixPeer(
                run(selection), .defect, defect.name, clause: defect.clause, provesAll: false
            ).repeated {
                try await run(
                    ScenarioSelection([$0], role: .client, of: specification, scenarios: scenarios))
            }
            last.attempts = attempt
        }
        return last
    }

    private func report(
        defects: Set<ClientDefect> = [], variations: Set<ClientVariation> = [],
        _ selection: ScenarioSelection<ClientScenario>, isAlone: Bool
    ) async throws -> RunReport {
        let drivers = InProcessDrivers { data in
            ReferenceApp(defects: defects, variations: variations, storingIn: data)
        }
        let subject = ClientSubject(name: "reference client", profiles: Profile.all(of: .client), driver: drivers)
        let jobs = isAlone ? KillMatrixGroup.jobsAlone : Self.jobs
        return try await ClientSuite(subject, at: "in this process", under: specification, selection, jobs: jobs).run()
    }
}
