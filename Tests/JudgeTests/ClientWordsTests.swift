import TestSupport
import Testing

/// What a client says on its connections, and how it takes what is new to it.
@Suite struct ClientWordsTests {
    private let start = "client!launch A+"

    @Test func `AUTH-10 auth comes first`() throws {
        let clause = ClauseUnderTest("AUTH-10", rule: 1)
        try clause.conforms(start)
        try clause.conforms("client!launch A>open A<open A>auth(-p)")
        try clause.violates("client!launch A>open A<open A>chat(c1)^ A>auth A<connected", also: ["AUTH-10"])
        try clause.violates("client!launch A>open A<open A>ping(n1)^ A>auth A<connected", also: ["AUTH-10"])
        try clause.conforms(
            "client!launch A>open A<open A>auth(protocol=2) A<error(unsupported_version) A<close(4010)")
        try clause.violates(
            "client!launch A>open A<open A>auth(protocol=0)^ A<error(unsupported_version) A<close(4010)")
        try clause.violates("client!launch A>open A<open A>auth(protocol='1')^ A<error(bad_request) A<close(1008)")
        try clause.violates("client!launch A>open A<open +10s^")
        try clause.violates(
            "client!launch A+ A!cut B>open B<open B>sync(e1 #0)^ B>auth B<connected(e1 #0)", also: ["AUTH-10"])
        try clause.untested("client!launch A>open A<refused(503)")
        try clause.untested("client!launch A>open A<open +1s A<close(1013) A>close")
        try clause.untested("client!launch A>open A<open client!background +10s")
    }

    @Test func `AUTH-10 nothing is sent before connected`() throws {
        let clause = ClauseUnderTest("AUTH-10", rule: 2)
        let pending = "client!launch A>open A<open A>auth"
        try clause.conforms("\(pending) +1s A<connected A>chat(c1) A<ack(c1)")
        try clause.conforms("\(pending) client!send(c1) A<connected A>chat(c1) A<ack(c1)")
        try clause.conforms("\(pending) +1s A<close(4001) A>close(4001)")
        try clause.violates("\(pending) client!send(c1) A>chat(c1)^ A<connected A<ack(c1)")
        try clause.violates("\(pending) A>sync(e1 #0)^ A<connected(e1 #0)")
        try clause.violates("\(pending) A>auth^ A<connected")
        try clause.violates("\(pending) +1s A>ping(n1)^")
        try clause.untested(start)  // nobody was kept waiting
        try clause.untested("client!launch A>open A<refused(503)")
    }

    @Test func `AUTH-11 tokens stay out of URLs`() throws {
        let clause = ClauseUnderTest("AUTH-11")
        try clause.conforms("\(start) 1>GET(s1) 1<200(u1 a1)")
        try clause.violates("client!launch A>open(path='/ws?token=‹token of p1›')^ A<open A>auth A<connected")
        try clause.violates("\(start) 1>GET(path='/api/sessions?access_token=‹token›')^ 1<200")
        try clause.untested("client!launch")
    }

    @Test func `ENV-12 what a client sends is valid`() throws {
        let clause = ClauseUnderTest("ENV-12")
        try clause.conforms("\(start) A>chat(c1) A<ack(c1) A>ping(n1) A<pong(n1)")
        try clause.conforms("client!launch A+(e1 #4) A>sync(e1 #2) A<syncResult(e1 #4 complete)")
        for text in [
            "{", "[]", "null", #"{"type":"chat"}"#, #"{"messages":[]}"#, #"{"type":"chat","messages":[]}"#,
            #"{"type":"chat","messages":[{"role":"user","content":7}],"clientMessageId":"c1"}"#,
            #"{"type":"sync","lastSeqSeen":1.5}"#,
            #"{"type":"sync","lastSeqSeen":-1}"#, #"{"type":"hello"}"#, #"{"type":"ping","type":"ping"}"#,
            #"{"type":"ping","nonce":"\uD800"}"#,
        ] {
            try clause.violates("client!launch A+(e1 #0) A>`\(text)`^")
        }
        try clause.untested("client!launch A>open A<refused(503)")
    }

    @Test func `ENV-13 unknown members change nothing`() throws {
        let clause = ClauseUnderTest("ENV-13")
        let asked = "\(start) client=connected(s1 c1) A>chat(c1) A<ack(c1)"
        try clause.conforms("\(asked) A<done(t1 mood='fine') client=connected(s1 u1 a1)")
        try clause.conforms("\(start) A>chat(c1) A<ack(c1 colour=7) A<done(t1) client=connected(s1 u1 a1)")
        try clause.conforms("client!launch A+(motd='hi') client=connected")
        try clause.conforms("client!launch A+(limits.x=1) client=connecting +1s client=connected")
        try clause.violates("\(asked) A<done(t1 mood='fine') +2s^ client=connected(s1 u1 thinking)")
        try clause.violates("\(start) A>chat(c1) A<ack(c1 colour=7) A<done(t1) +2s client=connected(s1 c1)^")
        try clause.violates("client!launch A+(motd='hi') +2s client=connecting^")
        try clause.violates("client!launch A+(motd='hi') A>close(1002) +2s client=connecting^")
        try clause.violates(
            "\(start) A<`{\"type\":\"toolUse\",\"tool\":\"x\",\"sessionId\":\"s1\",\"new\":{}}` A<message(a7) +2s client=connected(s1)^"
        )
        try clause.untested("\(asked) A<done(t1) client=connected(s1 u1 a1)")
        try clause.untested("\(asked) A<done(t1 mood='fine') client=connected(s1 u1 thinking)")  // it had no time
        // What is there when somebody looks again may have come late.
        try clause.violates("\(asked) A<done(t1 mood='fine') +3s^ client=connected(s1 u1 a1)")
        try clause.untested("\(start) A>chat(c1) A<ack(c1 colour=7) A<done(t1) +3s client=connected(s1 u1 a1)")
        try clause.untested("client!launch A+(motd='hi') +3s client=connected")
        try clause.untested("\(asked) A<done(t1 mood='fine') client!selectSession(s2) +2s client=connected(s2)")
        try clause.untested("client!launch A+(motd='hi') A!cut +2s client=connecting")
        // A connection that lasted longer was accepted, and left for a reason of its own.
        try clause.untested("client!launch A+(motd='hi') +3s A>close(1002) +2s client=connecting")
    }

    @Test func `ENV-13 a client that comes back leaves its old connection`() throws {
        let clause = ClauseUnderTest("ENV-13")
        let strange = "A<`{\"type\":\"mood\"}`"
        let back = "client!launch A+ client=connected client!background client!foreground"
        try clause.untested("\(back) \(strange) A>close(1001)")
        let stayed = back.replacing("client!background client!foreground", with: "+2s")
        try clause.violates("\(stayed) \(strange) A>close(1001)^")
    }

    @Test func `ENV-13 what a launch names is looked for over some time`() throws {
        let clause = ClauseUnderTest("ENV-13")
        let told =
            "A+ 1>GET(s2) 1<200(u5) client=connected(s2 u5) +3s A<`{\"type\":\"mood\"}` client=connected(s2 u5 'Not there')"
        try clause.conforms("client!launch(s2 opened=a5) \(told)")
        try clause.violates("client!launch \(told)^")
    }

    @Test func `ENV-13 unknown types are ignored`() throws {
        let clause = ClauseUnderTest("ENV-13")
        let told = "\(start) client=connected(s1 u1) A<`{\"type\":\"typing\",\"sessionId\":\"s1\"}`"
        try clause.conforms("\(told) +2s")
        try clause.conforms("\(told) client=connected(s1 u1)")
        try clause.conforms("\(told) A<done(t1) client=connected(s1 u1 a1)")
        try clause.conforms("\(told) A<error(busy) client=connected(s1 u1 busy)")
        try clause.violates("\(told) client=connected(s1 u1 'unknown type')^")
        try clause.violates("\(told) A>close(1002)^ B+")
        try clause.violates("\(told) A<eof^ B+")
        try clause.violates("\(told) client!exit(code=1)^")
        try clause.violates("\(told) A<done(t1) +2s^ client=connected(s1 u1)")
        try clause.violates("\(told) A<done(t1) +2s^ client=connected(s1 u1 a1)")
        try clause.untested("\(start) client=connected(s1 u1) +2s")
        try clause.untested(told)
        try clause.untested("\(told) client!background A>close(1001)")
    }

    @Test func `CLIENT-15 sync needs an epoch`() throws {
        let clause = ClauseUnderTest("CLIENT-15", rule: 2)
        let back = "client!launch A+(e1 #0) A>chat(c1) A<ack(c1) A!cut B+"
        try clause.conforms("\(back) 1>GET(s1) 1<200(u1 a1)")
        try clause.untested(back)
        try clause.violates("\(back) B>sync(e1 #0)^")
        try clause.violates("client!launch A+ A>sync(#0)^")
        try clause.untested(
            "client!launch A+(e1 #0) A!cut B+(e1 #2) B>sync(e1 #0) B<syncResult(e1 #2 complete)[toolUse(t1 #1)]")
        try clause.untested(start)
    }
}
