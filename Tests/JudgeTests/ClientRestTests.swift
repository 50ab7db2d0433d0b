import TestSupport
import Testing

/// What a client shows once nothing is under way.
@Suite struct ClientRestTests {
    private let start = "client!launch A+(e1 #0) client=connected(s1) 1>GET(s1) 1<200(u1 a1) client=connected(s1 u1 a1)"

    @Test func `CLIENT-25 at rest the whole history is shown in its order`() throws {
        let clause = ClauseUnderTest("CLIENT-25", rule: 3)
        let told = "\(start) A<message(s1 t2 u2 #1) A<done(s1 t2 a2 #2) server!atRest(s1 u1 a1 u2 a2)"
        try clause.conforms("\(told) client=connected(s1 u1 a1 u2 a2)")
        try clause.conforms("\(told) client=connected(s1 u1 a1) +2s client=connected(s1 u1 a1 u2 a2)")
        try clause.violates("\(told) client=connected(s1 u1 a1) +40s^ client=connected(s1 u1 a1)", also: ["CLIENT-26"])
        // What came beside the stream may have crossed; the stream and a read have an order.
        let read = told.replacing("server!", with: "2>GET(s1) 2<200(u1 a1 u2 a2) server!")
        try clause.violates("\(read) client=connected(s1 u1 a1 a2 u2) +40s^ client=connected(s1 u1 a1 a2 u2)")
        try clause.violates("\(told) client=connected(s1 u1 a1 a2 u2) +40s^ client=connected(s1 u1 a1 a2 u2)")
        let beside = told.replacing("a2 #2", with: "a2")
        try clause.conforms("\(beside) client=connected(s1 u1 a1 a2 u2) +40s client=connected(s1 u1 a1 a2 u2)")
        // A read that began after a message came, and lacks it, lets the screen drop it until it comes again.
        let stale = told.replacing("server!", with: "2>GET(s1) 2<200(u1 a1) server!")
        let dropped = "client=connected(s1 u1 a1) +40s client=connected(s1 u1 a1)"
        try clause.conforms("\(stale) \(dropped)", also: ["CLIENT-26"])
        let whole = stale.replacing("server!", with: "3>GET(s1) 3<200(u1 a1 u2 a2) server!")
        try clause.violates("\(whole) \(dropped.replacing("40s", with: "40s^"))", also: ["CLIENT-26"])
        try clause.untested("\(told) client=connected(s1 u1 a1)")
        try clause.untested("\(told) client!background +40s client=connected(s1 u1 a1)")
        try clause.untested("\(told) client=connected(s2) +40s client=connected(s2)", also: ["CLIENT-26"])
    }

    @Test func `CLIENT-30 at rest nothing is awaited`() throws {
        let clause = ClauseUnderTest("CLIENT-30", rule: 2)
        let rest = "\(start) server!atRest(s1 u1 a1)"
        try clause.conforms("\(rest) client=connected(s1 u1 a1)")
        try clause.violates("\(rest) client=connected(s1 u1 a1 thinking) +40s^ client=connected(s1 u1 a1 thinking)")
        // An open question of another session does not count here.
        let other = "client!send(c2) A>chat(c2 s2) server!atRest(s1 u1 a1)"
        try clause.violates(
            "\(start) \(other) client=connected(s1 u1 a1 thinking) +40s^ client=connected(s1 u1 a1 thinking)",
            also: ["CLIENT-4", "CLIENT-12"])
        // What the server never heard of may be awaited.
        let asked = "\(start) client!send(c2) A>chat(c2 s1) client=connected(s1 u1 a1 thinking) server!atRest(s1 u1 a1)"
        try clause.untested("\(asked) +40s client=connected(s1 u1 a1 thinking)", also: ["CLIENT-4"])
    }

    @Test func `CLIENT-38 at rest no typed message is owed`() throws {
        let clause = ClauseUnderTest("CLIENT-38", rule: 2)
        let first = "client!send(c2) A>chat(c2 s1) A<ack(c2 t2 u2) A<done(s1 t2 a2 #1) client=connected(s1 u1 a1 u2 a2)"
        let rest = "server!atRest(s1 u1 a1 u2 a2)"
        let shown = "client=connected(s1 u1 a1 u2 a2)"
        try clause.conforms("\(start) \(first) +30s \(rest) \(shown)")
        // A second message, never sent.
        try clause.violates("\(start) \(first) client!send(c3) +30s \(rest) \(shown)^", also: ["CLIENT-38"])
        // Shown as failed, or still waiting for an answer that never came.
        try clause.conforms(
            "\(start) \(first) client!send(c3) +5s client=connected(s1 u1 a1 u2 a2 c3 failed=c3) +30s \(rest) \(shown)")
        try clause.untested(
            "\(start) client!send(c2) A>chat(c2 s1) client!send(c3) +30s server!atRest(s1 u1 a1) \(shown)",
            also: ["CLIENT-4", "CLIENT-24"])
        let again = """
            \(start) client!send(c2) A>chat(c2 s1) A<error(persist_failed c2) client!send(c3)
            client=connected(s1 u1 a1 c2 c3 thinking error.c2=persist_failed) A>chat(c2 s1)
            """
        try clause.untested("\(again) +30s server!atRest(s1 u1 a1) \(shown)", also: ["CLIENT-24"])
        try clause.untested("\(start) \(rest) \(shown)")
    }

    @Test func `CLIENT-34 what is on the screen is not unread`() throws {
        let clause = ClauseUnderTest("CLIENT-34", rule: 3)
        let rest = "\(start) server!atRest(s1 u1 a1)"
        let unread =
            "client=state(json='{\"connection\":\"connected\",\"sessionId\":\"s1\",\"messages\":[],\"unread\":{\"s1\":1}}')"
        try clause.conforms("\(rest) client=connected(s1 u1 a1)")
        try clause.warns("\(rest) \(unread) +40s^ \(unread)", also: ["CLIENT-25"])
    }
}
