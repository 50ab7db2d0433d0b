import TestSupport
import Testing

/// Where a notification leads.
@Suite struct ClientPushTests {
    private let running = "client!launch A+(e1 #9) client=connected(s1 u1 a1)"
    private let launched = "client!launch(s2 opened=a5) client=connecting A+(e1 #9)"

    @Test func `CLIENT-29 a launch by a notification leads to its message`() throws {
        let clause = ClauseUnderTest("CLIENT-29", profiles: [.clientCore, .clientPush])
        let asked = "\(launched) 1>GET 2>GET(s2)"
        try clause.conforms("\(asked) 2<200(u5 a5) client=connected(s2 u5 a5) 1<200(s9 s2) +100ms")
        let usual = "1<200(s9 s2) client=connected(s9 u9 a9)"
        try clause.conforms("\(asked) \(usual) 2<200(u5 a5) client=connected(s2 u5 a5) +100ms")
        try clause.violates("\(asked) \(usual) 2<200(u5 a5) +5s^")
        try clause.violates("\(asked) \(usual) 2<200(u5 a5) +6s^ client=connected(s2 u5 a5)")  // late
        try clause.violates("\(asked) 2<200(u5 a5) client=connected(s2 u5 a5) \(usual)^")
        try clause.violates("\(asked) 2<200(u5 a5) client=connected(s2 u5) +5s^")
        try clause.violates("\(launched) 1>GET \(usual) +5s^")  // never asked for
        try clause.untested("\(asked) \(usual) +30s")  // withheld
        try clause.untested("\(launched) 1>GET +30s")  // it may look into the list first
        try clause.untested("\(asked) 2<404(session_not_found) client=connected('gone') +30s")
        try clause.untested("\(asked) 2<200(u5 a5) +4s")
        try clause.untested("client!launch client=connecting A+(e1 #9) client=connected(s9 u9 a9) +30s")
    }

    @Test func `CLIENT-29 a tap from the background leads to its message`() throws {
        let clause = ClauseUnderTest("CLIENT-29", profiles: [.clientCore, .clientPush])
        let tapped = "\(running) client!background +1s client!openPush(s2 message=a5) A>close(1001) B+(e1 #9)"
        try clause.conforms("\(tapped) 1>GET(s2) 1<200(u5 a5) client=connected(s2 u5 a5)")
        try clause.violates("\(tapped) 1>GET(s1) 1<200(u1 a1) +5s^")
        try clause.violates("\(tapped) 1>GET(s2) 1<200(u5 a5) client=connected(s2) +5s^")
        try clause.violates(
            "\(tapped) 1>GET(s2) 1<200(u5 a5) client=connected(s2 u5 a5) client=connected(s1 u1 a1)^")
        try clause.untested("\(tapped) 1>GET(s2) +30s")
    }

    @Test func `CLIENT-29 a tap leads to its message also from the screen`() throws {
        let clause = ClauseUnderTest("CLIENT-29", profiles: [.clientCore, .clientPush])
        let tapped = "\(running) client!openPush(s2 message=a5)"
        try clause.conforms("\(tapped) 1>GET(s2) 1<200(u5 a5) client=connected(s2 u5 a5)")
        try clause.conforms(
            "\(tapped) 1>GET(s2) client=connected(s2) 1<200(u5 a5) client=connected(s2 u5 a5) client!selectSession(s1)")
        try clause.violates("\(tapped) +5s^")
        try clause.violates("\(tapped) 1>GET(s2) 1<200(u5 a5) +5s^")
        try clause.untested("\(tapped) 1>GET(s2) client=connected(s2) +30s")
        // What was read before may lack the message.
        let reading = tapped.replacing("client!openPush", with: "3>GET(s2) client!openPush")
        try clause.violates("\(reading) client=connected(s2) 3<200(u5) +5s^")
        try clause.untested("\(reading) client=connected(s2) 3<200(u5) 4>GET(s2) +5s")
        try clause.untested("\(reading) client=connected(s2) +30s")
        try clause.untested("\(reading) client=connected(s2) 3<503(internal) +5s")
        // The session that is shown may lack the message.
        try clause.conforms("\(running) client!openPush(s1 message=a1) client=connected(s1 u1 a1)")
        try clause.violates("\(running) client!openPush(s1 message=a2) +5s^")
        try clause.untested("\(running) client!openPush(s1 message=a2) 1>GET(s1) +5s")
        try clause.conforms(
            "\(running) client!openPush(s1 message=a2) 1>GET(s1) 1<200(u1 a1 u2 a2) client=connected(s1 u1 a1 u2 a2)")
        try clause.untested("\(tapped) 1>GET(s2) 1<200(u5 a5) client!selectSession(s1) +5s")
    }

    @Test func `CLIENT-29 who was sent away cannot read what a tap names`() throws {
        let clause = ClauseUnderTest("CLIENT-29", profiles: [.clientCore, .clientPush])
        let tap = "client!openPush(s2 message=a5) client=offline(s2 'Not loaded') +7s"
        try clause.untested("\(running) A<close(4001) \(tap)")
        try clause.violates("\(running) A<close(1011) \(tap)^")
    }

    @Test func `CLIENT-32 a session that is gone is said so`() throws {
        let clause = ClauseUnderTest("CLIENT-32", rule: 2, profiles: [.clientCore, .clientPush])
        let gone = "\(running) client!openPush(s7 message=a7) 1>GET(s7) 1<404(session_not_found)"
        try clause.conforms("\(gone) client=connected(s1 u1 a1 session_not_found)")
        try clause.conforms("\(gone) client=connected(s7 'That conversation is gone')")
        try clause.violates("\(gone) client=connected(s7) +5s^")
        try clause.violates("\(gone) +6s^ client=connected(s7 'That conversation is gone')")
        try clause.violates("\(gone) +5s^")
        try ClauseUnderTest("CLIENT-27", profiles: [.clientCore, .clientPush]).violates(
            "\(running) 2>GET(s1) 2<200(u1 a1) client!openPush(s7 message=a7) 1>GET(s7) 1<404(session_not_found) client=connected(s7 u1 a1 'gone')^"
        )
        try clause.untested("\(gone) +4s")
        try clause.untested(
            "\(running) client!openPush(s2 message=a5) 1>GET(s2) 1<200(u5 a5) client=connected(s2 u5 a5)")
        // The list can tell as well.
        let listed = "\(running) client!openPush(s7 message=a7) 1>GET 1<200(s2 s1)"
        try clause.conforms("\(listed) client=connected(s1 u1 a1 'gone')")
        try clause.violates("\(listed) +5s^", also: ["CLIENT-29"])
    }

    @Test func `CLIENT-32 a session that cannot be read now is said so`() throws {
        let clause = ClauseUnderTest("CLIENT-32", rule: 2, profiles: [.clientCore, .clientPush])
        let offline = "\(running) client!networkDown client=offline(s1 u1 a1) client!openPush(s2 message=a5)"
        try clause.conforms("\(offline) client=offline(s2 'No network')")
        try clause.violates("\(offline) client=offline(s2) +17s^")
        try clause.untested("\(offline) client=offline(s2) +16s")
        try clause.untested(
            "\(offline) client!networkUp B+(e1 #9) 1>GET(s2) 1<200(u5 a5) client=connected(s2 u5 a5) +17s")
        try clause.untested("\(running) client!networkDown client!openPush(s1 message=a1) +17s")  // it has that
        let failed = "\(running) client!openPush(s2 message=a5) 1>GET(s2) 1<503(internal) client=connected(s2)"
        try clause.conforms("\(failed) +5s 2>GET(s2) 2<503(internal) +5s client=connected(s2 'Not now')")
        try clause.violates("\(failed) +17s^")
        try clause.untested("\(failed) +5s 2>GET(s2) 2<200(u5 a5) client=connected(s2 u5 a5) +17s")
        try clause.untested("\(failed) client!selectSession(s1) 2>GET(s1) client=connected(s1 u1 a1) +17s")
    }

    @Test func `CLIENT-22 a push recovers what no connection delivers`() throws {
        let clause = ClauseUnderTest("CLIENT-22", profiles: [.clientCore, .clientPush])
        let dead = "\(running) A!cut(silence) +1s client!receivePush(s1 message=a2)"
        try clause.conforms("\(dead) 1>GET(s1) 1<200(u1 a1 u2 a2) client=connected(s1 u1 a1 u2 a2)")
        try clause.conforms("\(dead) B+(e1 #9) B>sync(e1 #7) B<syncResult(e1 #9 complete)[done(t2 #9)]")
        try clause.violates("\(dead) +32s^")
        try clause.violates("\(dead) 1>GET(s2) 1<200(u5 a5) +32s^")
        try ClauseUnderTest("CLIENT-25", profiles: [.clientCore, .clientPush]).violates(
            "\(dead) 1>GET(s1) 1<200(u1 a1 u2 a2) client=connected(s1 u1 a1 u2) +17s^")
        try clause.untested("\(dead) +31s")
        try clause.untested("\(running) client!receivePush(s1 message=a2) +32s")  // a live connection delivers
        try clause.untested("\(running) A<done(t2 #10) A!cut(silence) client!receivePush(s1 message=a2) +32s")
        try clause.untested("\(dead.replacing("+1s ", with: "")) +32s")  // it has just delivered
        let closed = "\(running) A<close(4001) client!receivePush(s1 message=a2) +32s"
        try clause.untested(closed)  // its requests would be refused alike
        try clause.violates("\(closed.replacing("4001", with: "1011"))^", also: ["CLIENT-37"])
    }
}
