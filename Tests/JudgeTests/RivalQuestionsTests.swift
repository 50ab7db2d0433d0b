import Holdfast
import TestSupport
import Testing

/// Two different questions under one key that are under way on two transports at one moment: the server takes one and refuses
/// the other, and no order in which the client sees that accuses it.
@Suite struct RivalQuestionsTests {
    private static let profiles: Set<Profile> = [.core, .sync]

    /// What happens, each with what has to come before it.
    private struct Course {
        var events: [(text: String, after: [String])]

        /// Every order of the events that keeps what has to come before.
        func orders(_ begun: [String] = []) -> [[String]] {
            let ready = events.filter { event in
                !begun.contains(event.text) && event.after.allSatisfy(begun.contains)
            }
            return ready.isEmpty ? [begun] : ready.flatMap { orders(begun + [$0.text]) }
        }
    }

    private static let one = "A>chat(c1 'one')"

    @Test(arguments: ["A<done(t1 #2)", "A<error(agent_failed t1 #2)"])
    func `the one over REST was taken`(_ ending: String) throws {
        let post = "1>POST(c1 'two')"
        let course = Course(events: [
            (Self.one, []), (post, []), ("A<error(idempotency_mismatch c1)", [Self.one, post]),
            ("A<message('two' u1 t1 c1 #1)", [post]), (ending, ["A<message('two' u1 t1 c1 #1)"]),
            (ending.contains("done") ? "1<200(t1)" : "1<500(agent_failed t1)", [post]),
        ])
        try Self.keeps(course, read: ending.contains("done") ? "u1='two' a1" : "u1='two' t1=failed")
    }

    @Test(arguments: ["A<done(t1 #2)", "A<error(agent_failed t1 #2)"])
    func `the one on the socket was taken`(_ ending: String) throws {
        let post = "1>POST(c1 'two')"
        let course = Course(events: [
            (Self.one, []), (post, []), ("A<ack(c1)", [Self.one]), (ending, ["A<ack(c1)"]),
            ("B<message('one' u1 t1 c1 #1)", [Self.one]), ("1<422(idempotency_mismatch c1)", [Self.one, post]),
        ])
        try Self.keeps(course, read: ending.contains("done") ? "u1='one' a1" : "u1='one' t1=failed")
    }

    @Test func `both came on sockets`() throws {
        let other = "B>chat(c1 'two')"
        let course = Course(events: [
            (Self.one, []), (other, []), ("B<ack(c1)", [other]),
            ("A<error(idempotency_mismatch c1)", [Self.one, other]),
            ("A<message('two' u1 t1 c1 #1)", [other]), ("A<done(t1 #2)", ["A<message('two' u1 t1 c1 #1)"]),
            ("B<done(t1 #2)", ["B<ack(c1)"]),
        ])
        try Self.keeps(course, read: "u1='two' a1")
    }

    @Test func `both came over REST`() throws {
        let (first, other) = ("2>POST(c1 'one')", "1>POST(c1 'two')")
        let course = Course(events: [
            (first, []), (other, []), ("1<200(t1)", [other]), ("2<422(idempotency_mismatch c1)", [first, other]),
            ("A<message('two' u1 t1 c1 #1)", [other]), ("A<done(t1 #2)", ["A<message('two' u1 t1 c1 #1)"]),
        ])
        try Self.keeps(course, read: "u1='two' a1")
    }

    @Test func `a third repeats either of them`() throws {
        let post = "1>POST(c1 'two')"
        for (again, answer) in [("'two'", "B<ack(c1 duplicate)"), ("'one'", "B<error(idempotency_mismatch c1)")] {
            let course = Course(events: [
                (Self.one, []), (post, []), ("A<error(idempotency_mismatch c1)", [Self.one, post]),
                ("A<message('two' u1 t1 c1 #1)", [post]), ("B>chat(c1 \(again))", [post]),
                (answer, ["B>chat(c1 \(again))"]), ("1<200(t1)", [post, answer]),
            ])
            try Self.keeps(course, read: "u1='two' a1")
        }
    }

    @Test func `one answer is lost`() throws {
        let post = "1>POST(c1 'two')"
        let refused = Course(events: [
            (Self.one, []), (post, []), ("A<error(idempotency_mismatch c1)", [Self.one, post]), ("1<failed", [post]),
        ])
        try Self.keeps(refused, read: "u1='two' a1")
        let cut = Course(events: [
            (Self.one, []), (post, []), ("A!cut", [Self.one]), ("1<422(idempotency_mismatch c1)", [Self.one, post]),
        ])
        try Self.keeps(cut, read: "u1='one' a1")
    }

    private static func keeps(_ course: Course, read: String) throws {
        let clause = ClauseUnderTest("ENV-2", profiles: profiles)
        for order in course.orders() {
            let line = order.joined(separator: " ")
            try clause.conforms("A+(e1 #0) B+(e1 #0) \(line) 9>GET(s1) 9<200(\(read))")
        }
    }
}
