import HoldfastJSON
import Testing

@testable import ReferenceClient

@Suite struct StreamTests {
    /// A phone that holds position 5 of epoch e1 and lost its connection while turn 1 ran.
    private func lost(_ defects: Set<ClientDefect> = []) -> Phone {
        var phone = Phone.connected(defects, lastSeq: 4)
        phone.tell(.typed("question 1"))
        phone.receive(ack(1, phone.key))
        phone.receive(toolUse(1, seq: 5))
        phone.cut()
        phone.elapse(.reconnect, after: 1000)
        return phone
    }

    private func result(
        _ lastSeq: Int, complete: Bool, epoch: String = "e1", more: Bool = false, missed: [JSONValue] = []
    )
        -> JSONValue
    {
        var frame: JSONValue = [
            "type": "syncResult", "epoch": .string(epoch), "lastSeq": .init(lastSeq), "complete": .init(complete),
            "missed": .array(missed),
        ]
        if !complete { frame["reason"] = more ? "too_many" : "evicted" }
        if more { frame["more"] = true }
        return frame
    }

    @Test func `CLIENT-15 a position is asked from on every new connection`() {
        for last in [3, 5, 9] {
            var phone = lost()
            phone.connect(lastSeq: last)
            #expect(phone.sent("sync").last?["lastSeqSeen"]?.intValue == 5)
            #expect(phone.sent("sync").last?["epoch"]?.stringValue == "e1")
        }
        var phone = lost()
        phone.connect(epoch: "e2", lastSeq: 1)
        #expect(phone.sent("sync").last?["epoch"]?.stringValue == "e1")
    }

    @Test func `CLIENT-15 the start is a position once it was asked from`() {
        var phone = Phone()
        phone.tell(.launched(opened: nil))
        phone.answer(path: "/api/sessions", #"{"sessions":[]}"#)
        phone.cut()
        phone.tell(.typed("question 1"))
        phone.elapse(.reconnect, after: 1000)
        phone.connect()
        #expect(phone.sent("sync").count == 1)
        phone.answer(path: "/api/chat", #"{"text":"answer 1","sessionId":"s1","turnId":"t1","messageId":"a1"}"#)
        phone.cut()
        phone.elapse(.reconnect, after: 1000)
        phone.connect(lastSeq: 4)
        #expect(phone.sent("sync").count == 2)
        #expect(phone.sent("sync").last?["lastSeqSeen"]?.intValue == 0)
    }

    @Test func `CLIENT-15 no sync without an epoch, but a read`() {
        var phone = lost()
        phone.connect(epoch: nil)
        #expect(phone.sent("sync").isEmpty)
        #expect(phone.asked("GET", "/api/sessions/s1").count == 1)
    }

    @Test func `CLIENT-30 a replayed ending ends the thinking`() {
        var phone = lost()
        phone.connect(lastSeq: 6)
        #expect(phone.screen.isThinking)
        phone.receive(result(6, complete: true, missed: [done(1, seq: 6)]))
        #expect(!phone.screen.isThinking)
        #expect(phone.ids == ["u1", "a1"])
        #expect(phone.core.stream.held == Position(epoch: "e1", seq: 6))
        #expect(phone.asked("GET", "/api/sessions/s1").isEmpty)
    }

    @Test func `CLIENT-17 what cannot be replayed is read, and the place moves then`() {
        var phone = lost()
        phone.connect(lastSeq: 9)
        phone.receive(result(9, complete: false))
        #expect(phone.asked("GET", "/api/sessions/s1").count == 1)
        #expect(phone.core.stream.held?.seq == 5)
        phone.answer(path: "/api/sessions/s1", history("s1", ["u1", "a1"], turns: [("t1", "done")]))
        #expect(phone.core.stream.held?.seq == 9)
        #expect(!phone.screen.isThinking)
    }

    @Test func `CLIENT-16 the next page is asked for from the last number`() {
        var phone = lost()
        phone.connect(lastSeq: 9)
        phone.receive(result(9, complete: false, more: true, missed: [toolUse(1, seq: 7)]))
        #expect(phone.sent("sync").last?["lastSeqSeen"]?.intValue == 7)
        phone.receive(result(9, complete: true, missed: [done(1, seq: 9)]))
        #expect(phone.sent("sync").count == 2)
        #expect(phone.core.stream.held?.seq == 9)
    }

    @Test func `CLIENT-17 what is missing before a page is read once the pages are through`() {
        var phone = lost()
        phone.connect(lastSeq: 9)
        var page = result(9, complete: false, more: true, missed: [toolUse(1, seq: 7)])
        page["reason"] = "evicted"
        phone.receive(page)
        #expect(phone.sent("sync").last?["lastSeqSeen"]?.intValue == 7)
        phone.receive(result(9, complete: true, missed: [done(1, seq: 9)]))
        #expect(phone.core.stream.held?.seq == 5)
        phone.answer(path: "/api/sessions/s1", history("s1", ["u1", "a1", "u2", "a2"]))
        #expect(phone.core.stream.held?.seq == 9)
        #expect(phone.ids == ["u1", "a1", "u2", "a2"])
    }

    @Test func `CLIENT-16 a page without frames is no page`() {
        var phone = lost()
        phone.connect(lastSeq: 9)
        phone.receive(result(9, complete: false, more: true))
        #expect(phone.sent("sync").count == 1)
        #expect(phone.asked("GET", "/api/sessions/s1").count == 1)
    }

    @Test func `CLIENT-19 a live frame does not move the place over the gap`() {
        var phone = lost()
        phone.connect(lastSeq: 8)
        phone.receive(done(9, session: "s9", seq: 9))
        phone.cut()
        phone.elapse(.reconnect, after: 1000)
        phone.connect(lastSeq: 9)
        #expect(phone.sent("sync").last?["lastSeqSeen"]?.intValue == 5)
        phone.receive(done(10, session: "s9", seq: 10))
        phone.receive(result(9, complete: true))
        #expect(phone.core.stream.held?.seq == 10)
    }

    @Test func `CLIENT-19 a new epoch comes with its own number, once the history was read`() {
        var phone = lost()
        phone.connect(epoch: "e2", lastSeq: 1)
        phone.receive(result(1, complete: false, epoch: "e2"))
        phone.cut()
        phone.elapse(.reconnect, after: 1000)
        phone.connect(epoch: "e2", lastSeq: 1)
        #expect(phone.core.stream.held == Position(epoch: "e1", seq: 5))
        phone.receive(result(1, complete: false, epoch: "e2"))
        // The read from before the cut does not count for what is asked after it.
        phone.answer(path: "/api/sessions/s1", history("s1", ["u1"]))
        phone.answer(path: "/api/sessions/s1", history("s1", ["u1"]))
        #expect(phone.core.stream.held == Position(epoch: "e2", seq: 1))
    }

    @Test func `CLIENT-19 a number counts whatever carries it`() {
        var phone = Phone.connected(lastSeq: 4)
        phone.receive(["type": "weather", "seq": 7, "sun": ["very": "bright"]])
        #expect(phone.core.stream.held?.seq == 7)
        #expect(phone.screen.errors.isEmpty)
    }

    @Test func `CLIENT-26 holes hold nothing back`() {
        var phone = lost()
        phone.connect(lastSeq: 5)
        phone.receive(result(5, complete: true))
        phone.receive(done(1, seq: 40))
        #expect(phone.ids == ["u1", "a1"])
    }

    @Test func `a phone without a past takes the place it is told, and reads again what it read before`() {
        var phone = Phone()
        phone.tell(.launched(opened: nil))
        phone.answer(path: "/api/sessions", #"{"sessions":[{"id":"s1"}]}"#)
        phone.answer(path: "/api/sessions/s1", history("s1", ["u1"]))
        phone.connect(lastSeq: 7)
        #expect(phone.sent("sync").isEmpty)
        #expect(phone.core.stream.held?.seq == 7)
        #expect(phone.asked("GET", "/api/sessions/s1").count == 2)
    }
}
