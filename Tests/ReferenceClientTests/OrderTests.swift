import HoldfastJSON
import Testing

@testable import ReferenceClient

/// Where a message is shown that an `ack`, a copy or an answer over REST brought before a numbered frame or a read told its place.
@Suite struct OrderTests {
    private func message(_ number: Int, _ key: String? = nil, seq: Int) -> JSONValue {
        var frame: JSONValue = [
            "type": "message", "sessionId": "s1", "messageId": .string("u\(number)"), "role": "user",
            "text": .string("question \(number)"), "turnId": .string("t\(number)"), "seq": .init(seq),
        ]
        frame["clientMessageId"] = key.map(JSONValue.string)
        return frame
    }

    private func replay(_ lastSeq: Int, _ missed: [JSONValue]) -> JSONValue {
        [
            "type": "syncResult", "epoch": "e1", "lastSeq": .init(lastSeq), "complete": true, "missed": .array(missed),
        ]
    }

    /// What a server that names no turns sends.
    private func nameless(_ frame: JSONValue) -> JSONValue {
        var frame = frame
        frame["turnId"] = nil
        return frame
    }

    /// A phone that has asked two questions: the first is accepted, the connection ended before a sign of the second.
    private func asking() -> (phone: Phone, keys: [String]) {
        var phone = Phone.connected()
        phone.tell(.typed("question 1"))
        let first = phone.key
        phone.receive(ack(1, first))
        phone.receive(toolUse(1, seq: 2))
        phone.tell(.typed("question 2"))
        let second = phone.key
        phone.cut()
        return (phone, [first, second])
    }

    @Test func `a replay puts the older answer before the one that came over REST`() {
        var (phone, keys) = asking()
        let body = #"{"text":"answer 2","sessionId":"s1","turnId":"t2","messageId":"a2","duplicate":true}"#
        phone.answer(path: "/api/chat", body)
        phone.elapse(.reconnect, after: 1000)
        phone.connect(lastSeq: 6)
        phone.receive(replay(6, [done(1, seq: 3), message(2, keys[1], seq: 4), toolUse(2, seq: 5), done(2, seq: 6)]))
        #expect(phone.ids == ["u1", "a1", "u2", "a2"])
    }

    @Test func `a replay puts an older question before what is shown of it, whatever stands behind`() {
        var (phone, keys) = asking()
        phone.fail(path: "/api/chat")
        phone.tell(.typed("question 3"))
        keys.append(phone.key)
        phone.elapse(.reconnect, after: 1000)
        phone.connect(lastSeq: 4)
        phone.receive(ack(2, keys[1]))
        phone.receive(["type": "error", "error": "no", "code": "bad_request", "clientMessageId": .string(keys[2])])
        phone.receive(replay(4, [message(7, seq: 3), message(2, keys[1], seq: 4)]))
        #expect(phone.ids == ["u1", "u7", "u2", nil])
    }

    @Test func `the number of a question tells its place, not the moment of its ack`() {
        var (phone, keys) = asking()
        phone.fail(path: "/api/chat")
        phone.elapse(.reconnect, after: 1000)
        phone.connect(lastSeq: 3)
        phone.receive(done(1, seq: 4))
        #expect(phone.ids == ["u1", "a1", nil])
        phone.receive(replay(4, [message(2, keys[1], seq: 3), done(1, seq: 4)]))
        #expect(phone.ids == ["u1", "u2", "a1"])
    }

    @Test func `an answer whose question came before an answered one is read for`() {
        var (phone, keys) = asking()
        phone.elapse(.reconnect, after: 1000)
        phone.connect(epoch: nil)
        let stored = history("s1", ["u1", "u2"], keys: ["u1": keys[0], "u2": keys[1]], turns: [("t1", "running")])
        while !phone.waiting("/api/sessions/s1").isEmpty { phone.answer(path: "/api/sessions/s1", stored) }
        phone.answer(path: "/api/chat", #"{"text":"answer 2","sessionId":"s1","turnId":"t2","messageId":"a2"}"#)
        #expect(phone.waiting("/api/sessions/s1").isEmpty)
        phone.receive(done(1))
        phone.answer(path: "/api/sessions/s1", history("s1", ["u1", "u2", "a1", "a2"]))
        #expect(phone.ids == ["u1", "u2", "a1", "a2"])
    }
}
