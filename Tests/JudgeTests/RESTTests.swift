import TestSupport
import Testing

@Suite struct RESTTests {
    private let turn = "A+ A>chat(c1) A<ack(c1) A<done(t1)"
    private let fails = #"'{"script":[{"fail":"model exploded"}]}'"#

    private func list(_ entries: String) -> String {
        "200(body='{\"sessions\":[\(entries)]}')"
    }

    private func entry(_ id: String, _ updatedAt: String, _ more: String = "") -> String {
        #"{"id":"\#(id)","updatedAt":"\#(updatedAt)","messageCount":2\#(more)}"#
    }

    @Test func `REST-1 successes have their shape`() throws {
        let clause = ClauseUnderTest("REST-1")
        try clause.conforms("1>GET 1<200(s1)")
        try clause.conforms("\(turn) 1>GET(s1) 1<200(u1 a1)")
        try clause.conforms("1>POST(c1) 1<200(t1)")
        try clause.conforms("1>POST(c1) 1<200(t1 later=7)")
        try clause.violates("1>GET 1<200(body='{}')^", also: ["PERSIST-7"])
        try clause.violates("1>GET 1<200(body='<html>')^", also: ["PERSIST-7"])
        try clause.untested("1>GET 1<500(internal)", also: ["PERSIST-7"])
        try clause.violates("1>GET(s8) 1<200(body='{\"session\":{\"id\":\"s8\"}}')^")
        try clause.violates("1>POST(c1) 1<201(t1)^")
        try clause.violates("1>POST(c1) 1<200(t1 -text)^")
        try clause.untested("1>GET(s9) 1<404(session_not_found)")
        try clause.untested("1>GET(-p) 1<401(not_authenticated)")
    }

    @Test func `REST-2 bodies are called JSON`() throws {
        let clause = ClauseUnderTest("REST-2")
        try clause.conforms("1>GET 1<200(s1)")
        try clause.conforms("1>GET 1<200(s1 content-type='Application/JSON; charset=utf-8')")
        try clause.violates("1>GET 1<200(s1 content-type='text/html')^")
        try clause.violates("1>GET(s9) 1<404(session_not_found -content-type)^")
        try clause.untested("1>GET(path='/') 1<200(content-type='text/html')")  // no path of the protocol
    }

    @Test func `REST-3 the newest comes first`() throws {
        let clause = ClauseUnderTest("REST-3")
        try clause.conforms("1>GET 1<200(s2 s1)")
        let (early, late) = ("2026-03-01T08:30:00Z", "2026-03-01T08:30:00.5Z")
        try clause.conforms("1>GET 1<\(list(entry("s1", late) + "," + entry("s2", early)))")
        try clause.conforms("1>GET 1<\(list(entry("s1", early) + "," + entry("s2", early)))")  // equal times
        try clause.conforms("1>GET 1<\(list(entry("s1", early) + "," + entry("s2", "2026-03-01T09:30:00+01:00")))")
        try clause.violates("1>GET 1<\(list(entry("s1", early) + "," + entry("s2", late)))^")
        try clause.violates("1>GET 1<\(list(entry("s1", early) + "," + entry("s2", "2026-03-01T08:30:00-00:01")))^")
        try clause.untested("1>GET 1<200(s1)")
    }

    @Test func `REST-4 every session is listed once`() throws {
        let clause = ClauseUnderTest("REST-4")
        try clause.conforms("\(turn) 1>GET 1<200(s1)")
        try clause.conforms("A+ A>chat(c1) A<ack(c1) A<toolUse(t1) 1>GET 1<200(s1)")
        try clause.conforms("1>POST(c1) 1<200(t1) 2>GET 2<200(s2 s1)")
        try clause.violates("\(turn) 1>GET 1<200(s2)^")
        try clause.violates("\(turn) 1>GET 1<200(s1 s1)^")
        try clause.violates("1>GET 1<200(s2 s1) 2>GET 2<200(s1)^")
        try clause.untested("1>GET 1<200")
        let odd =
            #"A<`{"type":"syncResult","epoch":"e1","lastSeq":1,"missed":[{"type":"presence","sessionId":"s9","seq":1}],"complete":true}`"#
        try clause.conforms(
            "A+(e1 #0) A>sync(e1 #0) \(odd) A>chat(c1) A<ack(c1) A<done(t1 #2) 1>GET 1<200(s1)",
            profiles: [.core, .sync])
        try clause.untested("A+ A>chat(c1) 1>GET A<ack(c1) A<done(t1) 1<200")  // begun before it was named
    }

    @Test func `REST-5 counts are true`() throws {
        let clause = ClauseUnderTest("REST-5")
        try clause.conforms("\(turn) 1>GET 1<200(s1=2) 2>GET(s1) 2<200(u1 a1)")
        try clause.violates("\(turn) 1>GET 1<200(s1=1) 2>GET(s1) 2<200(u1 a1)^")
        try clause.violates("\(turn) 1>GET(s1) 1<200(u1 a1) 2>GET 2<200(s1=3)^")
        try clause.untested("\(turn) 1>GET 1<200(s1=1)")
        try clause.untested("\(turn) 1>GET 1<200(s1=2) A<toolUse(t9) 2>GET(s1) 2<200(u1 a1 u2)")  // asked elsewhere
        try clause.untested("\(turn) 1>GET 1<200(s1=2) A>chat(c2 s1) A<ack(c2) 2>GET(s1) 2<200(u1 a1 u2) A<done(t2)")
    }

    @Test func `ID-8 messages have their ids`() throws {
        let clause = ClauseUnderTest("ID-8", rule: 2)
        try clause.conforms("\(turn) 1>GET(s1) 1<200(u1 a1)")
        try clause.violates("\(turn) 1>GET(s1) 1<200(u1 a1 u2 a2='x' u2)^")
        try clause.violates("A+ A>chat(c1) A<ack(c1) A<done(t1 a1='a7') 1>GET(s1) 1<200(u1 a1)^")
        try clause.violates("1>POST(c1) 1<200(t1 a1='a7') 2>GET(s1) 2<200(u1 a1)^")
        try clause.untested(
            "\(turn) 1>GET(s1) 1<404(session_not_found)", also: ["PERSIST-2", "PERSIST-7", "PERSIST-1"])
    }

    @Test func `ID-4 unknown sessions are not found`() throws {
        let clause = ClauseUnderTest("ID-4", rule: 2)
        try clause.conforms("1>GET(s9) 1<404(session_not_found)")
        try clause.conforms("1>GET(s9) 1<404")  // a code is not demanded
        try clause.violates("1>GET(s9) 1<500(internal)^")
        try clause.violates("1>GET(s9) 1<403(not_authenticated)^")
        try clause.violates("1>GET(s9) 1<404(body='')^")
        try clause.violates("1>GET(s9) 1<200^")  // made up on the spot
        try clause.untested("1>GET(s8) 1<200(u1 a1)")  // may well have existed
        try clause.untested("1>GET(s9 -p) 1<401(not_authenticated)")
    }

    @Test func `ID-4 questions for unknown sessions are not found`() throws {
        let clause = ClauseUnderTest("ID-4", rule: 1)
        let unknown = "1>GET(s9) 1<404(session_not_found) 2>POST(c1 s9)"
        try clause.conforms("\(unknown) 2<404(session_not_found)")
        try clause.untested("1>POST(c1 s9) 1<404(session_not_found)")  // nothing shows that it did not exist
        try clause.violates("\(unknown) 2<400(bad_request)^")
        try clause.violates("\(unknown) 2<200(t1 s9)^")
        try clause.violates("\(unknown) 2<404(body='gone')^")
        try clause.untested("1>POST(c1 s9) 1<200(t1 s9)")
        try clause.untested("1>POST(c1) 1<200(t1)")
    }

    @Test func `ENV-3 malformed questions are bad requests`() throws {
        let clause = ClauseUnderTest("ENV-3", rule: 2)
        for body in [
            "{", "null", "[]", "{}", #"{"messages":[]}"#, #"{"messages":[{"role":"assistant","content":"a"}]}"#,
        ] {
            try clause.conforms("1>POST(body='\(body)') 1<400(bad_request)")
            try clause.violates("1>POST(body='\(body)') 1<500(internal)^")
        }
        try clause.violates("1>POST(body='{') 1<200(t1)^")
        try clause.violates("1>POST(body='{') 1<400(body='no')^")
        try clause.untested("1>POST(c1) 1<200(t1)")
        try clause.untested("1>POST(c1 s1='../x') 1<404(session_not_found)")  // ID-5
    }

    @Test func `ENV-7 and ENV-8 bodies have the limit of frames`() throws {
        let within = ClauseUnderTest("ENV-7", rule: 3)
        let beyond = ClauseUnderTest("ENV-8", rule: 2)
        let (fits, large) = (String(repeating: "x", count: 700), String(repeating: "x", count: 1000))
        let told = "A+(maxFrameBytes=1000)"
        try within.conforms("\(told) 1>POST(c1 '\(fits)') 1<200(s1)")
        try within.violates("\(told) 1>POST(c1 '\(fits)') 1<413(too_large)^")
        try within.violates("\(told) 1>POST(c1) 1<413(too_large)^")
        try within.untested("\(told) 1>POST(c1) 1<200(s1)")  // far below the limit
        try within.untested("\(told) 1>POST(c1 '\(fits)') 1<429(rate_limited)")
        try within.untested("1>POST(c1 '\(fits)') 1<413(too_large) A+(maxFrameBytes=1000)")  // not told yet
        try beyond.conforms("\(told) 1>POST(c1 '\(large)') 1<413(too_large)")
        try beyond.violates("\(told) 1>POST(c1 '\(large)') 1<413(bad_request)^")
        try beyond.violates("\(told) 1>POST(c1 '\(large)') 1<200(s1)^")
        try beyond.untested("\(told) 1>POST(c1 '\(large)')")
        try beyond.untested("\(told) 1>POST(c1 '\(large)') 1<failed('reset')")
        try beyond.violates("\(told) 1>POST(c1 '\(large)') +16s^ 2>GET(health) 2<200")
        try beyond.untested("\(told) 1>POST(c1 '\(fits)') 1<200(s1)")
    }

    @Test func `REST-8 failed turns are server errors`() throws {
        let clause = ClauseUnderTest("REST-8", rule: 2)
        let nameless = #"1<500(body='{"error":"no","code":"agent_failed"}')"#
        try clause.violates("1>POST(c1 \(fails)) \(nameless)^")
        try clause.conforms("1>POST(c1 \(fails)) 1<502(agent_failed t1)")
        try clause.violates("1>POST(c1 \(fails)) 1<200(t1)^")
        try clause.violates("1>POST(c1 \(fails)) 1<400(agent_failed)^", also: ["ENV-7"])
        try clause.violates("1>POST(c1 \(fails)) 1<500(body='<html>')^")
        try ClauseUnderTest("REST-8").violates("1>POST(c1 \(fails)) +40s^")
        try clause.untested("1>POST(c1) 1<500(internal)")
        try clause.untested("1>POST(c1 \(fails)) 1<409(busy)")
        // Nothing was stored, so there was no turn to name; the repeat begins it.
        let unstored = "A+ server!refuseWrites 1>POST(c1 \(fails)) 1<503(persist_failed c1)"
        let turn = "A>chat(c1 \(fails)) A<ack(c1) A<error(agent_failed t1)"
        try clause.conforms("\(unstored) server!acceptWrites \(turn)")
        try clause.violates("\(unstored)^ server!acceptWrites".replacing("server!refuseWrites ", with: ""))
    }

    @Test func `ENV-6 responses say what is stored`() throws {
        let clause = ClauseUnderTest("ENV-6")
        let asked = "1>POST(c1) 1<200(t1 'yes') 2>GET(s1)"
        try clause.conforms("\(asked) 2<200(u1 a1='yes')")
        try clause.violates("\(asked) 2<200(u1 a1='no')^")
        try clause.untested("1>POST(c1) 1<200(t1)")
    }

    @Test func `PERSIST-7 reads are answered while turns run`() throws {
        let clause = ClauseUnderTest("PERSIST-7")
        let running = "A+ A>chat(c1) A<ack(c1) A<toolUse(t1)"
        try clause.conforms("\(running) 1>GET(s1) 1<200(u1) A<done(t1)")
        try clause.conforms("\(running) 1>GET +9s 1<200(s1) A<done(t1)")
        try clause.violates("\(running) 1>GET(s1) +11s 1<200(u1)^ A<done(t1)")
        try clause.violates("\(running) 1>GET +11s^ A<done(t1)")
        try clause.conforms("\(running) A<done(t1) 1>GET(s1) 1<200(u1 a1)")
        try clause.violates("1>GET 1<500(internal)^")
        try clause.violates("\(running) A<done(t1) 1>GET(s1) 1<500(internal)^")
        try clause.violates("\(running) A<done(t1) 1>GET(s1) +11s 1<200(u1 a1)^")
        try clause.untested("1>GET(s9) 1<404(session_not_found)")
    }

    @Test func `REST-8 a question over REST is answered when its turn ends`() throws {
        let clause = ClauseUnderTest("REST-8", rule: 1, profiles: [.core])
        let asked = "A+ 1>POST(c1) A<toolUse(t1) A<done(t1 c1)"
        try clause.conforms("\(asked) +9s 1<200(t1)")
        try clause.violates("\(asked) +11s 1<200(t1)^")
        try clause.violates("\(asked) +11s^")
        try clause.untested("\(asked) +9s")
        try clause.untested("\(asked) 1<failed('reset') +11s")
        try clause.conforms("A+ 1>POST(c1) A<toolUse(t1) 1<200(t1) A<done(t1)")
        try clause.untested("A+ 1>POST(c1) A<toolUse(t1) 1<200(t1)")
        // What a paused connection shows afterwards does not tell when it was sent.
        let paused = "A+ A!stopReading 1>POST(c1) +41s"
        try clause.violates("\(paused)^ 1<failed('late') A!resumeReading A<toolUse(t1) A<done(t1 c1)")
        // A repeat does not stand in line behind itself.
        let begun = "A+ A>chat(c0) A<ack(c0) A<toolUse(t0) A<done(t0) A!cut"
        try clause.violates("\(begun) 1>POST(c1 s1) 1!cut +1s 2>POST(c1 s1) +41s^ 2<failed('late')")
    }

    @Test func `TURN-7 turns are shown as they stand`() throws {
        let clause = ClauseUnderTest("TURN-7", rule: 2, profiles: [.core])
        let asked = "A+ A>chat(c1) A<ack(c1) A<done(t1) A>chat(c2 s1) A<ack(c2) 1>GET(s1)"
        try clause.conforms("\(asked) 1<200(u1 a1 u2 t1=done t2=running) A<done(t2)")
        try clause.conforms("\(asked) 1<200(u1 a1 u2 a2 t1=done t2=done) A<done(t2)")
        try clause.violates("\(asked) 1<200(u1 a1 u2 t1=done t2=done)^ A<done(t2)")
        try clause.violates("\(asked) 1<200(u1 a1 u2 t1=done t2=failed) A<done(t2)^", also: ["TURN-7"])
        try clause.conforms("\(asked) 1<200(u1 a1 u2 t1=done t2=failed) A<error(agent_failed t2)")
        try clause.untested("A+ A>chat(c1) A<ack(c1) 1>GET(s1) 1<200(u1 t1=failed) A<error(agent_failed t1)")
    }

    @Test func `REST-6 short texts end between characters`() throws {
        let clause = ClauseUnderTest("REST-6")
        let family = "👨‍👩‍👧"
        let text = String(repeating: family, count: 20)
        let asked = "A+ A>chat(c1) A<ack(c1) A<done(t1 '\(text)') 1>GET"
        func last(_ value: String) -> String {
            list(entry("s1", "2026-03-01T08:30:00Z", #","lastMessage":"\#(value)""#))
        }
        try clause.conforms("\(asked) 1<\(last(String(repeating: family, count: 5)))")
        try clause.conforms("\(asked) 1<\(last(String(repeating: family, count: 5) + "…"))")
        try clause.conforms("\(asked) 1<\(last(text))")
        try clause.conforms("\(asked) 1<200(s1)")  // shows neither
        try clause.warns("\(asked) 1<\(last(String(repeating: family, count: 5) + "👨…"))^")
        try clause.warns("\(asked) 1<\(last(String(repeating: family, count: 5) + "👨\u{200D}…"))^")
        try clause.warns("\(asked) 1<\(last(String(repeating: family, count: 5) + "\u{FFFD}…"))^")
        try clause.untested("\(asked) 1<\(last("A summary"))")
        try clause.untested("\(turn) 1>GET 1<200(s1)")
    }

    @Test func `REST-7 health needs no token`() throws {
        let clause = ClauseUnderTest("REST-7")
        try clause.conforms("1>GET(health -p) 1<200")
        try clause.violates("1>GET(health -p) 1<401(not_authenticated)^")
        try clause.violates("1>GET(health -p) 1<200(ok=false)^")
        try clause.untested("1>GET 1<200(s1)")
    }
}
