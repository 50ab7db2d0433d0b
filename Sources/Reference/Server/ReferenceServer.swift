import Holdfast
import HoldfastBasics
import HoldfastJSON
import HoldfastTransport

/// A server for version 1 of the protocol; its sessions are durable, in a folder.
///
/// It is meant to be read and tested against: each clause is implemented in one place, and named defects break it on
/// purpose. Its agent follows scripts and echoes plain questions.
///
/// A process that may reach a file size limit must ignore `SIGXFSZ` before the start; writes beyond the limit then fail
/// like those on a full disk, and the server continues.
package final class ReferenceServer: Sendable {
    package var port: Int { transport.port }
    package var webSocketURL: String { transport.webSocketURL(socketPath) }
    package var httpURL: String { transport.httpURL("") }

    private let transport: TransportServer
    private let engine: ServerEngine
    private let log: RecordLog
    private let tasks: [Task<Void, Never>]
    private let closeCode: UInt16
    private let socketPath: String

    /// Reads the folder, ends interrupted turns, and listens.
    ///
    /// * `memory`: The in-memory state of an earlier server; nil for a real restart.
    /// - Throws: ``StorageProblem`` for the folder, `TransportProblem` for the address and for that of the push
    ///   service.
    package init(_ configuration: ReferenceConfiguration, remembering memory: ServerMemory? = nil) async throws {
        let rules = configuration.rules
        var deviations = RecordLog.Deviations()
        for case .disk(let change) in configuration.defects.faults { change(&deviations) }
        let delivery = try configuration.push.map { try PushDelivery($0, seconds: rules.pushSeconds) }
        let (log, records) = try RecordLog.open(folder: configuration.dataFolder, deviations: deviations)
        let engine = ServerEngine(configuration, log: log, records: records, delivery: delivery, memory: memory)
        let outcomes = log.outcomes
        let storage = Task { for await batch in outcomes { await engine.stored(batch) } }
        await engine.handle(.started)
        await engine.settle(within: .seconds(5))
        do {
            transport = try await TransportServer.start(
                host: configuration.host, port: configuration.port,
                limits: ServerLimits(
                    maxMessageBytes: configuration.messageLimit,
                    // Two devices for each principal, and as many reads.
                    maxConnections: max(4096, 4 * configuration.principals.count)),
                handler: ServerHandler(
                    engine: engine, rules: rules, edge: configuration.edge, upgrades: configuration.defects.faults,
                    watcher: configuration.watcher))
        } catch {
            storage.cancel()
            await log.close()
            throw error
        }
        (self.engine, self.log) = (engine, log)
        tasks = [storage, Self.heart(of: engine, configuration)]
        (closeCode, socketPath) = (rules.stopCode, configuration.socketPath)
        configuration.log?("listening on \(webSocketURL), records in \(configuration.dataFolder)")
    }

    deinit {
        for task in tasks { task.cancel() }
    }

    /// Ends running turns as interrupted, stores that, and closes every connection with the configured code.
    package func stop() async {
        await engine.handle(.stopping)
        await engine.settle(within: .seconds(5))
        await engine.abandon()
        await engine.settle(within: .seconds(1), andNotices: true)
        await transport.stop(graceful: .seconds(2), code: closeCode, reason: "the server stops")
        for task in tasks { task.cancel() }
        await log.close()
    }

    /// Ends at once like a killed process: without a goodbye, and leaving running turns to the next start.
    package func kill() async {
        await engine.fallSilent()
        await transport.stop(graceful: .zero)
        for task in tasks { task.cancel() }
        await log.close()
    }

    package func memory(keepingEpoch keepsEpoch: Bool) async -> ServerMemory {
        await engine.memory(keepingEpoch: keepsEpoch)
    }

    /// - Throws: An `InputProblem` that names the wrong member.
    package func obey(_ order: MockCommand) async throws -> JSONValue { try await engine.obey(order) }

    package func state() async -> JSONValue { await engine.state() }

    /// The principal of each open WebSocket, by the watcher's number.
    package func principals() async -> [Int: String] { await engine.principals() }

    package func end(_ number: Int, _ ending: ConnectionEnding) async { await engine.end(number, ending) }

    /// Ends the silence on a WebSocket: held messages are sent, and received ones are read.
    package func resume(_ number: Int) async { await engine.resume(number) }

    private static func heart(of engine: ServerEngine, _ configuration: ReferenceConfiguration) -> Task<Void, Never> {
        let shortest = min(configuration.heartbeatSeconds, configuration.authSeconds)
        let pause = Duration.milliseconds(min(max(shortest * 200, 100), 1000))
        // With a fixed priority, so that it does not overtake work that already waits for the engine.
        return Task(priority: .medium) { [weak engine] in
            while !Task.isCancelled {
                try? await Task.sleep(for: pause)
                guard let engine else { return }
                await engine.beat()
            }
        }
    }
}
