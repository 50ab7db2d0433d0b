import Holdfast
import HoldfastTranscript
import Testing

@testable import HoldfastStage

/// Which questions a server refused as busy, so that nothing of them is waited for.
@Suite struct BusyQuestionsTests {
    private func busy(_ line: String) throws -> BusyQuestions {
        let subject = History.Subject(name: "x", role: .server, profiles: [.core])
        return BusyQuestions(try NotationExpansion(line, header: History.Header(subject: subject)).history.events)
    }

    private let lane = Lane.connection("A")
    private let answered = "A+ A>chat(c1) A<ack(c1) A<toolUse(t1)"

    @Test func `a refused question leaves nothing once the others have ended`() throws {
        let refused = "\(answered) A>chat(c2 s1) A<error(busy c2)"
        #expect(try !busy(refused).leavesNothingToAwait(on: lane))
        #expect(try busy("\(refused) A<done(t1)").leavesNothingToAwait(on: lane))
        #expect(try busy("\(refused) A<error(agent_failed t1)").leavesNothingToAwait(on: lane))
        // What ended on another connection may still arrive here.
        #expect(try !busy("B+ \(refused) B<done(t1)").leavesNothingToAwait(on: lane))
        #expect(try !busy("\(refused) A<done(t1 duplicate) A>chat(c3)").leavesNothingToAwait(on: lane))
    }

    @Test func `asked again over REST and left, it stands refused as before`() throws {
        let again = "\(answered) A>chat(c2 s1) A<error(busy c2) 1>POST(c2 s1) A<done(t1)"
        #expect(try !busy(again).leavesNothingToAwait(on: lane))
        #expect(try busy("\(again) 1!cut").leavesNothingToAwait(on: lane))
        #expect(try !busy("\(answered) 1>POST(c2 s1) A<done(t1) 1!cut").leavesNothingToAwait(on: lane))
    }

    @Test func `without a refusal every ending is waited for`() throws {
        #expect(try !busy("\(answered) A<done(t1)").leavesNothingToAwait(on: lane))
        #expect(try !busy("\(answered) A<error(rate_limited c2)").leavesNothingToAwait(on: lane))
    }

    @Test func `a question counts in the session it was asked in while it stands refused`() throws {
        let refused =
            "\(answered) A>chat(c2 s1) A<error(busy c2) 1>POST(c3 s1) 1<409(busy) A>chat(c4 s2) A<error(busy c4)"
        #expect(try busy(refused).count(in: "s1") == 2)
        #expect(try busy(refused).count(in: "s2") == 1)
        #expect(try busy("\(refused) A>chat(c2 s1) A<ack(c2) 2>POST(c3 s1) 2<200(t3)").count(in: "s1") == 0)
    }

    @Test func `a connection is known by the refusal it got`() throws {
        let refused = try busy("B+ \(answered) A>chat(c2 s1) A<error(busy c2)")
        #expect(refused.isRefused(on: lane))
        #expect(!refused.isRefused(on: .connection("B")))
    }
}
