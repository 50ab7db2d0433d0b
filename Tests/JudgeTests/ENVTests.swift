import TestSupport
import Testing

@Suite struct ENVTests {
    /// The fence after a hostile message.
    private let alive = "A>ping(n1) A<pong(n1)"

    @Test func `ENV-1 every text is an object with a type`() throws {
        let clause = ClauseUnderTest("ENV-1")
        try clause.conforms("A+ A>ping(n1) A<pong(n1)")
        try clause.conforms("A+ A<`{\"type\":\"typing\",\"who\":1}`")  // a type of the future is a type
        try clause.violates("A+ A<`[]`^")
        try clause.violates("A+ A<`{\"kind\":\"pong\"}`^")
        try clause.violates("A+ A<`{\"type\":7}`^")
        try clause.violates("A+ A<`pong`^")
        try clause.violates("A+ A<binary(00ff)^")
        try clause.untested("A>open A<refused(503)")
    }

    @Test func `ENV-2 every frame of a known type is valid`() throws {
        let clause = ClauseUnderTest("ENV-2")
        try clause.conforms("A+ A>chat(c1) A<ack(c1) A<toolUse(t1) A<done(t1)")
        try clause.conforms("A+ A<done(t9 later=7)")  // unknown members
        try clause.conforms("A+ A<`{\"type\":\"typing\",\"who\":1}`")
        try clause.violates("A+ A>chat(c1) A<ack(c1) A<done(t1 stats='fast')^")
        try clause.violates("A+ A>ping(n1) A<pong(nonce=1)^")
        try clause.violates("A+ A>`{` A<error(parse_error error='')^ \(alive)")
        try clause.violates("A+ A>chat(c1) A<error(s1 code='model_down')^")  // legal to read, not to send
        try clause.violates("A+ A>chat(c1) A<ack(c1) A>chat(c2 s1) A<error(busy t1)^")  // ends no turn
        try clause.untested("A>open A<refused(503)")
    }

    @Test func `ENV-2 replayed frames are frames too`() throws {
        let clause = ClauseUnderTest("ENV-2", profiles: [.core, .sync])
        let seen = "A+(e1 #0) A>chat(c1) A<ack(c1) A<toolUse(t1 #1) A!cut B+(e1 #1) B>sync(e1 #0)"
        try clause.conforms("\(seen) B<syncResult(e1 #1 complete)[toolUse(t1 #1)]")
        try clause.violates("\(seen) B<syncResult(e1 #1 complete)[toolUse(t1 #1 tool='')]^", also: ["ORDER-7"])
    }

    @Test func `ENV-2 some members do not go together`() throws {
        let clause = ClauseUnderTest("ENV-2", profiles: [.core, .sync])
        let turn = "A+(e1 #0) A>chat(c1) A<ack(c1) A<done(t1 #1)"
        try clause.violates("A+(e1 #0 sessionId='k1')^")
        try clause.violates("\(turn) A>chat(c1) A<ack(c1 duplicate) A<done(t1 duplicate #2)^")
        try clause.violates("A+(e1 #0) A>ping(n1) A<pong(n1 seq=1)^")
        try clause.violates("A+(e1 #0) A>`{` A<error(parse_error #1)^ \(alive)")
        try clause.violates("\(turn) A>chat(c2 s1) A<error(busy t2 c2 #2)^", also: ["TURN-1"])
        for wrong in ["", "complete evicted", "too_many more"] {
            try clause.violates("A+(e1 #0) A>sync(e1 #0) A<syncResult(e1 #0 \(wrong))^")
        }
        try clause.violates("A+(e1 #0) A>sync(e1 #0) A<syncResult(e1 #0 too_many)^")
        // Only a server that numbers a stream has anything to leave out.
        try clause.conforms("A+ A>ping(n1) A<pong(n1 seq=1)", profiles: [.core])
    }

    @Test func `ENV-3 malformed text is answered and survived`() throws {
        let clause = ClauseUnderTest("ENV-3", rule: 1)
        try clause.conforms("A+ A>`{` A<error(parse_error) \(alive)")
        try clause.conforms("A+ A>`{\"type\":\"ping\"` A<error(bad_request) \(alive)")
        try clause.conforms("A+ A>`{` A>`}` A<error(parse_error) A<error(parse_error) \(alive)")
        try clause.violates("A+ A>`{` A<error(internal)^ \(alive)")
        try clause.violates("A+ A>`{` +5s^ \(alive)")
        try clause.violates("A+ A>`{` A<close(1003)^")
        try clause.violates("A+ A>`{` A<eof^")
        try clause.violates("A+ A>`{` A<error(parse_error) A<close(1003)^")
        try clause.violates("A+ A>`{` A<error(parse_error) A>ping(n1) +5s^")
        try clause.untested("A+ A>`{` A<error(parse_error)")  // nothing shows that the connection lives
        try clause.untested("A+ A>`{` +1s A!cut")
        try clause.untested("A>open A<open A>`{` A<close(4001)")  // before the handshake other rules hold
    }

    @Test func `ENV-3 values that are no objects are answered`() throws {
        let clause = ClauseUnderTest("ENV-3", rule: 1)
        for value in ["null", "[]", "7", "true", "\"ping\""] {
            try clause.conforms("A+ A>`\(value)` A<error(bad_request) \(alive)")
            try clause.violates("A+ A>`\(value)` A<error(unknown_type)^ \(alive)")
        }
        try clause.violates("A+ A>`null` A<eof^")
    }

    @Test func `ENV-3 objects without a type are answered`() throws {
        let clause = ClauseUnderTest("ENV-3", rule: 1)
        try clause.conforms("A+ A>`{}` A<error(bad_request) \(alive)")
        try clause.conforms("A+ A>`{\"type\":7}` A<error(unknown_type) \(alive)")
        try clause.conforms("A+ A>`{\"type\":null}` A<error(parse_error) \(alive)")
        try clause.violates("A+ A>`{}` +5s^ \(alive)")
        try clause.violates("A+ A>`{}` A<error(internal)^ \(alive)")
    }

    @Test func `ENV-3 binary messages are answered`() throws {
        let clause = ClauseUnderTest("ENV-3", rule: 1)
        try clause.conforms("A+ A>binary(00ff) A<error(bad_request) \(alive)")
        try clause.conforms("A+ A>binary(7b7d) A<error(parse_error) \(alive)")
        try clause.violates("A+ A>binary(7b7d) +5s^ \(alive)")
        // The error answers the second: the first was not answered while somebody waited for it.
        try clause.violates("A+ A>binary(7b7d) A<done(t9) +5s^ A>binary(00ff) A<error(bad_request) \(alive)")
        try clause.conforms("A+ A>binary(7b7d) A>binary(00ff) +5s A<error(bad_request) A<error(bad_request) \(alive)")
        try clause.violates("A+ A>binary(7b7d) A<close(1003)^")
        try clause.violates("A+ A>binary(7b7d) A<close(1007)^")  // these bytes are UTF-8
        try clause.untested("A+ A>binary(00ff) A<close(1007)")  // these may have been text
        try clause.untested("A+ \(alive)")
    }

    @Test func `ENV-3 unknown types are answered`() throws {
        let clause = ClauseUnderTest("ENV-3", rule: 1)
        let asked = "A+ A>`{\"type\":\"dance\"}`"
        try clause.conforms("\(asked) A<error(unknown_type) \(alive)")
        try clause.violates("\(asked) A<error(bad_request)^ \(alive)")
        try clause.violates("\(asked) \(alive) +5s^")
        try clause.untested("A+ A>`{\"type\":\"done\"}` A<error(bad_request) \(alive)")  // known, but not from a client
        try clause.untested("A+ \(alive)")
    }

    @Test func `ENV-4 unknown members are ignored`() throws {
        let clause = ClauseUnderTest("ENV-4")
        try clause.conforms("A+ A>ping(n1 mood=7) A<pong(n1)")
        try clause.conforms("A+ A>chat(c1 mood='good') A<ack(c1) A<done(t1)")
        let nested =
            #"A>`{"type":"chat","messages":[{"role":"user","content":"hi","mood":{"x":[1]}}],"clientMessageId":"c1"}`"#
        try clause.conforms("A+ \(nested) A<ack(c1) A<done(t1)")
        try clause.conforms("1>POST(c1 mood=7) 1<200(t1)")
        try clause.violates("A+ A>ping(n1 mood=7) A<error(bad_request)^ A>ping(n2) A<pong(n2)")
        try clause.violates("A+ A>ping(n1 mood=7) +5s^")
        try clause.violates("A+ \(nested) A<error(bad_request c1)^")
        try clause.violates("1>POST(c1 mood=7) 1<400(bad_request)^")
        try clause.untested("A+ A>chat(c1 mood=7) A<error(busy c1)")  // refused for another reason
        try clause.untested("A+ A>ping(n1) A<pong(n1)")
    }

    @Test func `ENV-3 invalid frames are answered`() throws {
        let clause = ClauseUnderTest("ENV-3", rule: 1)
        for frame in [#"{"type":"chat","messages":[]}"#, #"{"type":"chat"}"#, #"{"type":"ping","nonce":7}"#] {
            try clause.conforms("A+ A>`\(frame)` A<error(bad_request) \(alive)")
            try clause.violates("A+ A>`\(frame)` A<error(parse_error)^ \(alive)")
        }
        let assistantLast =
            #"{"type":"chat","messages":[{"role":"user","content":"a"},{"role":"assistant","content":"b"}]}"#
        try clause.conforms("A+ A>`\(assistantLast)` A<error(bad_request) \(alive)")
        try clause.violates("A+ A>`\(assistantLast)` A<ack(c1) A<done(t1) +5s^")
        try clause.violates("A+ A>chat(c1 messages=7) A<eof^")
        try clause.conforms("A+ A>auth A<error(bad_request) \(alive)")
        try clause.violates("A+ A>auth A<error(auth_failed)^ \(alive)")
        try clause.violates("A+ A>auth +5s^ \(alive)")
        try clause.untested("A+ A>chat(c1 s1='../x') A<error(session_not_found c1) \(alive)")  // ID-5
        try clause.untested(#"A+ A>`{"type":"ping","type":"ping"}` A<error(parse_error)"#)  // may be taken or refused
    }

    @Test func `ENV-3 holds for sync where it is declared`() throws {
        let clause = ClauseUnderTest("ENV-3", rule: 1, profiles: [.core, .sync])
        let asked = #"A+(e1 #0) A>`{"type":"sync","lastSeqSeen":"5"}`"#
        try clause.conforms("\(asked) A<error(bad_request) \(alive)")
        try clause.violates("\(asked) +5s^ \(alive)")
        try clause.untested(#"A+ A>`{"type":"sync","lastSeqSeen":"5"}` A<error(unknown_type)"#, profiles: [.core])
    }

    @Test func `ENV-3 an answer on its way says nothing of what was sent meanwhile`() throws {
        let clause = ClauseUnderTest("ENV-3", rule: 1)
        let sent = #"A+ A>`{"type":"x"}` A>ping(n1) A>`{"type":"x"}` A>ping(n2) A<error(unknown_type) A<pong(n1)"#
        try clause.conforms("\(sent) A<error(unknown_type) A<pong(n2)")
        try clause.violates("\(sent) A<eof^")
        try clause.violates("\(sent) A<error(unknown_type) A<eof^")
    }

    @Test func `ENV-3 a parser may bound its numbers`() throws {
        let clause = ClauseUnderTest("ENV-3", rule: 1, profiles: [.core, .sync])
        func asked(_ number: String) -> String { #"A+(e1 #0) A>`{"type":"sync","lastSeqSeen":\#(number)}`"# }
        for code in ["bad_request", "parse_error"] {
            try clause.conforms("\(asked("1e400")) A<error(\(code)) \(alive)")
        }
        try clause.violates("\(asked("1e400")) A<error(unknown_type)^ \(alive)")
        try clause.violates("\(asked("-1")) A<error(parse_error)^ \(alive)")
        // What nobody has to read stands in a member that nobody knows.
        try clause.untested(#"A+(e1 #0) A>`{"type":"ping","x":1e400}` A<error(parse_error)"#)
    }

    @Test func `ENV-3 nothing is read behind a message that ended its connection`() throws {
        let clause = ClauseUnderTest("ENV-3", rule: 1)
        let large = "A+(maxFrameBytes=100) A>chat(c1 '\(String(repeating: "x", count: 100))')"
        try clause.untested("\(large) A>`[]` A<close(1009)")
        try clause.violates("\(large) A<error(too_large c1) A>`[]` A<close(1009)^")
        try clause.violates("A+ A>`[]` A<close(1009)^")
        try clause.untested("A+ A>binary(7b7d) A>`[]` A<close(1007)")
        try clause.violates("A+ A>binary(7b7d) A>`[]` A<close(1003)^")
    }

    @Test func `ENV-5 other connections stay usable`() throws {
        let clause = ClauseUnderTest("ENV-5")
        let hostile = "A+ B+(p2) A>`null` A<error(bad_request) \(alive)"
        try clause.conforms("\(hostile) B>ping(n2) B<pong(n2)")
        try clause.conforms("A+ A>`null` A<error(bad_request) \(alive) B+")
        try clause.violates("\(hostile) B<eof^")
        try clause.violates("\(hostile) B<close(1011)^")
        try clause.untested("\(hostile) B<close(4004)", also: ["LIVE-3"])
        try clause.violates("\(hostile) B<close(4002)^")
        try clause.violates("\(hostile) B>ping(n2) +5s^")
        try clause.violates("A+ A>`null` A<error(bad_request) \(alive) B>open B<refused^")
        try clause.violates("A+ A>`null` A<error(bad_request) \(alive) B>open B<open B>auth B<eof^")
        try clause.violates("A+ A>`null` A<error(bad_request) \(alive) B>open B<open B>auth +10s^")
        try clause.untested(hostile)
        try clause.untested("A+ B+(p2) B<close(1001)")
    }

    @Test func `ENV-1 names are given once`() throws {
        let clause = ClauseUnderTest("ENV-1")
        try clause.conforms("A+ 1>GET 1<200(s1)")
        try clause.violates(#"A+ A<`{"type":"pong","nonce":"a","nonce":"b"}`^"#)
        try clause.violates(#"1>GET 1<200(body='{"sessions":[],"sessions":[]}')^"#)
        try clause.untested("A>open A<refused(503)")
    }

    @Test func `ENV-1 Unicode is well formed`() throws {
        let clause = ClauseUnderTest("ENV-1")
        let asked =
            #"A+ A>chat(c1) A<ack(c1) A<`{"type":"done","sessionId":"s1","turnId":"t1","messageId":"a1","text":""#
        try clause.conforms(#"\#(asked)\ud83d\ude00"}`"#)
        try clause.violates(#"\#(asked)cut \ud83d"}`^"#)
        try clause.violates(#"1>GET 1<200(body='{"sessions":[],"note":"\ude00"}')^"#)
        try clause.violates("1>GET 1<200(bodyIsText=false)^")
        try clause.untested("A>open A<refused(503)")
    }

    @Test func `ENV-1 numbers are integer tokens`() throws {
        let clause = ClauseUnderTest("ENV-1", profiles: [.core, .sync])
        let turn = "A+(e1 #0) A>chat(c1)"
        try clause.conforms("\(turn) A<done(t1 #1)")
        try clause.conforms("\(turn) A<done(t1 #9007199254740991)")
        try clause.violates("\(turn) A<done(t1 seq='1')^")
        try clause.violates("\(turn) A<done(t1 seq=1.0)^")
        try clause.violates("\(turn) A<done(t1 seq=1e0)^")
        try clause.violates("\(turn) A<done(t1 seq=9007199254740992)^")
        try clause.violates("A+ A>chat(c1) A<error(busy c1 retryAfterMs=-1)^", profiles: [.core])
        try clause.violates("A+(maxFrameBytes=1e6)^", profiles: [.core])
        try clause.violates(
            #"1>GET 1<200(body='{"sessions":[{"id":"s1","updatedAt":"2026-03-01T08:30:00Z","messageCount":"2"}]}')^"#,
            profiles: [.core])
        try clause.untested("A>open A<refused(503)", profiles: [.core])
    }

    @Test func `ENV-6 texts come back as given`() throws {
        let clause = ClauseUnderTest("ENV-6")
        let text = " e\u{301} 👩‍👩‍👧 "
        let asked = "A+ A>chat(c1 '\(text)') A<ack(c1) A<done(t1) 1>GET(s1)"
        try clause.conforms("\(asked) 1<200(u1='\(text)' a1)")
        try clause.violates("\(asked) 1<200(u1='e\u{301} 👩‍👩‍👧' a1)^")  // trimmed
        try clause.violates("\(asked) 1<200(u1=' \u{e9} 👩‍👩‍👧 ' a1)^")  // normalized
        try clause.untested("A+ A>chat(c1 '\(text)') A<ack(c1) A<done(t1)")
        // A part of another kind is kept whole; a member of a known one need not be.
        let parts = #"[{"type":"text","text":"hi"},{"type":"x-place","lat":47}]"#
        let chat = #"{"type":"chat","clientMessageId":"c1","messages":[{"role":"user","content":\#(parts)}]}"#
        func read(_ content: String) -> String {
            let rest = #""timestamp":"2026-03-01T08:30:01Z","turnId":"t1"}"#
            let question = #"{"id":"u1","role":"user","content":\#(content),"clientMessageId":"c1",\#(rest)"#
            let answer = #"{"id":"a1","role":"assistant","content":"answer 1",\#(rest)"#
            let times = #""createdAt":"2026-03-01T08:30:00Z","updatedAt":"2026-03-01T08:30:03Z""#
            let turns = #"[{"turnId":"t1","status":"done","clientMessageId":"c1"}]"#
            let body = #"{"session":{"id":"s1",\#(times),"messages":[\#(question),\#(answer)],"turns":\#(turns)}}"#
            return "A+ A>`\(chat)` A<ack(c1) A<done(t1) 1>GET(s1) 1<200(body='\(body)')"
        }
        try clause.conforms(read(parts))
        try clause.conforms(read(parts.replacing(#""hi""#, with: #""hi","bold":true"#)))
        try clause.violates(read(parts.replacing(#","lat":47"#, with: "")) + "^")
        try clause.violates(read(#""hi""#) + "^")
        let again = "A+ A>chat(c1 s1 'one') A<error(busy c1) A>chat(c1 s1 'two') A<ack(c1) A<done(t1) 1>GET(s1)"
        try clause.conforms("\(again) 1<200(u1='two' a1)", profiles: [.core])
        try clause.violates("\(again) 1<200(u1='one' a1)^", profiles: [.core])
    }

    @Test func `ENV-7 frames up to the limit are accepted`() throws {
        let clause = ClauseUnderTest("ENV-7", rule: 1)
        let large = String(repeating: "x", count: 900)
        try clause.conforms("A+(maxFrameBytes=1000) A>chat(c1 '\(large)') A<ack(c1) A<done(t1)")
        try clause.violates("A+(maxFrameBytes=1000) A>chat(c1 '\(large)') A<error(too_large c1)^")
        try clause.violates("A+(maxFrameBytes=1000) A>chat(c1 '\(large)') A<error(too_large)^")
        try clause.violates("A+(maxFrameBytes=1000) A>chat(c1 '\(large)') A<close(1009)^", also: ["LIVE-10"])
        try clause.untested("A+(maxFrameBytes=1000) A>chat(c1) A<ack(c1) A<done(t1)")  // far below the limit
    }

    @Test func `ENV-8 larger messages are refused`() throws {
        let clause = ClauseUnderTest("ENV-8", rule: 1)
        let sent = "A+(maxFrameBytes=100) A>chat(c1 '\(String(repeating: "x", count: 100))')"
        try clause.conforms("\(sent) A<error(too_large)")
        try clause.conforms("\(sent) A<error(too_large c1)")
        try clause.conforms("\(sent) A<close(1009)")
        try clause.violates("\(sent) A<error(bad_request)^")
        try clause.violates("\(sent) A<close(1011)^")
        try clause.violates("\(sent) A<eof^")
        try clause.violates("\(sent) +15s^")
        try clause.inconclusive("\(sent) A<eof('connection reset')")
        try clause.untested("\(sent) A!cut")
        try clause.untested("\(sent) A<close(4004)")  // it ended for something else
    }

    @Test func `ENV-9 messages stay small`() throws {
        let clause = ClauseUnderTest("ENV-9")
        func done(_ size: Int) -> String {
            let frame = #"{"type":"done","sessionId":"s1","turnId":"t1","messageId":"a1","text":""}"#
            return "A<`" + frame.dropLast(2) + String(repeating: "x", count: size - frame.utf8.count) + "\"}`"
        }
        try clause.conforms("A+ A>chat(c1) A<ack(c1) \(done(1_048_576))")
        try clause.violates("A+ A>chat(c1) A<ack(c1) \(done(1_048_577))^")
        // What was too large even for the stage, which cut the connection; a cut for another reason says nothing of a size.
        try clause.conforms("A+ A>chat(c1) A<ack(c1) \(done(1_000)) A!cut(how=reset) A<eof")
        try clause.violates("A+ A>chat(c1) A<ack(c1) \(done(1_000)) A!cut(how=reset moreThan=4194304)^ A<eof")
        func page(_ size: Int) -> String {
            let frame = #"{"type":"syncResult","epoch":"e1","lastSeq":0,"missed":[],"complete":true,"x":""}"#
            return "A<`" + frame.dropLast(2) + String(repeating: "x", count: size - frame.utf8.count) + "\"}`"
        }
        try clause.conforms("A+ A>sync(e1 #0) \(page(1_048_576))")
        try clause.violates("A+ A>sync(e1 #0) \(page(1_048_577))^")
        try clause.untested("A>open A<refused(503)")
    }

    @Test func `ENV-10 fragments are one message`() throws {
        let clause = ClauseUnderTest("ENV-10")
        let pieces = "A+ A!act(name=fragments count=3)"
        try clause.conforms("\(pieces) A>ping(n1) A<pong(n1)")
        try clause.conforms("\(pieces) A>chat(c1) A<ack(c1) A<done(t1)")
        try clause.violates("\(pieces) A>ping(n1) A<error(parse_error)^")
        try clause.violates("\(pieces) A>ping(n1) A<close(1002)^", also: ["LIVE-10"])
        try clause.violates("\(pieces) A>ping(n1) +5s^")
        try clause.untested("A+ A>ping(n1) A<pong(n1)")
    }

    @Test func `ENV-11 errors have a code`() throws {
        let clause = ClauseUnderTest("ENV-11")
        try clause.conforms("A+ A>`{` A<error(parse_error) \(alive)")
        try clause.warns("A+ A>chat(c1) A<error(c1)^")
        try clause.untested("A+ \(alive)")
    }

    @Test func `ENV-7 a valid question is not called malformed`() throws {
        let clause = ClauseUnderTest("ENV-7", rule: 2)
        let asked = "A+ A>chat(c1 '')"
        try clause.conforms("\(asked) A<ack(c1) A<done(t1)")
        try clause.conforms("1>POST(c1 '') 1<200(t1)")
        try clause.violates("\(asked) A<error(bad_request c1)^")
        try clause.violates("1>POST(c1 '') 1<400(bad_request)^")
        // Without a name it was not read: only what cannot be read is refused so.
        try clause.violates("\(asked) A<error(bad_request)^ A>ping(n1) A<pong(n1)")
        try clause.violates("\(asked) A>ping(n1) A<error(internal)^ A<pong(n1)")
        try clause.conforms("\(asked) A<error(internal) A<ack(c1) A<done(t1)")
        try clause.untested("\(asked) A<error(internal c1)")
        try clause.untested("\(asked) A<error(internal) A<close(1011)", also: ["LIVE-10"])
        // Another reason says nothing of the form, and a key tells which of two is meant.
        try clause.untested("\(asked) A<error(busy c1)")
        try clause.untested("1>POST(c1 '') 1<409(busy)")
        try clause.untested("\(asked) A>`{` A<error(bad_request) A<error(parse_error)")
        try clause.violates("\(asked) A>`{` A<error(bad_request c1)^ A<error(parse_error)")
        // What is not valid, has two meanings or names a session that nobody knows may be refused so.
        try clause.untested(#"A+ A>`{"type":"chat","messages":[]}` A<error(bad_request)"#)
        try clause.untested(#"1>POST(body='{"messages":[{"role":"user","content":"\ud83d"}]}') 1<400(bad_request)"#)
        try clause.untested("1>POST(c1 s9) 1<400(bad_request)")
        // A key that stands for another question has a refusal of its own, and so has a body that is too large.
        try clause.conforms(
            "A+ A>chat(c1) A<ack(c1) A<done(t1) A>chat(c1 'other') A<error(bad_request c1)", also: ["IDEM-5"],
            profiles: [.core])
        try clause.untested("A+(maxFrameBytes=10) 1>POST(c1) 1<400(bad_request)", also: ["ENV-8"])
    }

    @Test func `ENV-14 refusals come in order`() throws {
        let clause = ClauseUnderTest("ENV-14", rule: 2)
        let asked = #"A+ A>chat(c1 s9) A>`{"type":"dance"}`"#
        try clause.conforms("\(asked) A<error(session_not_found c1) A<error(unknown_type)")
        try clause.violates("\(asked) A<error(unknown_type) A<error(session_not_found c1)^")
        let both = "A+ A>chat(c1 s9) A>chat(c2 s9)"
        try clause.conforms("\(both) A<error(session_not_found c1) A<error(session_not_found c2)")
        try clause.violates("\(both) A<error(busy c2) A<error(session_not_found c1)^")
        // What waited for the disk may come later.
        try clause.untested("A+ A>chat(c1) A>chat(c2 s9) A<error(session_not_found c2) A<error(persist_failed c1)")
        try clause.untested("\(asked) A<error(session_not_found c1)")
        try clause.untested(
            "A+ A>chat(c1 s9) B+ B>chat(c2 s9) B<error(session_not_found c2) A<error(session_not_found c1)")
    }
}
