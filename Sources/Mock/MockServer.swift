import Holdfast
import HoldfastBasics
import HoldfastJSON
import HoldfastProxy
import HoldfastReference
import HoldfastTransport

/// A reference server that client developers can control while it runs: end connections, restart it, make it fail.
package actor MockServer {
    enum Ending: String, CaseIterable {
        /// Ends running turns, then says goodbye.
        case stop
        /// Like a killed process.
        case kill
    }

    private static let patience = Duration.seconds(5)

    package nonisolated let webSocketURL: String
    nonisolated let httpURL: String
    package nonisolated let port: Int
    nonisolated let record: MockRecord?

    private var configuration: ReferenceConfiguration
    /// Nil while the server is down.
    private var server: ReferenceServer?
    private var restarting: Task<Void, Never>?
    private var isEnding = false

    package init(_ configuration: ReferenceConfiguration, record: MockRecord? = nil) async throws {
        var configuration = configuration
        configuration.watcher = record
        let server = try await ReferenceServer(configuration)
        configuration.port = server.port
        (self.configuration, self.server, self.record) = (configuration, server, record)
        (webSocketURL, httpURL, port) = (server.webSocketURL, server.httpURL, server.port)
    }

    package func stop() async {
        isEnding = true
        restarting?.cancel()
        await restarting?.value
        await server?.stop()
        server = nil
    }

    // MARK: commands

    func obey(_ command: MockCommand) async throws -> JSONValue {
        guard let server else { throw Self.isDown }
        return try await server.obey(command)
    }

    /// Ends the named connection, or all of them, or falls silent on them.
    ///
    /// * `seconds`: The length of a silence; nil for no limit.
    /// - Returns: The names of the affected connections.
    /// - Throws: An `InputProblem` if no connection has that name.
    func end(_ name: String?, _ ending: ConnectionEnding, seconds: Int? = nil) async throws -> [String] {
        guard let server, let record else { throw Self.isDown }
        let chosen = try chosen(name)
        for (number, _) in chosen {
            record.note(Self.words(for: ending, seconds), on: number)
            if ending == .cut(.silence) { record.set(number, isSilent: true) }
            await server.end(number, ending)
        }
        if ending == .cut(.silence), let seconds {
            Task { [weak self] in
                try? await Task.sleep(for: .seconds(seconds))
                await self?.resume(chosen.map(\.number))
            }
        }
        return chosen.map(\.name)
    }

    func resume(_ name: String?) async throws -> [String] {
        let chosen = try chosen(name)
        await resume(chosen.map(\.number))
        return chosen.map(\.name)
    }

    private func resume(_ numbers: [Int]) async {
        guard let server, let record else { return }
        for number in numbers where record.connections[number]?.isSilent == true {
            record.set(number, isSilent: false)
            record.note("speaks again", on: number)
            await server.resume(number)
        }
    }

    /// Restarts the server on the same port with its stored data.
    ///
    /// * `keepsEpoch`: Whether its numbering and its replay buffer survive.
    /// * `seconds`: The downtime. If positive, this returns once the server is down, otherwise once it is up again.
    /// - Throws: An `InputProblem` if it is already down.
    func restart(_ ending: Ending, keepsEpoch: Bool, downFor seconds: Int) async throws {
        guard let old = server, !isEnding else { throw Self.isDown }
        server = nil
        record?.note(ending == .kill ? "killed" : "stops")
        switch ending {
        case .stop: await old.stop()
        case .kill: await old.kill()
        }
        let memory = await old.memory(keepingEpoch: keepsEpoch)
        let task = Task { await self.start(remembering: memory, after: .seconds(seconds)) }
        restarting = task
        if seconds == 0 { await task.value }
    }

    private func start(remembering memory: ServerMemory, after pause: Duration) async {
        try? await Task.sleep(for: pause)
        let clock = ContinuousClock()
        let end = clock.now + Self.patience
        while !isEnding {
            do {
                server = try await ReferenceServer(configuration, remembering: memory)
                record?.note("is up again")
                return
            } catch {
                guard clock.now < end else {
                    record?.note("cannot start again: \(error)")
                    return
                }
                try? await Task.sleep(for: .milliseconds(50))
            }
        }
    }

    // MARK: state

    func state(framesAfter number: Int, atMost count: Int) async -> JSONValue {
        let principals = await server?.principals() ?? [:]
        let connections = (record?.connections ?? [:]).sorted { $0.key < $1.key }.map { number, connection in
            JSONValue(members: [
                "name": connection.name, "principal": principals[number].map { .string($0) } ?? JSONValue.null,
                "since": connection.since, "messages": connection.messages, "isSilent": connection.isSilent,
            ])
        }
        let start = JSONValue(members: [
            "url": webSocketURL, "http": httpURL, "isUp": server != nil, "connections": connections,
        ])
        let (last, frames) = record?.frames(after: number, atMost: count) ?? (0, [])
        let faults = (record?.faults.entries ?? []).map {
            JSONValue(members: ["rule": $0.rule.text, "followed": $0.uses])
        }
        return start.adding(await server?.state() ?? [:])
            .adding(JSONValue(members: ["faults": faults, "lastFrame": last, "frames": frames.map(Self.json(of:))]))
    }

    private static func json(of frame: MockFrame) -> JSONValue {
        JSONValue(members: [
            "number": frame.number, "time": frame.time, "lane": frame.lane, "mark": frame.mark, "brief": frame.brief,
            "verbatim": frame.verbatim,
        ])
    }

    private func chosen(_ name: String?) throws -> [(number: Int, name: String)] {
        let all = (record?.connections ?? [:]).sorted { $0.key < $1.key }.map { (number: $0.key, name: $0.value.name) }
        guard let name else { return all }
        let found = all.filter { $0.name == name }
        guard found.isEmpty else { return found }
        throw InputProblem(
            "connection", "no open connection '\(name.prefix(60))'",
            expected: all.isEmpty ? "an open connection" : all.map(\.name).joined(separator: ", "),
            fix: "omit it for all of them")
    }

    private static func words(for ending: ConnectionEnding, _ seconds: Int?) -> String {
        switch ending {
        case .close(let code): "close \(code), on request"
        case .cut(.silence): "silent" + (seconds.map { " for \($0) s" } ?? "") + ", on request"
        case .cut(let how): "cut (\(how.rawValue)), on request"
        }
    }

    private static let isDown = InputProblem(
        "server", "the server is down", expected: "a running server", fix: "wait until it is up again")
}
