import Holdfast
import HoldfastTranscript
import TestSupport
import Testing

@testable import HoldfastJudge

/// Which frame belongs to which question.
@Suite struct ObservationsTests {
    private func observe(_ notation: String, _ profiles: Set<Profile> = [.core]) throws -> Observations {
        let subject = History.Subject(name: "golden", role: .server, profiles: profiles)
        let history = try NotationExpansion(notation, header: .init(subject: subject)).history
        return Observations(history, under: try SourceTree.specification())
    }

    @Test func `a letter opened again is a new connection of the same device`() throws {
        let seen = try observe("A+ A!cut A+ B+(p2)")
        #expect(seen.connections.map(\.device) == ["A", "A", "B"])
        #expect(seen.connections.map(\.principal) == ["p1", "p1", "p2"])
        #expect(seen.connections.map { $0.ending?.kind } == [.cut, nil, nil])
    }

    @Test func `a time that ends before it begins lasts no life`() throws {
        let seen = try observe("A+ server!kill A<eof server!start B+ B>ping(n1) B<pong(n1)")
        let last = seen.events.count - 1
        #expect(seen.wasStopped(between: 0, and: last))
        #expect(seen.wasStopped(between: last, and: 0))  // the first life was stopped
        #expect(!seen.wasStopped(between: last, and: last))
    }

    @Test func `frames find their turn by its id`() throws {
        let seen = try observe(
            "A+ A>chat(c1) A>chat(c2) A<ack(c2 s2) A<ack(c1) A<done(t2 s2) A<done(t1)", [.core])
        #expect(seen.turns.map(\.turnId) == ["t1", "t2"])
        #expect(seen.turns.map { $0.ending?.text } == ["answer 1", "answer 2"])
        #expect(seen.turns.map(\.sessionId) == ["s1", "s2"])
    }

    @Test func `a frame on a second device is known before the first device sees it`() throws {
        let seen = try observe("A+ B+ A>chat(c1) B<done(t1) A<ack(c1) A<done(t1)")
        #expect(seen.turns.map { $0.endings.map(\.connection) } == [[1, 0]])
    }

    @Test func `turns that nobody asked for belong to nobody`() throws {
        let seen = try observe(
            "A+ A>chat(c1) A<ack(c1) A<toolUse(t9 s9) A<done(t9 s9) A<done(t1)", [.core])
        #expect(seen.turns.map { $0.frames.count } == [0])
        #expect(seen.turns.map { $0.endings.count } == [1])
    }

    @Test func `a repeat is the same turn, and its copy no ending`() throws {
        let seen = try observe(
            "A+ A>chat(c1) A<ack(c1) A<done(t1) A>chat(c1) A<ack(c1 duplicate) A<done(t1 duplicate) 1>POST(c1) 1<200(t1 duplicate)",
            [.core])
        #expect(seen.turns.count == 1)
        #expect(seen.turns.first?.requests.count == 3)
        #expect(seen.turns.first?.acks.count == 2)
        #expect(seen.turns.first?.endings.count == 1)
        #expect(seen.turns.first?.copies.count == 1)
    }

    @Test func `errors refuse, end a turn, or answer something else`() throws {
        let refused = try observe("A+ A>chat(c1 s1) A<error(busy c1)")
        #expect(refused.turns.map(\.isRefused) == [true])
        let failed = try observe("A+ A>chat(c1) A<ack(c1) A<error(agent_failed t1)")
        #expect(failed.turns.map(\.isRefused) == [false])
        #expect(failed.turns.map { $0.ending?.code } == ["agent_failed"])
        let other = try observe("A+ A>chat(c1) A>`{` A<error(parse_error) A<done(t1)")
        #expect(other.turns.map { $0.request.refusal } == [nil])
        #expect(other.hostileFrames.map { $0.answer?.code } == ["parse_error"])
    }

    @Test func `replayed frames are kept apart from live ones`() throws {
        let seen = try observe(
            "A+(e1 #0) A>chat(c1) A<ack(c1) A!cut B+(e1 #1) B>sync(e1 #0) B<syncResult(e1 #1 complete)[done(t1 #1)]",
            [.core, .sync])
        #expect(seen.turns.map { $0.endings.count } == [0])
        #expect(seen.turns.map { $0.replayed.map(\.seq) } == [[1]])
        #expect(seen.syncs.map(\.claimsComplete) == [true])
    }

    @Test func `frames of one person are nobody else's`() throws {
        let seen = try observe("A+ B+(p2) A>chat(c1) A<ack(c1) B<done(t1)", [.core])
        #expect(seen.turns.map { $0.endings.count } == [0])
    }

    @Test func `absence is proven by time, on a connection that could be read`() throws {
        func proof(_ notation: String) throws -> Int? {
            let seen = try observe(notation)
            let cause = try #require(seen.sent.first { $0.type == "ping" }).event
            return seen.deadline(after: cause, within: .seconds(5), on: 0)?.event
        }
        #expect(try proof("A+ A>ping(n1) +4s") == nil)
        #expect(try proof("A+ A>ping(n1) +4s +1s") == 6)
        #expect(try proof("A+ A>ping(n1) A!cut +5s") == nil)
        #expect(try proof("A+ A>ping(n1) +5s A!cut") == 5)
        #expect(try proof("A+ A>ping(n1) A!stopReading +5s") == nil)
        #expect(try proof("A+ A>ping(n1) A<close(1001) +5s") == nil)
        #expect(try proof("A+ A>ping(n1) server!kill +5s") == nil)
    }
}
