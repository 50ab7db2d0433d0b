import Holdfast
import HoldfastBasics
import HoldfastPlatform
import HoldfastTranscript

/// Measures how late this process is woken, and how long its subjects wait: on an overloaded machine, nothing is on time.
///
/// A task asks to be woken every 20 ms and notes the excess. A subject that takes a second on an idle machine may take
/// many on a busy one, and is not to blame. So bounds are extended (see ``History/Lateness``), both in waits and in
/// judging.
final class SchedulingMeter: Sendable {
    /// The meter of this process; it begins with its first use.
    static let shared: SchedulingMeter = {
        let meter = SchedulingMeter(beginningAt: .now)
        for (pause, act) in [(pause, meter.wake), (length, meter.readWatched)] {
            Task.detached {
                while !Task.isCancelled {
                    try? await Task.sleep(for: pause, clock: .continuous)
                    act(.now)
                }
            }
        }
        return meter
    }()

    /// Whether lateness is measured; see ``byTheWallClock(_:)``.
    @TaskLocal fileprivate static var isMeasuring = true

    /// The time lost until a moment.
    private struct Sample {
        var at: ContinuousClock.Instant
        var lost: Duration
        /// The part of the time until then that counts toward bounds, in microseconds.
        var counted = 0

        /// The factor by which bounds are extended between this sample and a later one.
        func slowness(until later: Sample) -> Int {
            at < later.at ? History.Lateness.slowness(losing: (later.lost - lost) / (later.at - at)) : 1
        }

        mutating func count(since earlier: Sample) {
            counted = earlier.counted + (at - earlier.at).microseconds / earlier.slowness(until: self)
        }
    }

    private struct State {
        var samples: [Sample]
        var lost = Duration.zero
        /// The time at which the task went to sleep, and the part of its lateness that is already in `lost`.
        var asleepSince: ContinuousClock.Instant
        var counted = Duration.zero
        /// The time up to which delays from ``noteDelay(from:to:)`` are counted.
        var heldUntil: ContinuousClock.Instant
        /// Processes, and their waiting times when they were last read.
        var watched: [(waitingTimes: @Sendable () -> WaitingTimes?, known: WaitingTimes)] = []
        var watchedAt: ContinuousClock.Instant

        mutating func count(upTo moment: ContinuousClock.Instant) {
            let late = moment - asleepSince - SchedulingMeter.pause
            guard late > SchedulingMeter.typicalDelay, late > counted else { return }
            lost += late - counted
            counted = late
        }
    }

    private static let pause = Duration.milliseconds(20)
    /// The usual delay of timers on an idle machine.
    private static let typicalDelay = Duration.milliseconds(5)
    /// The minimum length of a sample, unless ``lateness(from:to:)`` ends it earlier.
    private static let length = Duration.milliseconds(100)
    /// The minimum length of a sample that ``lateness(from:to:)`` ends: many waits ask at the same time.
    fileprivate static let shortest = Duration.milliseconds(10)
    /// At most half an hour of the shortest samples; beyond that, the older half is dropped.
    private static let maxSamples = 180_000
    private let state: Mutex<State>

    init(beginningAt start: ContinuousClock.Instant) {
        state = Mutex(
            State(
                samples: [Sample(at: start, lost: .zero)], asleepSince: start, heldUntil: start, watchedAt: start))
    }

    /// Counts the time for which a process waits for a processor or a disk, until its times are nil.
    func watch(_ waitingTimes: @escaping @Sendable () -> WaitingTimes?) {
        guard let known = waitingTimes() else { return }
        state.withLock { $0.watched.append((waitingTimes, known)) }
    }

    /// Counts the longest wait among the watched processes since the last time.
    func readWatched(at moment: ContinuousClock.Instant) {
        let (before, since) = state.withLock { ($0.watched, $0.watchedAt) }
        let times = before.map { $0.waitingTimes() }
        let longest =
            zip(times, before).compactMap { $0?.longest(since: $1.known, within: moment - since) }.max() ?? .zero
        state.withLock { state in
            state.watchedAt = moment
            for (index, times) in times.enumerated().reversed() {
                if let times { state.watched[index].known = times } else { state.watched.remove(at: index) }
            }
        }
        if longest > Self.typicalDelay { noteDelay(from: moment - longest, to: moment) }
    }

    /// Notes a delay between two moments, of something that is immediate on an idle machine.
    func noteDelay(from start: ContinuousClock.Instant, to end: ContinuousClock.Instant) {
        state.withLock { state in
            // Overlapping delays are counted once.
            let start = max(start, state.heldUntil)
            guard start < end else { return }
            state.heldUntil = end
            Self.add(end, to: &state)
            state.lost += end - start
            let first = state.samples.boundary { $0.at > start }
            for index in first..<state.samples.endIndex {
                state.samples[index].lost += min(state.samples[index].at, end) - start
                if index > 0 { state.samples[index].count(since: state.samples[index - 1]) }
            }
        }
    }

    func wake(at moment: ContinuousClock.Instant) {
        state.withLock { state in
            state.count(upTo: moment)
            (state.asleepSince, state.counted) = (moment, .zero)
            if let last = state.samples.last, moment - last.at >= Self.length { Self.add(moment, to: &state) }
        }
    }

    private static func add(_ moment: ContinuousClock.Instant, to state: inout State) {
        guard let last = state.samples.last, last.at < moment else { return }
        var sample = Sample(at: moment, lost: state.lost)
        sample.count(since: last)
        state.samples.append(sample)
        if state.samples.count > maxSamples { state.samples.removeFirst(maxSamples / 2) }
    }

    private static func note(_ moment: ContinuousClock.Instant, in state: inout State) {
        state.count(upTo: moment)
        if let last = state.samples.last, moment - last.at >= shortest { add(moment, to: &state) }
    }

    /// The periods between two moments in which the process was late.
    func lateness(
        from start: ContinuousClock.Instant, to end: ContinuousClock.Instant = .now
    ) -> [History.Lateness] {
        guard Self.isMeasuring else { return [] }
        let samples = state.withLock { state in
            Self.note(end, in: &state)
            let first = state.samples.lastIndex { $0.at <= start } ?? state.samples.startIndex
            return state.samples[first...] + [Sample(at: end, lost: state.lost)]
        }
        var stretches: [History.Lateness] = []
        for (before, after) in zip(samples, samples.dropFirst())
        where after.at > max(start, before.at) && before.at < end {
            let from = max(0, (before.at - start).microseconds)
            let to = (min(after.at, end) - start).microseconds
            let stretch = History.Lateness(from: from, to: to, slowness: before.slowness(until: after))
            guard from < to, stretch.slowness > 1 else { continue }
            if let last = stretches.last, last.to == from, last.slowness == stretch.slowness {
                stretches[stretches.count - 1].to = to
            } else {
                stretches.append(stretch)
            }
        }
        return stretches
    }

    /// The part of the time since a moment that counts toward a bound.
    func countedTime(since start: ContinuousClock.Instant, at now: ContinuousClock.Instant = .now) -> Duration {
        guard Self.isMeasuring else { return now - start }
        return state.withLock { state in
            Self.note(now, in: &state)
            guard let last = state.samples.last else { return now - start }
            var end = Sample(at: now, lost: state.lost)
            end.count(since: last)
            let index = state.samples.boundary { $0.at > start }
            let next = index < state.samples.endIndex ? state.samples[index] : end
            let slowness = index > 0 ? state.samples[index - 1].slowness(until: next) : 1
            return .microseconds((next.at - start).microseconds / slowness + end.counted - next.counted)
        }
    }
}

func isMachineLate() -> Bool { !SchedulingMeter.shared.lateness(from: .now - .milliseconds(100)).isEmpty }

/// Performs scenarios with bounds in wall-clock time, however late the machine is.
///
/// For subjects that are known to be broken, for which bounds need not be extended.
package func byTheWallClock<Result>(_ body: () async throws -> Result) async rethrows -> Result {
    try await SchedulingMeter.$isMeasuring.withValue(false, operation: body)
}

/// A deadline that is postponed while the machine is late.
struct ExtendedDeadline: Sendable {
    private let start = ContinuousClock.now
    private let limit: Duration
    private let meter: SchedulingMeter
    /// A judge counts in whole samples, and must not find that the wait was too short.
    private static let margin = SchedulingMeter.shortest

    init(_ limit: Duration, on meter: SchedulingMeter = .shared) { (self.limit, self.meter) = (limit, meter) }

    /// The remaining time, at the speed of the machine so far; zero or less when it is over.
    var rest: Duration {
        let passed = ContinuousClock.now - start
        let least = limit + Self.margin
        // Before the limit has passed on the wall clock, lateness does not matter.
        return passed < least ? least - passed : least - meter.countedTime(since: start)
    }

    static let waitOut: @Sendable (Duration) async throws -> Void = { limit in
        let deadline = ExtendedDeadline(limit)
        while case let rest = deadline.rest, rest > .zero { try await Task.sleep(for: rest, clock: .continuous) }
    }
}

/// How long each thread of a process has waited for a processor, and which wait for a disk; known on Linux only.
///
/// Threads of one process also wait for each other, if they are more than there are processors.
struct WaitingTimes: Sendable {
    private let times: [ProcessID: Duration]
    private let onDisk: Set<ProcessID>

    init(_ times: [ProcessID: Duration] = [:], onDisk: Set<ProcessID> = []) {
        (self.times, self.onDisk) = (times, onDisk)
    }

    init(of process: ProcessID) {
        let times = ProcessTable.waitingTimes(of: process)
        self.init(times, onDisk: Set(times.keys.filter { ProcessTable.status(of: $0)?.state == "D" }))
    }

    /// The longest wait of a thread since an earlier reading: the whole time if it waited for a disk at both.
    func longest(since earlier: Self, within time: Duration) -> Duration {
        guard onDisk.isDisjoint(with: earlier.onDisk) else { return time }
        return min(time, times.map { $1 - (earlier.times[$0] ?? .zero) }.max() ?? .zero)
    }
}
