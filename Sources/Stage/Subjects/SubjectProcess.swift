@preconcurrency import Dispatch
import HoldfastBasics
import HoldfastPlatform
import Subprocess

/// One process the suite started, with everything it started in turn.
///
/// It leads its own process group, so that a Ctrl-C at the terminal does not reach it and a kill reaches all of it. Its
/// standard input stays open until it is closed here, and ends with the suite.
final class SubjectProcess: Sendable {
    struct Launch: Sendable {
        var command: [String]
        var directory: String?
        /// Variables added to those of the suite.
        var environment: [String: String] = [:]
        /// A piece of its output that signals readiness.
        var ready: String?
        /// Takes standard output without standard error, and returns whether to go on; nil keeps the end of both.
        var takesOutput: (@Sendable ([UInt8]) -> Bool)?
    }

    struct LaunchProblem: Error {
        let reason: String
    }

    let output: OutputTail
    /// Set when the process has ended, and nothing is left of it.
    private let ended = Latch<SubjectExit>()
    private let group: ProcessGroup
    /// The writing end of its standard input, while that is open.
    private let input: Mutex<Descriptor?>
    /// Reads standard output if it is separate.
    private let answers: PipeReader?
    private let onExit: @Sendable (SubjectExit) -> Void

    private struct State {
        /// While true, the process id can belong to no other process.
        var mayBeSignaled = true
        var wasKilled = false
        var wasAskedToEnd = false
        var leftProcessesBehind = false
    }

    private let state = Mutex(State())

    private init(
        group: ProcessGroup, output: OutputTail, answers: PipeReader?, input: Descriptor,
        onExit: @escaping @Sendable (SubjectExit) -> Void
    ) {
        (self.answers, self.onExit, self.group, self.output) = (answers, onExit, group, output)
        self.input = Mutex(input)
    }

    var exit: SubjectExit? { ended.value }

    var wasKilled: Bool { state.withLock { $0.wasKilled } }

    var wasAskedToEnd: Bool { state.withLock { $0.wasAskedToEnd } }

    /// Whether some of its processes outlived their leader; these were ended.
    var leftProcessesBehind: Bool { state.withLock { $0.leftProcessesBehind } }

    /// Whether its leader has ended; the others may take a moment longer.
    var isEnding: Bool { exit != nil || state.withLock { !$0.mayBeSignaled || group.leaderHasEnded } }

    /// The processor time of it and its children; nil if unknown, and once it has ended.
    var processorTime: Duration? { exit == nil ? group.processorTime : nil }

    /// How long each thread of its leader has waited for a processor; nil once it has ended.
    var waitingTimes: WaitingTimes? { exit == nil ? WaitingTimes(of: group.leader) : nil }

    /// Waits for the end; nil if the process does not end within the limit.
    func exit(within limit: Duration) async -> SubjectExit? { await ended.wait(within: limit) }

    // MARK: starting

    /// Starts a process.
    ///
    /// * `onExit`: Called with the way it ended, before any waiting task continues.
    /// - Returns: A process that runs, or has ended.
    static func start(
        _ launch: Launch, onExit: @escaping @Sendable (SubjectExit) -> Void = { _ in }
    ) async throws(LaunchProblem) -> SubjectProcess {
        let pipes = (0..<(launch.takesOutput == nil ? 2 : 3)).map { _ in Descriptor.pipe() }
        guard let program = launch.command.first, let input = pipes[0], let errorPipe = pipes[1],
            let outPipe = pipes[pipes.count - 1]
        else {
            for end in pipes.compactMap({ $0 }).flatMap({ [$0.reading, $0.writing] }) { end.close() }
            throw LaunchProblem(reason: "no pipe could be made")
        }
        // The suite never waits inside a write.
        input.writing.setNonblocking()
        let id = UniqueName.uuid()
        let mark = "\(StartCommand.instanceVariable)=\(id)"
        let output = OutputTail(reading: errorPipe.reading, ready: launch.ready)
        let answers = launch.takesOutput.map { PipeReader(outPipe.reading, take: $0) }
        // Both may be the same pipe, whose end must be closed only once.
        let writingEnds = Set([errorPipe.writing, outPipe.writing])
        var variables: [Environment.Key: String?] = [:]
        for (name, value) in launch.environment { variables[Environment.Key(stringLiteral: name)] = value }
        variables[Environment.Key(stringLiteral: StartCommand.instanceVariable)] = id
        var options = PlatformOptions()
        options.processGroupID = 0
        let folder = program.hasPrefix("/") ? "" : launch.directory.map { "\($0)/" } ?? ""
        let configuration = Configuration(
            executable: program.contains("/") ? .path(.init(folder + program)) : .name(program),
            arguments: Arguments(Array(launch.command.dropFirst())), environment: .inherit.updating(variables),
            workingDirectory: launch.directory.map { .init($0) }, platformOptions: options)
        let started = Latch<Result<SubjectProcess, LaunchProblem>>()
        RunningSubjects.willStart()
        // The task outlives its creator: it ends only with the process, which other code ends.
        Task.detached {
            var process: SubjectProcess?
            do {
                let result = try await Subprocess.run(
                    configuration,
                    input: .fileDescriptor(.init(rawValue: input.reading.number), closeAfterSpawningProcess: false),
                    output: .fileDescriptor(.init(rawValue: outPipe.writing.number), closeAfterSpawningProcess: false),
                    error: .fileDescriptor(.init(rawValue: errorPipe.writing.number), closeAfterSpawningProcess: false)
                ) { execution in
                    for end in writingEnds.union([input.reading]) { end.close() }
                    let new = SubjectProcess(
                        group: ProcessGroup(leader: execution.processIdentifier.value, mark: mark), output: output,
                        answers: answers, input: input.writing, onExit: onExit)
                    process = new
                    RunningSubjects.add(new.group.leader)
                    // No task waits for it any more, so nothing else could end it.
                    if !started.set(.success(new)) { new.kill() }
                    await new.watch()
                }
                process?.finish(result.terminationStatus)
            } catch {
                if let process {
                    process.finish(.signaled(SystemSignal.kill.rawValue))
                } else {
                    for end in writingEnds.union([input.reading, input.writing]) { end.close() }
                    RunningSubjects.noneStarted()
                    started.set(.failure(LaunchProblem(reason: "\(error)")))
                }
            }
        }
        // A canceled task waits too: only the result shows what must be ended.
        let late = LaunchProblem(reason: "the system started no process within \(Int(startLimit / .seconds(1))) s")
        _ = await Task.detached { await started.wait(within: startLimit) }.value
        started.set(.failure(late))
        return try (started.value ?? .failure(late)).get()
    }

    /// The time in which the system must start a process, usually milliseconds; only a lack of memory or process ids
    /// delays a fork, and a run on a machine that needs a minute would prove nothing.
    private static let startLimit = Duration.seconds(60)

    /// The time in which a killed process must be gone, also usually milliseconds; only the kernel itself can delay
    /// that, as in a read from a disk that does not answer, and then waiting does not help.
    private static let deathLimit = Duration.seconds(60)

    /// Returns when the leader and all its other processes have ended; until then its id stays reserved.
    private func watch() async {
        let leader = group.leader
        await withCheckedContinuation { (continuation: CheckedContinuation<Void, Never>) in
            DispatchQueue(label: "holdfast.process").async {
                Processes.waitForEnd(of: leader)
                let leftProcessesBehind = self.group.sweep()
                self.state.withLock { state in
                    state.mayBeSignaled = false
                    state.leftProcessesBehind = leftProcessesBehind
                }
                continuation.resume()
            }
        }
    }

    private func finish(_ status: TerminationStatus) {
        state.withLock { $0.mayBeSignaled = false }
        let hadLeftOrphans = RunningSubjects.remove(group.leader)
        if hadLeftOrphans { state.withLock { $0.leftProcessesBehind = true } }
        closeInput()
        output.finish()
        answers?.finish()
        let exit: SubjectExit =
            switch status {
            case .exited(let code): .code(Int(code))
            case .signaled(let number): .signal(numbered: number)
            }
        onExit(exit)
        ended.set(exit)
    }

    // MARK: talking

    /// Writes to its standard input, and waits while the pipe is full.
    /// - Returns: False if it does not read all of it within the limit, or has stopped reading.
    func write(_ bytes: [UInt8], within limit: Duration) async -> Bool {
        var rest = bytes[...]
        let deadline = ContinuousClock.now + limit
        while !rest.isEmpty {
            guard let count = writeNow(rest) else { return false }
            rest = rest.dropFirst(count)
            if count == 0 {
                guard ContinuousClock.now < deadline, !Task.isCancelled else { return false }
                try? await Task.sleep(for: .milliseconds(5), clock: .continuous)
            }
        }
        return true
    }

    func closeInput() {
        input.withLock { input in
            input?.close()
            input = nil
        }
    }

    /// Writes as much as the pipe accepts now; nil without a reader.
    private func writeNow(_ bytes: ArraySlice<UInt8>) -> Int? {
        _ = Self.brokenPipesAreErrors
        return input.withLock { input in
            guard let input else { return nil }
            do throws(SystemError) {
                return try input.write(bytes)
            } catch {
                return error == .wouldWait ? 0 : nil
            }
        }
    }

    private static let brokenPipesAreErrors: Void = { _ = SystemSignal.brokenPipe.ignore() }()

    // MARK: ending

    /// Ends the whole group at once, on any thread.
    /// - Returns: False if there is nothing left to end.
    @discardableResult
    func kill() -> Bool {
        state.withLock { state in
            guard state.mayBeSignaled else { return false }
            let isFirst = !group.leaderHasEnded
            group.kill()
            if isFirst { state.wasKilled = true }
            return isFirst
        }
    }

    func terminate() {
        state.withLock { state in
            guard state.mayBeSignaled else { return }
            state.wasAskedToEnd = true
            group.terminate()
        }
    }

    /// Ends it in any case: first asks and waits this long, then kills; kills at once if the task is canceled.
    @discardableResult
    func end(patience: Duration) async -> SubjectExit {
        if exit == nil, patience > .zero, !Task.isCancelled {
            terminate()
            if let exit = await exit(within: patience) { return exit }
        }
        kill()
        // This wait cannot be canceled.
        return await Task.detached { [self] in
            let deadline = ContinuousClock.now + Self.deathLimit
            while ContinuousClock.now < deadline {
                if let exit = await exit(within: .seconds(5)) { return exit }
                kill()
            }
            return .signal(numbered: SystemSignal.kill.rawValue)
        }.value
    }

    // MARK: writes

    /// Makes writes to files fail, or succeed again, in all its processes.
    func limitFileSize(to bytes: UInt64?) throws(ProcessGroup.LimitProblem) -> Int {
        guard exit == nil else { throw .noProcess }
        return try group.limitFileSize(to: bytes)
    }
}
