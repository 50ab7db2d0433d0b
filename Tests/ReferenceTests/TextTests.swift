import Holdfast
import HoldfastJSON
import Testing

@testable import HoldfastReference

@Suite struct TextTests {
    @Test func `timestamps are those of the calendar`() {
        #expect(Timestamp.text(0) == "1970-01-01T00:00:00.000000Z")
        #expect(Timestamp.text(951_827_696_000_001) == "2000-02-29T12:34:56.000001Z")
        #expect(Timestamp.text(1_772_323_199_999_999) == "2026-02-28T23:59:59.999999Z")
        #expect(Timestamp.text(1_772_323_200_000_000) == "2026-03-01T00:00:00.000000Z")
        #expect(Timestamp.text(-1) == "1969-12-31T23:59:59.999999Z")
        #expect(Timestamp.text(4_107_542_400_000_000) == "2100-03-01T00:00:00.000000Z")
    }

    @Test func `records are stamped in strict order, also when the clock is set back`() {
        let bench = Bench()
        let socket = bench.open()
        bench.chat("a", on: socket)
        bench.now.wall -= 3_600_000_000
        bench.chat("b", on: socket)
        let times = bench.list().compactMap { $0.text("updatedAt") }
        #expect(times.count == 2)
        #expect(times[0] > times[1])
    }

    @Test func `ids are safe, different, and the same from the same seed`() {
        var first = IDSource(seed: 5)
        var second = IDSource(seed: 5)
        var random = IDSource()
        let ids = (0..<100).map { _ in first.next("ses") }
        #expect(ids == (0..<100).map { _ in second.next("ses") })
        #expect(Set(ids).count == 100)
        #expect(ids.allSatisfy(isSessionID))
        let (one, other) = (random.next("ses"), random.next("ses"))
        #expect(one != other)
    }

    @Test(arguments: [
        ("a", true), ("A_-9", true), ("", false), ("a.b", false), ("é", false), ("a b", false), ("a\0", false),
    ])
    func `a session id is of the safe characters alone`(_ id: String, _ accepted: Bool) {
        #expect(isSessionID(id) == accepted)
    }

    @Test func `a session id has at most 128 characters`() {
        #expect(isSessionID(String(repeating: "x", count: 128)))
        #expect(!isSessionID(String(repeating: "x", count: 129)))
    }

    @Test func `previews are cut between characters, and only when too long`() {
        let family = "👩‍👩‍👧‍👦"
        #expect(Preview.cut(String(repeating: family, count: 100), to: 100).count == 100)
        #expect(!Preview.cut(String(repeating: family, count: 100), to: 100).hasSuffix("…"))
        #expect(
            Preview.cut(String(repeating: family, count: 101), to: 100) == String(repeating: family, count: 99) + "…")
        #expect(Preview.title(of: "\n  first line\nsecond") == "first line")
        #expect(Preview.title(of: "") == "")
    }

    @Test(arguments: [1, 199, 200, 201, 5000])
    func `PUSH-2 a notice is short enough for the push service, whatever the answer`(_ count: Int) throws {
        let family = "👩‍👩‍👧‍👦"
        let notice = PushNotice(
            principal: "p1", title: "title", answer: String(repeating: family, count: count), session: "s",
            message: "m",
            turn: String(repeating: "t", count: 128))
        #expect(notice.payload.utf8.count <= 4096)
        let aps = try #require(try JSONParser.value(notice.payload)["aps"])
        let body = try #require(aps["alert"]?.text("body"))
        #expect(!body.isEmpty && body.count <= 200)
        #expect(body.drop { String($0) == family || $0 == "…" }.isEmpty)
        #expect(aps.text("thread-id") == "s")
        #expect(notice.headers["apns-collapse-id"]?.utf8.count == 64)
    }

    @Test func `PUSH-1 an answer that nobody took live is pushed, once`() {
        var rules = Bench.rules
        rules.devices = ["p1": ["d1"]]
        let bench = Bench(rules)
        let socket = bench.open()
        bench.chat("seen", on: socket)
        bench.chat(script(["wait": 10], ["reply": "unseen"]), key: "c1", on: socket)
        bench.end(socket)
        bench.pass(ms: 10)
        bench.chat(script(["wait": 10], ["reply": "unseen"]), key: "c1", on: bench.open())
        #expect(bench.pushes.count == 1)
        #expect(bench.pushes.first?.payload.contains("unseen") == true)
    }
}
