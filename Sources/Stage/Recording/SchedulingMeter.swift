import Holdfast
import HoldfastBasics
import HoldfastPlatform
import HoldfastTranscript

/// How late this process is woken, and its drivers: on a machine that has no time for them, nothing is on time.
///
/// A task asks to be woken every 20 ms and notes what comes on top. A subject that takes a second on an idle machine takes many
/// there, and is not to blame: so the time in which something has to come passes more slowly (see ``History/Lateness``), where it
/// is waited for and where it is judged.
final class SchedulingMeter: Sendable {
    /// The meter of this process; it begins with the first question.
    static let shared: SchedulingMeter = {
        let meter = SchedulingMeter(beginningAt: .now)
        Task.detached {
            while !Task.isCancelled {
                try? await Task.sleep(for: pause, clock: .continuous)
                meter.wake(at: .now)
            }
        }
        return meter
    }()

    /// Whether lateness is measured; see ``byTheWallClock(_:)``.
    @TaskLocal fileprivate static var isAsked = true

    /// The time lost until a moment.
    private struct Sample {
        var at: ContinuousClock.Instant
        var lost: Duration
    }

    private struct State {
        var samples: [Sample]
        var lost = Duration.zero
        /// When the task went to sleep, and what of its lateness is in `lost` already.
        var asleepSince: ContinuousClock.Instant
        var counted = Duration.zero
        /// Until when it is known what others lost.
        var heldUntil: ContinuousClock.Instant

        /// Counts by how much the task is too late at a moment.
        mutating func count(upTo moment: ContinuousClock.Instant) {
            let late = moment - asleepSince - SchedulingMeter.pause
            guard late > SchedulingMeter.usual, late > counted else { return }
            lost += late - counted
            counted = late
        }
    }

    private static let pause = Duration.milliseconds(20)
    /// Timers of an idle machine are as late as this.
    private static let usual = Duration.milliseconds(5)
    /// The minimum length of a sample, unless it is requested.
    private static let length = Duration.milliseconds(100)
    /// How far back it can tell: half an hour, more than any scenario takes.
    private static let kept = 18_000
    private let state: Mutex<State>

    init(beginningAt start: ContinuousClock.Instant) {
        state = Mutex(State(samples: [Sample(at: start, lost: .zero)], asleepSince: start, heldUntil: start))
    }

    /// Something beside this process that comes at once on an idle machine took from one moment to another.
    func held(from start: ContinuousClock.Instant, to end: ContinuousClock.Instant) {
        state.withLock { state in
            // Time that several lost simultaneously was lost once.
            let start = max(start, state.heldUntil)
            guard start < end else { return }
            state.heldUntil = end
            Self.add(end, to: &state)
            for index in state.samples.indices.reversed() {
                guard state.samples[index].at > start else { break }
                state.samples[index].lost += min(state.samples[index].at, end) - start
            }
            state.lost += end - start
        }
    }

    /// The task was woken, and sleeps again.
    func wake(at moment: ContinuousClock.Instant) {
        state.withLock { state in
            state.count(upTo: moment)
            (state.asleepSince, state.counted) = (moment, .zero)
            if let last = state.samples.last, moment - last.at >= Self.length { Self.add(moment, to: &state) }
        }
    }

    private static func add(_ moment: ContinuousClock.Instant, to state: inout State) {
        guard state.samples.last.map({ $0.at < moment }) ?? true else { return }
        state.samples.append(Sample(at: moment, lost: state.lost))
        if state.samples.count > kept { state.samples.removeFirst(kept / 2) }
    }

    /// The stretches of time between two moments in which the process was late; asking ends one.
    func lateness(
        from start: ContinuousClock.Instant, to end: ContinuousClock.Instant = .now
    ) -> [History.Lateness] {
        guard Self.isAsked else { return [] }
        let samples = state.withLock { state in
            state.count(upTo: end)
            Self.add(end, to: &state)
            let first = state.samples.lastIndex { $0.at <= start } ?? state.samples.startIndex
            return Array(state.samples[first...])
        }
        var stretches: [History.Lateness] = []
        for (before, after) in zip(samples, samples.dropFirst()) where after.at > start && before.at < end {
            let from = max(0, (before.at - start).microseconds)
            let to = (min(after.at, end) - start).microseconds
            let share = (after.lost - before.lost) / (after.at - before.at)
            guard from < to, let stretch = History.Lateness(from: from, to: to, lost: share) else { continue }
            if let last = stretches.last, last.to == from, last.slowness == stretch.slowness {
                stretches[stretches.count - 1].to = to
            } else {
                stretches.append(stretch)
            }
        }
        return stretches
    }

    /// How much of the time since a moment counts for a bound.
    func patience(since start: ContinuousClock.Instant) -> Duration {
        let now = ContinuousClock.now
        let clock = PatientClock(lateness(from: start, to: now))
        return .microseconds(clock.time(at: (now - start).microseconds))
    }
}

/// Whether the machine woke this process late within the last moments.
package func isMachineLate() -> Bool {
    !SchedulingMeter.shared.lateness(from: .now - .milliseconds(100)).isEmpty
}

/// Performs scenarios with bounds that pass as the clock on the wall does, however late the machine is.
///
/// For subjects that are known to be broken, which need no patience.
package func byTheWallClock<Result>(_ body: () async throws -> Result) async rethrows -> Result {
    try await SchedulingMeter.$isAsked.withValue(false, operation: body)
}

/// The end of a bound that passes more slowly while the machine is late.
struct PatientDeadline: Sendable {
    private let start = ContinuousClock.now
    private let limit: Duration
    private let meter: SchedulingMeter
    /// A judge counts in whole microseconds, and must not find that less was watched.
    private static let margin = Duration.milliseconds(1)

    init(_ limit: Duration, on meter: SchedulingMeter = .shared) { (self.limit, self.meter) = (limit, meter) }

    /// The remaining time, at the speed of the machine so far; zero or less when it is over.
    var rest: Duration {
        let passed = ContinuousClock.now - start
        let least = limit + Self.margin
        // The time of the next check.
        return passed < least ? least - passed : least - meter.patience(since: start)
    }
}
