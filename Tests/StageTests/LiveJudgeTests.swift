import Holdfast
import HoldfastJudge
import HoldfastPlatform
import HoldfastTranscript
import Testing

@testable import HoldfastProxy

/// What a judge tells of a history without end, of which it sees a window.
@Suite struct LiveJudgeTests {
    private final class Watched: Sendable {
        let events = WatchedEvents(bounds: .init(events: 20, bytes: 1 << 20))
        let told: Told
        let judging: LiveJudge

        final class Told: Sendable {
            let clauses = Mutex<[String]>([])
        }

        init() throws {
            let header = History.Header(
                subject: History.Subject(name: "s", role: .server, profiles: [.core]),
                capture: History.Capture(lacks: [.credentials, .principals]))
            let told = Told()
            self.told = told
            judging = LiveJudge(header, under: try Specification(.embedded), watching: events) { report in
                told.clauses.withLock { $0.append(report.clause.id.description) }
            }
        }

        /// How often it was told that an answer has a member twice.
        var count: Int { told.clauses.withLock { $0.count { $0 == "ENV-1" } } }
        var entry: ClauseTally.Entry? {
            judging.tally.entries.first { $0.key.description == "ENV-1" }?.value
        }

        /// Exchanges of two events each.
        func add(_ numbers: ClosedRange<Int>, broken: Set<Int> = []) {
            for number in numbers {
                let lane = Lane.exchange(number)
                events.add(
                    Event(at: 2 * number, lane: lane, kind: .request(.init(method: "GET", path: "/api/sessions"))))
                let body = broken.contains(number) ? #"{"sessions":[],"sessions":[]}"# : #"{"sessions":[]}"#
                events.add(
                    Event(at: 2 * number + 1, lane: lane, kind: .response(.init(status: 200, body: body))))
            }
        }
    }

    @Test func `a violation in a window that is full is told before a part of it goes`() throws {
        let watched = try Watched()
        watched.add(1...15, broken: [1, 14])
        watched.judging.look(isLast: false)
        #expect(watched.count == 0, "the first look only suspects")
        watched.add(16...17)
        watched.judging.look(isLast: false)
        #expect(watched.count == 2)
        watched.judging.look(isLast: true)
        #expect(watched.count == 2)
        #expect(watched.events.unjudged == 0)
        #expect(watched.entry == ClauseTally.Entry(outcome: .violation, exercised: 17))
    }

    @Test func `what comes while the judge looks is new to the next window`() throws {
        let watched = try Watched()
        watched.add(1...12)
        _ = watched.events.look()
        watched.add(13...14, broken: [13])
        watched.events.letGoIfFull()
        watched.judging.look(isLast: false)
        watched.judging.look(isLast: true)
        #expect(watched.count == 1)
        #expect(watched.events.unjudged == 0)
    }

    @Test func `a judge that is far behind tells what it suspected, and says what it missed`() throws {
        let watched = try Watched()
        watched.add(1...8, broken: [2])
        watched.judging.look(isLast: false)
        watched.add(9...60, broken: [20])
        watched.judging.look(isLast: false)
        #expect(watched.count == 1)
        #expect(watched.events.unjudged > 0)
        watched.add(61...70)
        for isLast in [false, false, true] { watched.judging.look(isLast: isLast) }
        #expect(watched.entry?.outcome == .violation)
    }

    /// Regression: what had pushed out all that was looked at ended the proxy.
    @Test(arguments: 0...150)
    func `what comes faster than it is looked at is let go, whenever that is asked for`(count: Int) {
        let events = WatchedEvents(bounds: .init(events: 20, bytes: 1 << 20))
        func add(_ times: Range<Int>) {
            for time in times { events.add(Event(at: time, lane: .exchange(time), kind: .failed(reason: ""))) }
        }
        add(0..<30)
        _ = events.look()
        add(30..<30 + count)
        events.letGoIfFull()
        let window = events.look()
        #expect(window.events.map(\.at) == Array(window.base..<30 + count))
        #expect(events.unjudged == max(0, window.base - 30))
    }
}
