import Holdfast
import HoldfastPlatform
import HoldfastTransport

/// A subject that the suite started: its address, its data, and a process that may be ended and started again.
final class SubjectInstance: Sendable {
    let command: StartCommand
    let webSocket: Endpoint
    let http: Endpoint

    private struct State {
        var process: SubjectProcess?
        var startedAt = ContinuousClock.now
        var observers: [Int: @Sendable (SubjectExit) -> Void] = [:]
        var nextObserver = 0
        var isOver = false
    }

    private let values: StartCommand.Values
    let folder: DataFolder
    private let state = Mutex(State())

    /// The time that a subject may take to exit before it is killed, once it is no longer needed.
    static let exitGrace = Duration.seconds(2)
    /// The number of starts, on the same or another port, if a subject ends before it listens.
    private static let attempts = 3

    private init(_ command: StartCommand, data: String?) throws(HarnessProblem) {
        do throws(InputProblem) {
            if let data { folder = try .named(data) } else { folder = try .temporary() }
        } catch {
            throw HarnessProblem(.notStarted(reason: error.what), at: command.shown)
        }
        let values = StartCommand.Values(port: FreePort.next(), data: folder.path)
        (self.command, self.values) = (command, values)
        do {
            webSocket = try Endpoint(command.filled(command.url, values))
            http =
                try command.http.map { url throws(TransportProblem) in
                    try Endpoint(command.filled(url, values))
                } ?? webSocket.httpBase
        } catch {
            throw HarnessProblem(.notStarted(reason: "its address is not valid: \(error)"), at: command.shown)
        }
    }

    // MARK: starting

    /// Starts a subject with its own data and waits until it accepts connections.
    ///
    /// * `data`: A folder for its data, if the user named one.
    /// - Throws: A problem whose `isUnreachable` is true.
    static func start(
        _ command: StartCommand, data: String? = nil, within limit: Duration
    ) async throws(HarnessProblem) -> SubjectInstance {
        var attempt = 1
        while true {
            let instance = try SubjectInstance(command, data: data)
            do {
                if !command.url.contains("{port}") { try await instance.refuseStranger() }
                try await instance.launch(within: limit)
                return instance
            } catch {
                await instance.end()
                // Another process may have taken the port between the choice and the start.
                guard error.endedEarly, command.takesPort, attempt < attempts, !Task.isCancelled else { throw error }
                attempt += 1
            }
        }
    }

    /// Fails if a process already listens at a fixed address, which would be mistaken for the subject.
    private func refuseStranger() async throws(HarnessProblem) {
        guard await connectionProblem() == nil else { return }
        throw problem(.notStarted(reason: "another program already listens on \(webSocket.address)"))
    }

    private func launch(within limit: Duration) async throws(HarnessProblem) {
        let process: SubjectProcess
        do {
            process = try await SubjectProcess.start(command.launch(values)) { [weak self] in self?.publish($0) }
        } catch {
            let reason = command.redaction.applied(toWords: error.reason)
            throw problem(.notStarted(reason: "it cannot be started: \(reason)"))
        }
        let isOver = state.withLock { state in
            state.process = process
            state.startedAt = .now
            return state.isOver
        }
        if isOver { process.kill() }
        SchedulingMeter.shared.watch { process.waitingTimes }
        try await waitUntilReady(process, within: limit)
    }

    private func waitUntilReady(_ process: SubjectProcess, within limit: Duration) async throws(HarnessProblem) {
        let end = ContinuousClock.now + limit
        var pause = Duration.milliseconds(5)
        var sawReady = command.ready == nil
        while true {
            if let exit = process.exit {
                throw problem(
                    .endedEarly(
                        "\(exit)", url: webSocket.address, output: words(of: process),
                        leftDaemon: exit == .code(0) && process.leftProcessesBehind))
            }
            sawReady = sawReady || process.output.sawReady
            // A process that listens after the command has ended is a daemon, which will be ended.
            if sawReady {
                let problem = await connectionProblem()
                if problem == nil, !process.isEnding { return }
                if let problem, problem.isLocal {
                    process.kill()
                    throw HarnessProblem(.cannotConnect(problem.code), at: webSocket.address)
                }
            }
            guard ContinuousClock.now < end, !Task.isCancelled else { break }
            try? await Task.sleep(for: pause, clock: .continuous)
            pause = min(pause * 2, .milliseconds(50))
        }
        process.kill()
        let seconds = Int(limit / .seconds(1))
        let awaited = sawReady ? "no connection on \(webSocket.address)" : "no '\(command.ready ?? "")' in its output"
        throw problem(
            .notStarted(
                reason: Task.isCancelled ? "interrupted during the start" : "\(awaited) in \(seconds) s",
                output: words(of: process)))
    }

    private func words(of process: SubjectProcess, _ count: Int = 10) -> [String] {
        process.output.lines(count, without: command.redaction)
    }

    private func problem(_ code: HarnessProblem.Code) -> HarnessProblem { HarnessProblem(code, at: command.shown) }

    private func connectionProblem() async -> TransportProblem? {
        do {
            try await RawConnection.open(host: webSocket.host, port: webSocket.port, timeout: .seconds(1)).cut(.fin)
            return nil
        } catch {
            return error
        }
    }

    // MARK: what scenarios do

    /// Reports each end of the process from now on.
    /// - Returns: A token for ``stopObserving(_:)``.
    func observe(_ observer: @escaping @Sendable (SubjectExit) -> Void) -> Int {
        state.withLock { state in
            state.nextObserver += 1
            state.observers[state.nextObserver] = observer
            return state.nextObserver
        }
    }

    func stopObserving(_ observer: Int) {
        _ = state.withLock { $0.observers.removeValue(forKey: observer) }
    }

    private func publish(_ exit: SubjectExit) {
        let observers = state.withLock { Array($0.observers.values) }
        for observer in observers { observer(exit) }
    }

    private var process: SubjectProcess? { state.withLock { $0.process } }

    var exit: SubjectExit? { process?.exit }

    var startedAt: ContinuousClock.Instant { state.withLock { $0.startedAt } }

    /// Whether the process has ended, even if its end is not yet recorded.
    var isEnding: Bool { process?.isEnding ?? true }

    /// Whether a scenario ended it and has not restarted it.
    var wasEndedHere: Bool { process.map { $0.wasKilled || $0.wasAskedToEnd } ?? false }

    var lastOutput: [String] { process.map { words(of: $0) } ?? [] }

    var complaint: String? { process.flatMap { OutputTail.complaint(in: words(of: $0, 60)) } }

    /// Kills the process group at once, on any thread.
    /// - Returns: False if it was already gone.
    @discardableResult
    func kill() -> Bool { process?.kill() ?? false }

    func exit(within limit: Duration) async -> SubjectExit? { await process?.exit(within: limit) }

    func stop(within limit: Duration) async { await process?.end(patience: limit) }

    /// Starts it again with the same data and the same address.
    func restart(within limit: Duration) async throws(HarnessProblem) {
        var attempt = 1
        while true {
            do {
                return try await launch(within: limit)
            } catch {
                // The system may hold the old port for a moment.
                guard error.endedEarly, attempt < Self.attempts, !Task.isCancelled else { throw error }
                attempt += 1
                try? await Task.sleep(for: .milliseconds(250), clock: .continuous)
            }
        }
    }

    func limitFileSize(to bytes: UInt64?) throws(ProcessGroup.LimitProblem) -> Int {
        guard let process else { throw .noProcess }
        return try process.limitFileSize(to: bytes)
    }

    /// Ends it for good, politely first, and removes its data unless the user named the folder.
    func end() async {
        let process = state.withLock { state in
            state.isOver = true
            state.observers = [:]
            return state.process
        }
        await process?.end(patience: Self.exitGrace)
        folder.remove()
    }
}
