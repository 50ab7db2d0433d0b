import HoldfastJSON
import Testing

@testable import HoldfastReference

@Suite struct VariationTests {
    private static func bench(_ variation: Variation) -> Bench {
        var rules = Bench.rules
        rules.variations = [variation]
        return Bench(rules)
    }

    @Test func `sparse numbers rise and leave holes`() {
        let bench = Self.bench(.sparseNumbers)
        let socket = bench.open()
        for _ in 0..<5 { bench.chat("x", on: socket) }
        let numbers = (bench.frames[socket] ?? []).compactMap(\.seq)
        #expect(zip(numbers, numbers.dropFirst()).allSatisfy { $0 < $1 })
        #expect((numbers.last ?? 0) > numbers.count)
    }

    @Test func `extra members are everywhere but in what the client said`() {
        let bench = Self.bench(.extraMembers)
        let socket = bench.open()
        let content: JSONValue = [["type": "text", "text": "x", "mine": ["a": 1]]]
        bench.say(
            ["type": "chat", "clientMessageId": "c1", "messages": [["role": "user", "content": content]]], on: socket)
        #expect((bench.frames[socket] ?? []).allSatisfy { $0["x-note"] != nil })
        let session = bench.frames("done", on: socket)[0].text("sessionId") ?? ""
        #expect(bench.read(session)?["session"]?["x-note"] != nil)
        #expect(bench.messages(session)[0]["content"] == content)
    }

    @Test func `another order of members is the same frame`() {
        let plain = Bench()
        let other = Self.bench(.otherMemberOrder)
        let first = plain.chat("x", on: plain.open())
        let second = other.chat("x", on: other.open())
        #expect(first == second)
        #expect(first.map { $0.text() } != second.map { $0.text() })
    }

    @Test func `slow answers come 200 ms later`() {
        let bench = Self.bench(.slowAnswers)
        let socket = bench.open()
        #expect(bench.chat("x", on: socket).map { $0.text("type") } == ["ack", "message"])
        bench.pass(ms: 200)
        #expect(bench.frames("done", on: socket).count == 1)
    }

    @Test func `ORDER-2 busy refuses instead of queueing, on both roads, and keeps nothing`() {
        let bench = Self.bench(.busyInsteadOfQueueing)
        let socket = bench.open()
        let session = bench.chat(script(["wait": 50], ["reply": "x"]), on: socket)[0].text("sessionId") ?? ""
        #expect(bench.chat("y", key: "c2", session: session, on: socket).map(\.code) == ["busy"])
        #expect(bench.post("y", session: session)?.status == 409)
        bench.pass(ms: 50)
        #expect(bench.chat("y", key: "c2", session: session, on: socket).last?.text("type") == "done")
        #expect(bench.messages(session).count == 4)
    }

    @Test func `TURN-11 without echo the asker gets no message, the others do`() {
        let bench = Self.bench(.noEcho)
        let asker = bench.open()
        let other = bench.open()
        bench.chat("x", on: asker)
        #expect(bench.frames("message", on: asker).isEmpty)
        #expect(bench.frames("message", on: other).count == 1)
        bench.post("y")
        #expect(bench.frames("message", on: asker).count == 1)
    }

    @Test func `PUSH-1 a notice may come beside the live answer`() {
        var rules = Bench.rules
        rules.devices = ["p1": ["d1"]]
        let usual = Bench(rules)
        usual.chat("x", on: usual.open())
        #expect(usual.pushes.isEmpty)
        rules.variations = [.pushBesideDone]
        let eager = Bench(rules)
        eager.chat("x", on: eager.open())
        #expect(eager.pushes.count == 1)
    }

    @Test func `PUSH-2 and PUSH-3 leave notices their form`() throws {
        let answer = String(repeating: "x", count: 100)
        let notice = PushNotice(
            principal: "p1", title: "title", answer: answer, session: "s", message: "m", turn: "t",
            variations: [.noCollapseId, .terseNotices])
        #expect(notice.headers["apns-collapse-id"] == nil)
        let alert = try JSONParser.value(notice.payload)["aps"]?["alert"]
        #expect(alert?.text("title") == "Agent")
        #expect(alert?.text("body") == answer.prefix(57) + "...")
    }
}
