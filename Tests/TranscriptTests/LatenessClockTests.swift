import HoldfastTranscript
import Testing

/// The clock that passes more slowly while the machine is late.
@Suite struct LatenessClockTests {
    private let clock = LatenessClock([
        History.Lateness(from: 100, to: 200, slowness: 2), History.Lateness(from: 300, to: 400, slowness: 10),
    ])

    @Test(arguments: [
        (0, 0), (100, 100), (150, 125), (200, 150), (300, 250), (350, 255), (400, 260), (1000, 860),
    ])
    func `late stretches count for less`(moment: Int, counted: Int) {
        #expect(clock.time(at: moment) == counted)
    }

    @Test func `it never goes back`() {
        let times = (0...500).map { clock.time(at: $0) }
        #expect(zip(times, times.dropFirst()).allSatisfy { $0 <= $1 })
        #expect(
            !clock.wasLate(from: 0, to: 100) && clock.wasLate(from: 0, to: 110) && !clock.wasLate(from: 200, to: 300))
    }

    @Test func `without lateness it is any clock`() {
        #expect(LatenessClock([]).time(at: 12_345) == 12_345)
    }

    @Test func `stretches that overlap or go back are left out`() {
        let hostile = LatenessClock([
            History.Lateness(from: 100, to: 200, slowness: 2), History.Lateness(from: 150, to: 250, slowness: 2),
            History.Lateness(from: 90, to: 80, slowness: 9), History.Lateness(from: 0, to: 50, slowness: 9),
        ])
        #expect(hostile.time(at: 1000) == 950)
    }

    @Test(arguments: [(0.0, 1), (0.04, 1), (0.05, 2), (0.5, 6), (0.9, 10), (3, 10)] as [(Double, Int)])
    func `what was lost says how slow it was`(lost: Double, slowness: Int) {
        #expect(History.Lateness.slowness(losing: lost) == slowness)
    }
}
