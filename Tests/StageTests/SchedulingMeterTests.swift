import HoldfastPlatform
import HoldfastTranscript
import Testing

@testable import HoldfastStage

/// How late a machine is, from when a task was woken.
@Suite struct SchedulingMeterTests {
    private let start = ContinuousClock.now

    /// A meter whose task was woken at these milliseconds.
    private func meter(wokenAt moments: [Int]) -> SchedulingMeter {
        let meter = SchedulingMeter(beginningAt: start)
        for moment in moments { meter.wake(at: start + .milliseconds(moment)) }
        return meter
    }

    private func lateness(_ meter: SchedulingMeter, from first: Int = 0, to last: Int) -> [History.Lateness] {
        meter.lateness(from: start + .milliseconds(first), to: start + .milliseconds(last))
    }

    @Test func `on time is not late`() {
        #expect(lateness(meter(wokenAt: Array(stride(from: 20, through: 1000, by: 20))), to: 1000).isEmpty)
        #expect(lateness(meter(wokenAt: Array(stride(from: 24, through: 960, by: 24))), to: 960).isEmpty)
    }

    @Test func `half of the time lost makes bounds six times as long`() {
        let late = lateness(meter(wokenAt: Array(stride(from: 40, through: 1200, by: 40))), to: 1200)
        #expect(late == [History.Lateness(from: 0, to: 1_200_000, slowness: 6)])
    }

    @Test func `a stall counts where it was`() {
        let moments = Array(stride(from: 20, through: 500, by: 20)) + Array(stride(from: 1500, through: 2000, by: 20))
        let late = lateness(meter(wokenAt: moments), to: 2000)
        #expect(late.count == 1 && late[0].slowness == 10)
        #expect(late[0].from >= 400_000 && late[0].to == 1_500_000)
    }

    @Test func `who was not woken yet has lost that too`() {
        let meter = meter(wokenAt: Array(stride(from: 20, through: 200, by: 20)))
        let once = lateness(meter, from: 100, to: 1200)
        #expect(once == [History.Lateness(from: once[0].from, to: 1_100_000, slowness: 10)])
        // Asking ends a stretch, and changes nothing of it.
        meter.wake(at: start + .milliseconds(1300))
        let twice = lateness(meter, from: 100, to: 1300)
        #expect(twice == [History.Lateness(from: once[0].from, to: 1_200_000, slowness: 10)])
        // What is shorter than a microsecond is left out.
        _ = meter.lateness(from: start, to: start + .milliseconds(1300) + .nanoseconds(100))
        #expect(lateness(meter, from: 100, to: 1300) == twice)
    }

    @Test func `a stall is known however often the meter is asked later`() {
        let meter = meter(wokenAt: [20, 1020])
        for moment in 0..<60_000 {
            if moment.isMultiple(of: 20) { meter.wake(at: start + .milliseconds(1040 + moment)) }
            _ = lateness(meter, from: 1020 + moment, to: 1021 + moment)
        }
        let late = lateness(meter, to: 61_000)
        #expect(late.first?.slowness == 10 && late.allSatisfy { $0.from < 1_020_000 && $0.to <= 1_040_000 })
    }

    @Test func `what others lost counts where it was, and once`() {
        let meter = meter(wokenAt: Array(stride(from: 20, through: 1000, by: 20)))
        func held(_ first: Int, _ last: Int) {
            meter.noteDelay(from: start + .milliseconds(first), to: start + .milliseconds(last))
        }
        held(400, 800)
        held(500, 900)
        held(100, 50)
        let late = lateness(meter, to: 1000)
        #expect(late == [History.Lateness(from: late[0].from, to: late[0].to, slowness: 10)])
        #expect(late[0].from >= 300_000 && late[0].from <= 400_000 && late[0].to >= 900_000 && late[0].to < 1_000_000)
    }

    @Test func `a wait and a judge count the same time`() {
        let moments = Array(stride(from: 20, through: 500, by: 20)) + Array(stride(from: 900, through: 2000, by: 30))
        let meter = meter(wokenAt: moments)
        meter.noteDelay(from: start + .milliseconds(1510), to: start + .milliseconds(1730))
        for first in [0, 100, 455, 700, 888, 1600, 1650, 1985, 2000] {
            let clock = LatenessClock(lateness(meter, from: first, to: 2003))
            let counted = clock.time(at: (2003 - first) * 1000)
            let waited = meter.countedTime(since: start + .milliseconds(first), at: start + .milliseconds(2003))
            #expect(abs(waited / .microseconds(1) - Double(counted)) < 50, "from \(first) ms")
        }
    }

    @Test func `a watched process that waits is late, until it ends`() {
        let meter = meter(wokenAt: Array(stride(from: 20, through: 1000, by: 20)))
        let waited = Mutex<[ProcessID: Duration]?>([1: .seconds(9), 2: .zero])
        meter.watch { waited.withLock { $0.map { WaitingTimes($0) } } }
        meter.readWatched(at: start + .milliseconds(200))
        // Threads wait at the same time: the one that waited longest counts.
        waited.withLock { $0 = [1: .milliseconds(9070), 2: .milliseconds(80), 3: .milliseconds(10)] }
        meter.readWatched(at: start + .milliseconds(400))
        waited.withLock { $0 = nil }
        meter.readWatched(at: start + .milliseconds(600))
        waited.withLock { $0 = [1: .seconds(20)] }
        meter.readWatched(at: start + .milliseconds(800))
        let late = lateness(meter, to: 1000)
        #expect(late.map(\.from) == [300_000] && late.allSatisfy { $0.to == 400_000 && $0.slowness == 9 })
    }

    @Test func `the thread that waited longest counts, and one that waits for a disk`() {
        let before = WaitingTimes([1: .seconds(1), 2: .seconds(2)], onDisk: [2])
        let after = WaitingTimes([1: .milliseconds(1030), 2: .milliseconds(2010), 3: .milliseconds(20)])
        #expect(after.longest(since: before, within: .milliseconds(100)) == .milliseconds(30))
        #expect(after.longest(since: before, within: .milliseconds(25)) == .milliseconds(25))
        let onDisk = WaitingTimes([1: .seconds(1), 2: .seconds(2)], onDisk: [2])
        #expect(onDisk.longest(since: before, within: .milliseconds(100)) == .milliseconds(100))
        let idle = WaitingTimes([1: .seconds(1), 2: .seconds(2)])
        #expect(onDisk.longest(since: idle, within: .milliseconds(100)) == .zero)
    }

    @Test func `by the clock on the wall nothing is late`() async {
        let meter = meter(wokenAt: [1000])
        let late = await byTheWallClock { lateness(meter, to: 1000) }
        #expect(late.isEmpty)
        #expect(lateness(meter, to: 1000).count == 1)
    }

    @Test func `a bound that nobody held up is over in time`() async throws {
        let meter = SchedulingMeter(beginningAt: .now)
        let deadline = ExtendedDeadline(.milliseconds(5), on: meter)
        // A machine that is late itself makes it longer, and not for ever.
        for _ in 0..<100 where deadline.rest > .zero {
            try await Task.sleep(for: deadline.rest)
            // The only task of this meter has just been woken.
            meter.wake(at: .now)
        }
        #expect(deadline.rest <= .zero)
    }
}
