@preconcurrency import Dispatch
import HoldfastBasics
import HoldfastPlatform
import HoldfastStage

/// The external reasons for ending a command early: SIGINT, SIGTERM, SIGHUP, and the end of standard input.
///
/// The first one lets the command end properly, and a line says so if that takes longer than a second. A second signal
/// kills the started subjects, removes their folders, and ends the process at once. Signals in quick succession count
/// as one: a service manager or `timeout` signals the program and then its group, and a closing terminal signals more
/// than once too.
package final class Interruptions: Sendable {
    /// For this long after the first signal, further ones count as repeats of it.
    private static let repeatWindow = Duration.seconds(1)

    private let reason = Latch<ContinuousClock.Instant>()
    private let sources: [any DispatchSourceSignal]

    /// Starts to listen for interruptions.
    ///
    /// * `notify`: Gets a line if the command has not ended a second after a signal.
    /// * `leaving`: Called before a second signal ends the process.
    package init(
        ignoringInterrupt: Bool, endingWithInput: Bool, notify: @escaping @Sendable (String) -> Void,
        leaving: @escaping @Sendable () -> Void
    ) {
        let reason = reason
        let firstSignal = Latch<ContinuousClock.Instant>()
        SystemSignal.brokenPipe.ignore()
        if ignoringInterrupt { SystemSignal.interrupt.ignore() }
        var awaited: [SystemSignal] = ignoringInterrupt ? [.terminate] : [.interrupt, .terminate]
        // A program started with `nohup` outlives its terminal.
        if !SystemSignal.hangUp.ignore() { awaited.append(.hangUp) }
        sources = awaited.map { signal in
            signal.ignore()
            let source = DispatchSource.makeSignalSource(signal: signal.rawValue, queue: .global())
            source.setEventHandler {
                let now = ContinuousClock.now
                if firstSignal.set(now) {
                    reason.set(now)
                    let again = signal == .interrupt ? "Ctrl-C again" : "a second signal"
                    DispatchQueue.global().asyncAfter(deadline: .now() + 1) {
                        notify("ending in order; \(again) ends this at once")
                    }
                } else if let first = firstSignal.value, now - first >= Self.repeatWindow {
                    RunningSubjects.killAll()
                    leaving()
                    signal.end()
                }
            }
            source.activate()
            return source
        }
        if endingWithInput {
            DispatchQueue(label: "holdfast.input").async {
                while let bytes = try? Descriptor.standardInput.read(atMost: 1 << 16), !bytes.isEmpty {}
                reason.set(.now)
            }
        }
    }

    /// Returns at the first interruption, immediately if there already was one, or when the calling task is canceled.
    @Sendable package func first() async { await reason.untilSet() }

    deinit {
        for source in sources { source.cancel() }
    }
}

/// Returns when a run must end early.
package typealias Stop = @Sendable () async -> Void

func first(of stops: Stop?...) -> Stop {
    {
        await withTaskGroup(of: Void.self) { group in
            for case let stop? in stops { group.addTask { await stop() } }
            await group.next()
            group.cancelAll()
        }
    }
}

extension Latch {
    /// Returns once the latch is set, or the calling task is canceled.
    @Sendable func untilSet() async { while await wait(within: .seconds(86_400)) == nil, !Task.isCancelled {} }
}

/// Runs the body to its end and cancels it once `stop` returns; the body then returns its partial result.
func cancelling<Result: Sendable>(
    at stop: Stop?, _ body: @escaping @Sendable () async -> Result
) async -> (result: Result, wasInterrupted: Bool) {
    let task = Task { await body() }
    let guarding = Task {
        guard let stop else { return false }
        await stop()
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

/// Runs a body to its end, or cancels it once `stop` returns; a canceled body gives nil.
package func interruptible<Result: Sendable>(
    at stop: Stop?, _ body: @escaping @Sendable () async throws -> Result
) async throws -> Result? {
    let (outcome, wasInterrupted) = await cancelling(at: stop) { () -> Swift.Result<Result, any Error> in
        do { return .success(try await body()) } catch { return .failure(error) }
    }
    return wasInterrupted ? nil : try outcome.get()
}
