@preconcurrency import Dispatch
import Foundation
import Platform
import Stage
import Synchronization

/// The reasons from outside for which a command ends early: SIGINT, SIGTERM, SIGHUP, and the end of standard input.
///
/// The first one is reported and lets the command end in order; a second signal ends the process at once, with the subjects
/// it started and the folders it made for them. Signals that come together are one: a service manager or `timeout` signals
/// the program and then its group, and a terminal that goes away signals more than once too.
final class Interruptions: Sendable {
    private let reasons = Reasons()
    private let sources: [any DispatchSourceSignal]

    init(ignoringInterrupt: Bool = false, endingWithInput: Bool = false) {
        let reasons = reasons
        SystemSignal.brokenPipe.ignore()
        if ignoringInterrupt { SystemSignal.interrupt.ignore() }
        let signals = DeliberateSignals()
        var awaited: [SystemSignal] = ignoringInterrupt ? [.terminate] : [.interrupt, .terminate]
        // Whoever started the program may want it to outlive the end of the terminal, as `nohup` does.
        if !SystemSignal.hangUp.ignore() { awaited.append(.hangUp) }
        sources = awaited.map { signal in
            signal.ignore()
            let source = DispatchSource.makeSignalSource(signal: signal.rawValue, queue: .global())
            source.setEventHandler {
                switch signals.note(at: .now) {
                case .first: reasons.add()
                case .echo: break
                case .second:
                    RunningSubjects.killAll()
                    Console.endProgress()
                    signal.end()
                }
            }
            source.activate()
            return source
        }
        if endingWithInput {
            let input = Thread {
                while let bytes = try? FileHandle.standardInput.read(upToCount: 1 << 16), !bytes.isEmpty {}
                reasons.add()
            }
            input.start()
        }
    }

    /// Returns at the first interruption, at once when it was before, or when the calling task is cancelled.
    func first() async {
        for await _ in reasons.stream() { return }
    }

    /// Runs the body to its end, cancelled at the first interruption; what it returns then is what was learnt so far.
    static func cancel<Result: Sendable>(
        _ body: @escaping @Sendable () async -> Result, at interruptions: Interruptions?
    ) async -> (result: Result, wasInterrupted: Bool) {
        let task = Task { await body() }
        let guarding = Task {
            guard let interruptions else { return false }
            await interruptions.first()
            guard !Task.isCancelled else { return false }
            task.cancel()
            return true
        }
        return await withTaskCancellationHandler {
            let result = await task.value
            guarding.cancel()
            return (result, await guarding.value)
        } onCancel: {
            task.cancel()
        }
    }

    deinit {
        for source in sources { source.cancel() }
    }
}

/// Whether there was a reason to end, told to all that wait for one.
private final class Reasons: Sendable {
    private let state = Mutex<(has: Bool, waiting: [AsyncStream<Void>.Continuation])>((false, []))

    func add() {
        let waiting = state.withLock { state in
            state.has = true
            defer { state.waiting = [] }
            return state.waiting
        }
        for continuation in waiting { continuation.yield() }
    }

    /// A stream of its own for each that waits, because one whose reader was cancelled has ended.
    func stream() -> AsyncStream<Void> {
        let (stream, continuation) = AsyncStream.makeStream(of: Void.self)
        let has = state.withLock { state in
            if !state.has { state.waiting.append(continuation) }
            return state.has
        }
        if has { continuation.yield() }
        return stream
    }
}
