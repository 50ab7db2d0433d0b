import Holdfast
import TestSupport
import Testing

@Suite struct PUSHTests {
    private static let profiles: Set<Profile> = [.core, .push]
    /// Somebody asks, and has left for both sides before the answer is stored.
    private static let left = "push!listen(p1) A+ A>chat(c1) A<ack(c1) A>close(1000) A<close(1000) 1>GET(s1) 1<200(u1)"
    /// The question, and that it was answered.
    private static let shown = "2>GET(s1) 2<200(u1 a1)"

    private func clause(_ id: String) -> ClauseUnderTest { ClauseUnderTest(id, profiles: Self.profiles) }

    /// A history with one push whose text is cut from a longer answer.
    private func cut(_ body: String, of answer: String) -> String {
        "A+ A>chat(c1) A<ack(c1) A<done(t1 '\(answer)') push<alert(a1 s1 '\(body)') push>200"
    }

    @Test func `PUSH-1 left principals are called`() throws {
        let clause = clause("PUSH-1")
        let (left, shown) = (Self.left, Self.shown)
        try clause.conforms("\(left) push<alert(a1 s1) push>200 \(shown)")
        try clause.conforms("\(left) \(shown) +4s push<alert(a1 s1) push>200")
        try clause.conforms("\(left) \(shown) +12s push<alert(a1 s1) push>200")  // how late is free
        try clause.violates("\(left) \(shown) +10s^")
        try clause.violates("\(left) \(shown) push<alert(p2 a1 s1) push>200 +10s^")  // somebody else was called
        try clause.untested("\(left) \(shown) +9s")
        // One that names nothing may be of another turn.
        let other = "A+ A>chat(c8 s8) A<ack(c8 s8 t8 u8) A<done(t8 s8 a8) A>close(1000) A<close(1000)"
        try clause.untested("\(other) \(left) \(shown) push<alert(a9 -s) push>200 +10s", also: ["PUSH-2"])
        try clause.untested(left)
        try clause.untested("\(left.replacing("push!listen(p1) ", with: "")) \(shown) +10s")  // nobody listened
        try clause.untested("\(left) \(shown) B+ +10s")  // came back
        try clause.untested("\(left) \(shown) server!kill server!start +10s")
        let gone = "push<alert(a9 s9) push>410(Unregistered)"
        try clause.untested("\(gone) \(left) \(shown) +10s")
        // The script tells that the answer came after the end.
        let script = #"A>chat(c1 '{"script":[{"wait":900},{"reply":"answer 1"}]}') A<ack(c1)"#
        let scripted = "push!listen(p1) A+ \(script) A>close(1000) A<close(1000) +1s"
        let read = #"2>GET(s1) 2<200(u1='{"script":[{"wait":900},{"reply":"answer 1"}]}' a1)"#
        try clause.violates("\(scripted) \(read) +10s^")
        let late = "push!listen(p1) A+ \(script) +1s A>close(1000) A<close(1000) \(read)"
        try clause.untested("\(late) +10s")  // it may have ended before
        // Present, cut off, or asked over REST.
        try clause.untested(
            "push!listen(p1) A+ A>chat(c1) A<ack(c1) A<done(t1) A>close(1000) A<close(1000) \(shown) +10s")
        try clause.untested(
            "push!listen(p1) A+ B+ A>chat(c1) A<ack(c1) B>close(1000) B<close(1000) 1>GET(s1) 1<200(u1) \(shown) +10s")
        try clause.untested("push!listen(p1) A+ A>chat(c1) A<ack(c1) A!cut 1>GET(s1) 1<200(u1) \(shown) +10s")
        try clause.untested("push!listen(p1) 1>POST(c1) 1<200(t1) \(shown) +10s")
        // Who left a question over REST waits for no response.
        let post = "push!listen(p1) 1>POST(c1) 3>GET(s1) 3<200(u1)"
        let leaves = "\(post) 1!cut 4>GET(s1) 4<200(u1) \(shown)"
        try clause.conforms("\(leaves) push<alert(a1 s1) push>200")
        try clause.violates("\(leaves) +10s^")
        try clause.untested("\(leaves) +9s")
        try clause.untested("\(post) \(shown) 1!cut +10s")
        try clause.untested("\(post) 1!cut \(shown) +10s")  // it may have ended before
        try clause.untested("\(leaves) 5>POST(c1) 5<200(t1 duplicate) +10s")
    }

    @Test func `PERSIST-1 announced answers are stored`() throws {
        let clause = clause("PERSIST-1")
        let pushed = "\(Self.left) push<alert(a1 s1 t1) push>200 2>GET(s1)"
        try clause.conforms("\(pushed) 2<200(u1 a1)")
        try clause.violates("\(pushed) 2<200(u1)^")
        try clause.violates("\(pushed) 2<200(u1)^ 3>GET(s1) 3<200(u1 a1)")
        try clause.conforms("\(pushed) 2<200(u1 a1) server!kill server!start 3>GET(s1) 3<200(u1 a1)")
        try clause.untested("\(Self.left) 2>GET(s1) push<alert(a1 s1) push>200 2<200(u1)")  // the read began before
        try clause.untested("\(pushed) 2<500(internal)", also: ["PERSIST-7"])
        try clause.untested(Self.left)
        let early = "push!listen(p1) A+ A>chat(c1) A<ack(c1) push<alert(a1 s1) push>200 1>GET(s1)"
        try clause.violates("\(early) 1<404(session_not_found)^ A<done(t1)", also: ["PERSIST-2", "PERSIST-7"])
    }

    @Test func `PUSH-2 pushes are valid and name the answer`() throws {
        let clause = clause("PUSH-2")
        let (left, shown) = (Self.left, Self.shown)
        try clause.conforms("push<alert(a1 s1 t1 badge=3 sound='default' category='ANSWER' type='answer')")
        try clause.conforms("\(left) push<alert(a1 s1 apns-collapse-id='t1' apns-priority='10') push>200 \(shown)")
        for wrong in ["-a", "-s", "-text", "-title", "a1=''", "s1='a b'", "badge=-1", "body='{'", "body='[]'"] {
            try clause.violates("push<alert(\(wrong))^")
        }
        for wrong in ["-apns-topic", "-apns-push-type", "apns-push-type='background'", "apns-priority='7'"] {
            try clause.violates("push<alert(a1 s1 \(wrong))^")
        }
        try clause.violates("\(left) push<alert(a9 s1) push>200 2>GET(s1) 2<200(u1 a1)^")
        try clause.violates("\(left) push<alert(t1 s1 a1='u1') push>200 2>GET(s1) 2<200(u1 a1)^")  // the question
        try clause.violates("\(left) push<alert(a1 s2 t1) push>200 2>GET(s1) 2<200(u1 a1)^")
        try clause.violates("\(left) push<alert(a1 s2 t1) push>200 2>GET(s2) 2<404(session_not_found)^")
        try clause.conforms("\(left) push<alert(a1 s1) push>200")  // nobody looked
        try clause.violates("push<alert(a1 s1 apns-collapse-id='')^")
        try clause.untested(left)
    }

    @Test func `PUSH-2 payloads fit`() throws {
        let clause = clause("PUSH-2")
        let long = String(repeating: "日本語", count: 600)
        let start = "\(Self.left) push<alert(a1 s1 '日本語')"
        try clause.conforms("\(start) push>200 2>GET(s1) 2<200(u1 a1='\(long)')")
        try clause.violates(
            "push<alert(a1 s1 '\(long)')^", also: ["PUSH-3"])
        try clause.violates("push<alert(a1 s1 type='\(String(repeating: "x", count: 4096))')^")
        // Exactly as large as allowed, and one byte more.
        let frame =
            #"{"aps":{"alert":{"title":"T","body":"b"},"thread-id":"s1"},"sessionId":"s1","messageId":"a1","type":""}"#
        let exact = frame.replacing(
            #""type":"""#, with: "\"type\":\"\(String(repeating: "x", count: 4096 - frame.utf8.count))\"")
        let answered = "2>GET(s1) 2<200(u1 a1='b\(long)')"
        try clause.conforms("\(Self.left) push<alert(body='\(exact)') push>200 \(answered)")
        let over = exact.replacing("\"T\"", with: "\"TT\"")
        try clause.violates("\(Self.left) push<alert(body='\(over)')^ push>200 \(answered)")
    }

    @Test func `PUSH-2 threads are sessions`() throws {
        let clause = clause("PUSH-2")
        try clause.conforms("push<alert(a1 s1) push>200")
        try clause.conforms("push<alert(a1 s7) push>200")
        try clause.violates("push<alert(a1 s1 thread-id='s2')^ push>200")
        try clause.violates("push<alert(a1 s1 thread-id='answers')^ push>200")
        try clause.violates("push<alert(a1 s1 -thread-id)^ push>200")
    }

    @Test func `PUSH-2 collapse ids fit`() throws {
        let clause = clause("PUSH-2")
        try clause.conforms("push<alert(a1 s1 apns-collapse-id='\(String(repeating: "x", count: 64))')")
        try clause.conforms("push<alert(a1 s1)")  // there need not be one
        try clause.violates("push<alert(a1 s1 apns-collapse-id='\(String(repeating: "x", count: 65))')^")
        try clause.violates("push<alert(a1 s1 apns-collapse-id='\(String(repeating: "é", count: 33))')^")
    }

    @Test func `PUSH-3 bodies are cut well`() throws {
        let clause = clause("PUSH-3")
        let (x199, x200) = (String(repeating: "x", count: 199), String(repeating: "x", count: 200))
        try clause.conforms(cut(x200, of: x200 + "y"))
        try clause.conforms(cut(x199 + "…", of: x200 + "y"))
        try clause.conforms(cut("xx…", of: x200 + "y"))  // shorter is legal
        try clause.conforms(cut("A summary.", of: x200 + "y"))
        try clause.violates(cut(x200 + "y", of: x200 + "yz").replacing(" push>200", with: "^ push>200"))
        try clause.violates(cut(x200 + "…", of: x200 + "yz").replacing(" push>200", with: "^ push>200"))
        let straddling: [(whole: String, half: String)] = [
            ("e\u{301}\u{302}", "e\u{301}"), ("👨‍👩‍👧‍👦", "👨‍👩"), ("👨‍👩‍👧‍👦", "👨‍👩‍"), ("🇩🇪", "🇩"), ("👍🏽", "👍"), ("☀️", "☀"),
            ("👋", "\u{FFFD}"), ("👋", "?"), ("\u{1100}\u{1161}\u{11A8}", "\u{1100}\u{1161}"),
        ]
        for (whole, half) in straddling {
            let answer = "xx\(whole)\(x200)"
            for ending in ["", "…", "...", " …"] {
                let broken = cut("xx\(half)\(ending)", of: answer).replacing(" push>200", with: "^ push>200")
                try clause.violates(broken)
                try clause.conforms(cut("xx\(whole)\(ending)", of: answer))
                try clause.conforms(cut("xx\(ending)", of: answer))
            }
        }
        let lone =
            #"{"aps":{"alert":{"title":"T","body":"xx\ud83d…"},"thread-id":"s1"},"sessionId":"s1","messageId":"a1"}"#
        try clause.violates(
            "A+ A>chat(c1) A<ack(c1) A<done(t1 'xx👋\(x200)') push<alert(body='\(lone)')^ push>200", also: ["PUSH-2"])
        let family = String(repeating: "👨‍👩‍👧‍👦", count: 120)
        try clause.conforms(cut(family + "…", of: String(repeating: "👨‍👩‍👧‍👦", count: 300)))
        try clause.untested("\(Self.left) push<alert(a1 s1) push>200 \(Self.shown)")  // nothing was cut
        try clause.untested("push<alert(a1 s1 'xx…') push>200")  // of what?
        try clause.untested(Self.left)
    }

    @Test func `PUSH-4 turns are announced once`() throws {
        let clause = clause("PUSH-4")
        let once = "\(Self.left) push<alert(a1 s1) push>200 \(Self.shown)"
        let again = "\(once) B+ B>chat(c1) B<ack(c1 duplicate) B<done(t1 duplicate)"
        try clause.conforms("\(again) +10s")
        try clause.conforms("\(again) B>chat(c2 s1) B<ack(c2) B<done(t2) push<alert(a2 s1) push>200")
        try clause.violates("\(again) push<alert(a1 s1)^ push>200")
        try clause.violates("\(once) push<alert(a1 s1)^ push>503")
        try clause.violates("\(once) push<alert(s1 t1 a1)^ push>200")
        try clause.violates("\(once) server!kill server!start push<alert(a1 s1)^ push>200")
        try clause.conforms("\(once) server!kill server!start +10s")
        try clause.untested("\(again) +9s")
        try clause.untested(once)
        try clause.untested("push<alert(a1 s1) push>429(TooManyRequests) push<alert(a1 s1) push>200")
        try clause.untested("push<alert(a1 s1) push!close(p1) push<alert(a1 s1) push>200")
        try clause.untested("push<alert(a1 s1) push>200 push<alert(p2 a1 s1) push>200")  // another device
        try clause.untested("push<alert(a1 s1) push>200 push<alert(a2 s1) push>200")
    }

    @Test func `PUSH-5 devices outlive other refusals`() throws {
        let clause = clause("PUSH-5")
        for refusal in ["400(PayloadEmpty)", "403(InvalidProviderToken)", "413(PayloadTooLarge)", "404(BadPath)"] {
            let refused = "push<alert(a9 s9) push>\(refusal)"
            let next = "\(Self.left.replacing("push!listen(p1)", with: "push!listen(p1) \(refused)")) \(Self.shown)"
            try clause.conforms("\(next) push<alert(a1 s1) push>200")
            try clause.violates("\(next) +10s^")
            try clause.untested("\(next) +9s")
            try clause.untested("\(refused) push<alert(a9 s9) push>200")  // the same once more
        }
        let retried = "push<alert(a9 s9) push>503(ServiceUnavailable) push<alert(a9 s9) push>410(Unregistered)"
        let ended = Self.left.replacing("push!listen(p1)", with: "push!listen(p1) \(retried)")
        try clause.untested("\(ended) \(Self.shown) +10s")  // the retry was told that the device is gone
        for refusal in ["429(TooManyRequests)", "503(ServiceUnavailable)"] {
            let refused = "push<alert(a9 s9) push>\(refusal)"
            let next = "\(Self.left.replacing("push!listen(p1)", with: "push!listen(p1) \(refused)")) \(Self.shown)"
            try clause.conforms("\(next) push<alert(a1 s1) push>200")
            try clause.inconclusive("\(next) +10s")
            let later = next.replacing(refused, with: "\(refused) +61s")
            try clause.conforms("\(later) push<alert(a1 s1) push>200")
            try clause.violates("\(later) +10s^")
            let again = next.replacing(refused, with: "\(refused) +61s \(refused)")
            try clause.inconclusive("\(again) +10s")
        }
        for refusal in ["410(Unregistered)", "400(BadDeviceToken)", "400(DeviceTokenNotForTopic)"] {
            let refused = "push!listen(p1) push<alert(a9 s9) push>\(refusal)"
            try clause.untested("\(Self.left.replacing("push!listen(p1)", with: refused)) \(Self.shown) +10s")
        }
    }

    @Test func `PUSH-6 gone devices are left alone`() throws {
        let clause = clause("PUSH-6")
        let gone = "push!listen(p1) push<alert(a9 s9) push>410(Unregistered)"
        let next = "\(Self.left.replacing("push!listen(p1)", with: gone)) \(Self.shown)"
        try clause.conforms("\(next) +10s")
        let other = "B+(p2) B>chat(c2) B<ack(c2 s2) B<done(t2 s2) push<alert(p2 a2 s2) push>200"
        try clause.conforms("\(next) \(other)")
        try clause.warns("\(next) push<alert(a1 s1)^ push>410(Unregistered)")
        try clause.warns("\(gone) push<alert(a9 s9)^ push>410(Unregistered)")
        try clause.untested("\(next) +9s")
        try clause.untested("\(Self.left) push<alert(a1 s1) push>200 \(Self.shown) +10s")
    }

    @Test func `PUSH-7 turns do not wait for pushes`() throws {
        let clause = clause("PUSH-7")
        for trouble in ["push>503", "push!hang(p1)", "push!close(p1)"] {
            let troubled = "\(Self.left) push<alert(a1 s1) \(trouble)"
            try clause.conforms("\(troubled) \(Self.shown)")
            let next = "\(troubled) \(Self.shown) B+ B>chat(c2 s1) B<ack(c2)"
            try clause.conforms("\(next) B<done(t2)")
            try clause.violates("\(next) +31s^")
            try clause.violates("\(next) +31s B<done(t2)^")
            try clause.violates("\(troubled) \(Self.shown) 3>POST(c2 s1) +31s^")
            try clause.untested(troubled)
            // What went out on a connection that then ended may never have arrived.
            let lost = "\(troubled) \(Self.shown) B+ B>chat(c2 s1) B!cut +31s 3>GET(s1) 3<200(u1 a1)"
            try clause.conforms(lost)
            try clause.violates(
                lost.replacing("B!cut", with: "B<ack(c2) B!cut") + "^", also: ["TURN-7", "PERSIST-2"])
        }
        let next = "B+ B>chat(c2 s1) B<ack(c2)"
        try clause.untested("\(Self.left) push<alert(a1 s1) push>200 \(Self.shown) \(next) +31s")
    }

    @Test func `PERSIST-1 unstored answers are not announced`() throws {
        let clause = clause("PERSIST-1")
        let fault = "\(Self.left) server!refuseWrites 2>GET(s1) 2<200(u1 t1=failed) server!acceptWrites"
        let next = "B+ B>chat(c2 s1) B<ack(c2) B>close(1000) B<close(1000) push<alert(a2 t2 s1) push>200"
        try clause.conforms("\(fault) \(next)")
        try clause.conforms("\(fault) +10s")
        try clause.violates("\(fault) push<alert(t1 a1 s1)^ push>200 3>GET(s1) 3<200(u1 t1=failed)")
        // It is there after all.
        try clause.untested("\(fault) push<alert(t1 a1 s1) push>200 3>GET(s1) 3<200(u1 a1 t1)")
        try clause.untested("\(fault) +9s")
        // Nothing was refused.
        try clause.untested("\(Self.left) 2>GET(s1) 2<200(u1 t1=failed) +10s", also: ["TURN-6"])
    }

    @Test func `PUSH-8 titles are for people`() throws {
        let clause = clause("PUSH-8")
        try clause.conforms("push<alert(a1 s1)")
        try clause.conforms("push<alert(a1 s1 title='Weather in s1')")
        for id in ["s1", "a1", "t1", "c1", "connection-A", " s1 "] {
            try clause.warns("\(Self.left) push<alert(a1 s1 t1 title='\(id)')^ push>200")
        }
        try clause.warns("A+ A>chat(c1 s1='stukov-adjutant') push<alert(a1 s1 title='stukov-adjutant')^")
        try clause.untested(Self.left)
    }

    @Test func `PUSH-1 unheard answers are announced`() throws {
        let clause = clause("PUSH-1")
        let asked = "push!listen(p1) A+(heartbeatSeconds=1) A>chat(c1) A<ack(c1) A<done(t1)"
        let push = "push<alert(a1 s1) push>200"
        try clause.conforms("\(asked) A!cut(rst) \(push)")
        try clause.conforms("\(asked) +1s A<pingFrame +2s A<eof('reset') \(push)")
        try clause.conforms("\(asked) \(push) A!cut(rst)")  // beside the done
        try clause.violates("\(asked) A!cut(rst) +13s^")  // three heartbeats, and the bound
        try clause.violates("\(asked) +1s A<pingFrame +2s A<eof('reset') +10s^")
        try clause.untested("\(asked) A!cut(rst) +12s")
        try clause.untested("\(asked) +1s A<pingFrame +2s A<eof('reset') +9s")
        try clause.untested("\(asked) +13s")  // it goes on
        // Signs of life, and what may be one that the server heard after the done.
        try clause.untested("\(asked) A<pingFrame A>pongFrame A!cut(rst) +13s")
        try clause.untested("\(asked) A>ping(n1) A<pong(n1) A!cut(rst) +13s")
        try clause.untested("\(asked) A>close(1000) A<close(1000) +13s")
        try clause.untested("\(asked) A<close(1001) +13s")
        try clause.untested(
            "push!listen(p1) A+(heartbeatSeconds=1) A>chat(c1) A<ack(c1) A>pongFrame A<done(t1) A!cut(rst) +13s")
        // Another question is none when its ack came before the done.
        let next = "push!listen(p1) A+(heartbeatSeconds=1) A>chat(c1) A<ack(c1) A>chat(c2 s2)"
        let both = "\(next) A<ack(c2 s2) A<done(t1) A<done(t2 s2) A!cut(rst)"
        let second = "push<alert(a2 s2 t2) push>200"
        try clause.conforms("\(both) push<alert(a1 s1 t1) push>200 \(second)")
        try clause.violates("\(both) \(second) +13s^")
        try clause.conforms("\(next) A<done(t1) A<ack(c2 s2) A<done(t2 s2) A!cut(rst) \(second) +13s")
        try clause.untested("\(asked) A!cut(rst) B+ +13s")  // came back
        try clause.untested("\(asked) B+ A!cut(rst) +13s")
        try clause.untested("\(asked) A!cut(rst) server!kill server!start +13s")
        try clause.untested("\(asked.replacing("push!listen(p1) ", with: "")) A!cut(rst) +13s")  // nobody listened
        try clause.untested("push<alert(a9 s9) push>410(Unregistered) \(asked) A!cut(rst) +13s")
        // Another connection that hears it too.
        let two = asked.replacing("A>chat", with: "B+(heartbeatSeconds=1) A>chat")
            .replacing("A<done(t1)", with: "A<done(t1) B<done(t1)")
        try clause.untested("\(two) A!cut(rst) +13s")
        try clause.untested("\(two) A!cut(rst) B>ping(n1) B<pong(n1) B!cut(rst) +13s")
        try clause.violates("\(two) A!cut(rst) B!cut(rst) +13s^")
        try clause.conforms("\(two) A!cut(rst) B!cut(rst) \(push)")
        // Who left before the answer is the matter of PUSH-1, and a response is taken.
        try clause.untested("push!listen(p1) A+ A>chat(c1) A<ack(c1) A!cut(rst) +13s")
        try clause.untested("push!listen(p1) A+ 1>POST(c1) 1<200(t1) A<done(t1) A!cut(rst) +2min")
    }

    @Test func `PUSH-1 the heartbeat is the one that the server tells, or that is told of it`() throws {
        let clause = clause("PUSH-1")
        let asked = "push!listen(p1) A+ A>chat(c1) A<ack(c1) A<done(t1) A!cut(rst)"
        try clause.untested("\(asked) +13s")
        try clause.violates("\(asked) +100s^")
        try clause.limited(to: ["heartbeatSeconds": 1]).violates("\(asked) +13s^")
        try clause.limited(to: ["heartbeatSeconds": 60]).untested("\(asked) +100s")
    }

    @Test func `AUTH-6 notices stay with their principal`() throws {
        let clause = ClauseUnderTest("AUTH-6", rule: 4, profiles: [.core, .push, .auth])
        let both = "push!listen(p1) push!listen(p2) A+ B+(p2)"
        let asked = "\(both) A>chat(c1) A<ack(c1) A<done(t1) B>chat(c2) B<ack(c2 s2) B<done(t2 s2)"
        try clause.conforms("\(asked) push<alert(a1 s1 t1) push>200 push<alert(p2 a2 s2 t2) push>200")
        try clause.conforms("\(asked) push<alert(a1 s1) push>200")
        try clause.violates("\(asked) push<alert(p2 a1 s1 t1)^ push>200")
        try clause.violates("\(asked) push<alert(a1 s1 t1) push>200 push<alert(p2 a1 s1 t1)^ push>200")
        try clause.violates("\(asked) push<alert(a2 s2)^ push>200")
        try clause.violates("\(asked) push<alert(p2 s1 -a)^ push>200", also: ["PUSH-2"])  // by its session
        try clause.untested("\(asked) push<alert(p2 a9 s1) push>200")  // of what?
        try clause.untested("push!listen(p1) A+ A>chat(c1) A<ack(c1) A<done(t1) push<alert(a1 s1 t1) push>200")
        try clause.untested("\(asked) push<alert(p2 a9 s9) push>200")  // whose is it?
        try clause.untested(asked)
    }
}
