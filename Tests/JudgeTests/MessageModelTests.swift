import Holdfast
import TestSupport
import Testing

@testable import HoldfastJudge

/// The messages of the person, run through `Spec/states/client.json`.
@Suite struct MessageModelTests {
    private let asked = "client!launch A+ client=connected(s1 u1 a1) client!send(c2) A>chat(c2 s1)"

    @Test func `what a client is told is an input of the table`() throws {
        let table = try StateTable(.client, "message")
        for input in ClientQuestion.Sign.Input.allCases {
            #expect(table.inputs.contains(input.rawValue))
            #expect(!table.places(of: "sent", input.rawValue).isEmpty, "\(input.rawValue)")
        }
        #expect(!table.places(of: "typed", "road.socket").isEmpty && !table.places(of: "sent", "polling.over").isEmpty)
    }

    @Test func `what a row asks of a screen is on a clause of that row`() throws {
        let table = try StateTable(.client, "message")
        func owed(_ state: String, _ input: String) -> [Set<MessageModel.Part>] {
            table.places(of: state, input).map { MessageModel.Part.owed(after: table.rows[$0]) }
        }
        #expect(owed("sent", "ack") == [[.answered]])
        #expect(owed("sent", "turn.done") == [[.answered, .waiting]])
        #expect(owed("sent", "refusal.later") == [[.errors, .waiting]])
        #expect(owed("sent", "polling.over") == [[]], "CLIENT-39 is not judged by the model")
    }

    @Test func `a finding says the row in words`() throws {
        let error = try ClauseUnderTest("CLIENT-32").findings("\(asked) A<error(rate_limited c2) +17s").first
        #expect(error?.expected.hasPrefix("in 'later', after 'refusal.later': the message marked as failed") == true)
        let waits = "client=connected(s1 u1 a1 u2 thinking)"
        let over = try ClauseUnderTest("CLIENT-30").findings("\(asked) A<ack(c2) \(waits) A<done(t2) +17s").first
        #expect(over?.expected == "in 'answered', after 'turn.done': thinking false")
    }

    @Test func `what came as the client left leaves both worlds, until a sample tells them apart`() throws {
        let clause = ClauseUnderTest("CLIENT-32", rule: 1)
        let left = "\(asked) A<error(agent_failed t2 c2) client!networkDown A!cut(silence) client=offline(s1 u1 a1"
        try clause.untested("\(left) c2) +17s")
        try clause.conforms("\(left) c2 failed=c2) +17s")
        let back =
            "client!networkUp B+ 1>GET(s1) 1<200(u1 a1 u2 t2=failed) client=connected(s1 u1 a1 u2 thinking) +17s^"
        try ClauseUnderTest("CLIENT-30").violates(
            "\(asked) client=connected(s1 u1 a1 c2 thinking) \(left.dropFirst(asked.count)) c2 thinking) \(back)")
    }

    @Test func `words that came late by another road say nothing of what is over`() throws {
        let clause = ClauseUnderTest("CLIENT-30")
        let waits = "client=connected(s1 u1 a1 u2 thinking)"
        let done = "\(asked) A<ack(c2) \(waits) 1>GET(s1) A<done(t2) 1<200(u1 a1 u2)"
        try clause.violates("\(done) \(waits) +17s^")
        try clause.conforms("\(done) client=connected(s1 u1 a1 u2 a2) +17s")
    }
}
