import Holdfast
import HoldfastBasics
import HoldfastReference
import HoldfastReport
import HoldfastSmallFoundation
import HoldfastStage
import HoldfastTransport

/// Runs the server suite against the reference server: healthy, varied, and with each named defect.
///
/// A defect that shows with only a URL runs in this process. The healthy server, the variations, and the defects that
/// need crashes or faults run as separate processes of this program, which can be killed.
struct ServerKills: Sendable {
    let specification: Specification
    let scenarios: [Scenario]
    let program: String

    /// The number of broken servers in this process at the same time; nearly all the time is spent waiting for them.
    private static let jobs = 24
    /// The number of separate server processes at the same time; each is started many times.
    private static let startedJobs = 8
    /// The number of kills at each try of a server with a crash defect: most defects show at once, and one that shows
    /// in 15 % of the kills escapes all of them about once in 300 million runs.
    private static let kills = [4, 16, 40, 60]
    /// The number of kills of a variation: enough to show a wrong verdict on a crash, but too few to prove anything.
    private static let killsOfVariations = 3
    /// The timeout for a broken server: it is on the same machine, so a frame that is not sent by then never arrives.
    private static let patience = Duration.seconds(3)
    /// The replay buffer of a broken or varied server: a tenth of the usual size shows the same in a tenth of the time.
    private static let replayFrames = 100

    func groups(
        _ defects: [Defect], _ variations: [Variation], _ dialects: [Dialect]
    ) throws -> [KillMatrixGroup] {
        let whole = try Selection(role: .server, of: specification, scenarios: scenarios)
        // Some defects show only on a server that can be killed.
        let needsStart = { (defect: Defect) in defect.need == .restart || defect.need == .storageFault }
        return [
            KillMatrixGroup(["healthy"], named: { $0 }, kind: 0, atOnce: 1, retry: \.wasLate) { name, isAlone in
                let runReport = try await report(on: ReferenceSubject(program: program), whole, isAlone: isAlone)
                return KillMatrixPeer(runReport, .healthy, name, provesAll: true)
            },
            KillMatrixGroup(
                variations, named: \.rawValue, kind: 0, atOnce: Self.startedJobs, retry: \.wasLate
            ) { variation, isAlone in
                let reference = ReferenceSubject(
                    program: program, variations: [variation.rawValue], replayFrames: Self.replayFrames)
                let runReport = try await report(on: reference, whole, kills: Self.killsOfVariations, isAlone: isAlone)
                // A few kills prove nothing, and are not meant to.
                return KillMatrixPeer(runReport, .variation, variation.rawValue, provesAll: false)
            },
            KillMatrixGroup(
                dialects, named: { KillMatrix.Peers.name(ofDialect: $0.name) }, kind: 0, atOnce: Self.startedJobs,
                retry: \.wasLate
            ) { dialect, isAlone in
                // Crashes take most of the time, and the wire format affects them little.
                let runReport = try await report(
                    on: ReferenceSubject(program: program, dialect: dialect), whole, scope: Scope(skipsCrashes: true),
                    isAlone: isAlone)
                return KillMatrixPeer(
                    runReport, .wire, KillMatrix.Peers.name(ofDialect: dialect.name),
                    unkeepable: dialect.unkeepable.keys.sorted(), provesAll: false)
            },
            // Among many others and with little patience, a scenario may give up on a slow server before it reaches the
            // defect: an uncaught defect is tested again, alone and with full patience.
            KillMatrixGroup(
                defects.filter { !needsStart($0) && $0.need != .load }, named: \.name, kind: 2, atOnce: Self.jobs,
                retry: { _ in true }
            ) { defect, isAlone in
                let run = { (selection: Selection) in
                    if isAlone { return try await inProcess(defect, selection, patience: nil) }
                    return try await byTheWallClock {
                        try await inProcess(defect, selection, patience: Self.patience)
                    }
                }
                let runReport = try await run(selection(of: defect))
                return try await KillMatrixPeer(
                    runReport, .defect, defect.name, clause: defect.clause, provesAll: false
                ).repeated { try await run(selection($0)) }
            },
            KillMatrixGroup(
                defects.filter(needsStart), named: \.name, kind: 1, atOnce: Self.startedJobs, retry: { _ in false }
            ) { defect, _ in
                try await killed(defect)
            },
            KillMatrixGroup(
                defects.filter { $0.need == .load }, named: \.name, kind: 1, atOnce: 1, retry: { _ in true }
            ) { defect, _ in
                var reference = ReferenceSubject(program: program, defects: [defect.name])
                let mix = try specification.mix(named: "phones") ?? LoadMix(name: "phones")
                let plan = LoadPlan(devices: Self.loadDevices, duration: Self.loadMs, ramp: 500, seed: 1, mix: mix)
                reference.principalsUnderLoad = plan.people().count
                let runReport = try await LoadRun(reference.subject(), plan, under: specification).run { _ in }
                return KillMatrixPeer(runReport, .defect, defect.name, clause: defect.clause, provesAll: false)
            },
        ]
    }

    private func selection(of defect: Defect) throws -> Selection { try selection(defect.clause.description) }

    private func selection(_ pattern: String) throws -> Selection {
        try Selection([pattern], role: .server, of: specification, scenarios: scenarios)
    }

    /// Kills a separate server with a crash defect or a storage fault a few times, then more often, until it is caught.
    private func killed(_ defect: Defect) async throws -> KillMatrixPeer {
        let reference = ReferenceSubject(program: program, defects: [defect.name], replayFrames: Self.replayFrames)
        var last = KillMatrixPeer.untested(defect.name, defect.clause)
        for (attempt, kills) in Self.kills.enumerated() where !last.holds {
            func run(_ selection: Selection) async throws -> RunReport {
                try await report(on: reference, selection, kills: kills, patience: Self.patience)
            }
            let chosen = try selection(of: defect)
            let runReport = attempt == 0 ? try await byTheWallClock { try await run(chosen) } : try await run(chosen)
            last = try await KillMatrixPeer(
                runReport, .defect, defect.name, clause: defect.clause, provesAll: false
            ).repeated { try await run(selection($0)) }
            last.attempts = attempt + 1
        }
        return last
    }

    /// The number of devices, enough for defects that a dozen would not show, and the duration in milliseconds.
    private static let (loadDevices, loadMs) = (100, 6_000)

    private func report(
        on reference: ReferenceSubject, _ selection: Selection, scope: Scope = Scope(), kills: Int? = nil,
        patience: Duration? = nil, isAlone: Bool = false
    ) async throws -> RunReport {
        var subject = try reference.subject()
        if let kills { subject.kills = kills }
        if let patience { subject.timeouts = subject.timeouts.capped(at: patience) }
        let jobs = isAlone ? KillMatrixGroup.jobsAlone : 8
        return try await Services.run(for: subject) { subject in
            try await ServerSuite(subject, under: specification, selection, scope: scope, jobs: jobs).run()
        }
    }

    // MARK: servers of this process

    /// Tests a server in this process, cheaper than a separate one; scenarios that must start it are omitted.
    private func inProcess(
        _ defect: Defect, _ selection: Selection, patience: Duration?
    ) async throws -> RunReport {
        let folder = "\(FileManager.default.temporaryDirectory.path)/holdfast-\(UUID().uuidString)"
        try Files.makeFolder(folder)
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let described = try ReferenceSubject(program: program).subject()
        return try await Services.run(for: described, push: ServiceAddress()) { subject in
            let server = try await ReferenceServer(configuration(of: subject, with: defect, dataFolder: folder))
            return try await finally(server.stop) {
                var subject = subject
                subject.start = nil
                subject.webSocket = try Endpoint("ws://127.0.0.1:\(server.port)/ws")
                subject.http = subject.webSocket.httpBase
                if let patience { subject.timeouts = subject.timeouts.capped(at: patience) }
                return try await ServerSuite(
                    subject, under: specification, selection, scope: Scope(skipsCrashes: true), jobs: 8
                ).run()
            }
        }
    }

    private func configuration(
        of subject: ServerSubject, with defect: Defect, dataFolder: String
    ) -> ReferenceConfiguration {
        var configuration = ReferenceConfiguration(dataFolder: dataFolder)
        configuration.principals = subject.principals.map { (name: $0.name, token: $0.token ?? "") }
        configuration.requiresAuth = true
        configuration.replayFrames = Self.replayFrames
        configuration.heartbeatSeconds = subject.limits["heartbeatSeconds"] ?? configuration.heartbeatSeconds
        configuration.authSeconds = subject.limits["authSeconds"] ?? configuration.authSeconds
        configuration.messagesPerMinute = subject.limits["messagesPerMinute"]
        configuration.rateWindowSeconds = subject.limits["rateWindowSeconds"] ?? configuration.rateWindowSeconds
        configuration.defects = [defect]
        configuration.push = subject.pushSink.map { sink in
            PushService(
                url: sink.url, topic: ReferenceSubject.topic,
                devices: subject.principals.compactMap { principal in
                    principal.device.map { (principal: principal.name, token: $0) }
                })
        }
        return configuration
    }
}
