import HoldfastJSON
import Testing

@testable import HoldfastReference

@Suite struct HandshakeTests {
    @Test func `AUTH-3 a bad token is refused and the socket closed with 4001`() {
        let bench = Bench()
        for token in ["", "wrong"] {
            let socket = bench.open(as: token)
            #expect(bench.frames[socket]?.map(\.code) == ["auth_failed"])
            #expect(bench.said.last == "\(socket)< close 4001 bad credentials")
            bench.chat("after", on: socket)
            #expect(bench.frames[socket]?.count == 1)
        }
    }

    @Test func `AUTH-4 a silent socket is closed with 4002 after ten seconds, not before`() {
        let bench = Bench()
        let socket = bench.openOnly()
        bench.pass(ms: 9990)
        bench.feed(.beat)
        #expect(bench.ended.isEmpty)
        bench.pass(ms: 10)
        bench.feed(.beat)
        #expect(bench.ended == [socket])
        #expect(bench.frames[socket]?.map(\.code) == ["auth_timeout"])
    }

    @Test func `without profile auth any token will do, and none`() {
        var rules = Bench.rules
        rules.requiresAuth = false
        let bench = Bench(rules)
        #expect(bench.frames[bench.open(as: "wrong")]?.map { $0.text("type") } == ["connected"])
        #expect(bench.ask("GET", "/api/sessions", token: nil)?.status == 200)
    }

    @Test func `a token of the upgrade counts, and one in the frame is checked all the same`() {
        let bench = Bench()
        let good = bench.openOnly(admitted: "p1")
        bench.say(["type": "auth", "protocol": 1], on: good)
        #expect(bench.frames("connected", on: good).count == 1)
        let bad = bench.openOnly(admitted: "p1")
        bench.say(["type": "auth", "protocol": 1, "token": "wrong"], on: bad)
        #expect(bench.frames[bad]?.map(\.code) == ["auth_failed"])
    }

    @Test func `LIVE-6 other versions are refused with the one that is spoken`() {
        let bench = Bench()
        let socket = bench.openOnly()
        bench.say(["type": "auth", "protocol": 2, "token": "t1"], on: socket)
        #expect(bench.frames[socket]?.map(\.code) == ["unsupported_version"])
        #expect(bench.frames[socket]?[0]["supported"] == [1])
        #expect(bench.said.last == "\(socket)< close 4010 unsupported version")
    }

    @Test func `AUTH-5 nothing runs before auth`() {
        let bench = Bench()
        let socket = bench.openOnly()
        bench.chat("early", key: "c1", on: socket)
        bench.say(["type": "sync", "lastSeqSeen": 0], on: socket)
        #expect(bench.frames[socket]?.map(\.code) == ["not_authenticated", "not_authenticated"])
        #expect(bench.list().isEmpty)
    }

    @Test func `AUTH-7 another principal's session does not exist`() {
        let bench = Bench()
        let mine = bench.chat("mine", on: bench.open())[0].text("sessionId") ?? ""
        let intruder = bench.open(as: "t2")
        #expect(bench.chat("in", session: mine, on: intruder).map(\.code) == ["session_not_found"])
        #expect(bench.ask("GET", "/api/sessions/\(mine)", token: "t2")?.status == 404)
        #expect(bench.list(token: "t2").isEmpty)
        #expect(bench.messages(mine).count == 2)
    }

    @Test func `LIVE-2 a silent peer is cut within three heartbeats, one that answers pings is not`() {
        let bench = Bench()
        let silent = bench.open()
        let alive = bench.open()
        for second in 1...90 {
            bench.pass(ms: 1000)
            bench.feed(.heard(socket: alive))
            bench.feed(.beat)
            if second == 60 { #expect(bench.ended.isEmpty) }
        }
        #expect(bench.ended == [silent])
        #expect(bench.said.contains("\(alive)< ping"))
    }

    @Test func `LIVE-3 who was not looked at for long is asked anew, and then gone`() {
        let bench = Bench()
        let silent = bench.open()
        bench.feed(.beat)
        bench.pass(ms: 100_000)
        bench.feed(.beat)
        bench.pass(ms: 29_000)
        bench.feed(.beat)
        #expect(bench.ended.isEmpty)
        bench.pass(ms: 1000)
        bench.feed(.beat)
        #expect(bench.ended == [silent])
    }

    @Test func `LIVE-3 a sign of life counts from when it came`() {
        let bench = Bench()
        let peer = bench.open()
        for _ in 1...70 {
            bench.pass(ms: 1000)
            bench.feed(.beat)
        }
        let early = bench.now.steady
        for _ in 1...70 {
            bench.pass(ms: 1000)
            bench.feed(.heard(socket: peer, at: early))
            bench.feed(.beat)
        }
        #expect(bench.ended.isEmpty)
        for _ in 1...10 {
            bench.pass(ms: 1000)
            bench.feed(.beat)
        }
        #expect(bench.ended == [peer])
    }
}
