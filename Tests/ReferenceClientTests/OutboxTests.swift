import HoldfastJSON
import Testing

@testable import ReferenceClient

@Suite struct OutboxTests {
    @Test func `a question is stored before it is sent`() throws {
        var phone = Phone.connected()
        phone.tell(.typed("hello"))
        let saved = try #require(phone.latest.firstIndex { if case .save = $0 { true } else { false } })
        let sent = try #require(phone.latest.firstIndex { if case .send = $0 { true } else { false } })
        #expect(saved < sent)
    }

    @Test func `CLIENT-7 a question without an ack is sent again over REST when its connection ends`() {
        var phone = Phone.connected()
        phone.tell(.typed("hello"))
        phone.cut()
        let posts = phone.asked("POST", "/api/chat")
        #expect(posts.count == 1)
        let body = try? JSONParser.value(posts.first?.body ?? "")
        #expect(body?["clientMessageId"]?.stringValue == phone.key)
        #expect(body?["messages"] == phone.sent("chat").first?["messages"])
        phone.elapse(.reconnect, after: 1000)
        phone.connect()
        // Once for each loss: what is under way over REST is not sent a third time.
        #expect(phone.sent("chat").count == 1)
    }

    @Test func `CLIENT-7 where REST fails too, the next connection takes it`() {
        var phone = Phone.connected()
        phone.tell(.typed("hello"))
        phone.cut()
        phone.fail(path: "/api/chat")
        phone.elapse(.reconnect, after: 1000)
        phone.connect()
        let chats = phone.sent("chat")
        #expect(chats.count == 2)
        #expect(Set(chats.map { $0["clientMessageId"]?.stringValue }).count == 1)
    }

    @Test func `CLIENT-4 a question without a sign is the end of its connection`() {
        var phone = Phone.connected()
        phone.tell(.typed("hello"))
        #expect(phone.wait(.confirmation(key: phone.key)) == 15_000)
        phone.elapse(.confirmation(key: phone.key), after: 15_000)
        #expect(phone.latest.contains(.close(socket: 1, code: nil)))
        #expect(phone.asked("POST", "/api/chat").count == 1)
    }

    @Test func `an error over REST names the session that the question began`() {
        var phone = Phone.connected()
        phone.tell(.typed("hello"))
        phone.cut()
        let body = #"{"error":"stopped","code":"interrupted","sessionId":"s1","turnId":"t1"}"#
        phone.answer(path: "/api/chat", body, status: 503)
        #expect(phone.core.screen.session == "s1")
    }

    @Test(arguments: ["", #"{"error":"no","code":"persist_failed"}"#])
    func `CLIENT-7 a 5xx without names says nothing of a question`(body: String) {
        var phone = Phone.connected()
        phone.tell(.typed("hello"))
        phone.cut()
        phone.answer(path: "/api/chat", body, status: 500)
        #expect(phone.screen.messages.map(\.status) == [.sending])
        phone.elapse(.reconnect, after: 1000)
        phone.connect()
        #expect(phone.sent("chat").count == 2)
    }

    @Test(arguments: [false, true])
    func `a read tells where the answer to a question sent again belongs`(isFollowed: Bool) {
        var phone = Phone.connected()
        phone.tell(.selected("s1"))
        phone.answer(path: "/api/sessions/s1", history("s1", ["u1", "a1"]))
        phone.tell(.typed("one"))
        if isFollowed { phone.tell(.typed("two")) }
        phone.cut()
        while !phone.waiting("/api/sessions/s1").isEmpty {
            phone.answer(path: "/api/sessions/s1", history("s1", ["u1", "a1"]))
        }
        let body = #"{"text":"answer","sessionId":"s1","turnId":"t2","messageId":"a2"}"#
        phone.answer(path: "/api/chat", body)
        #expect(phone.waiting("/api/sessions/s1").isEmpty != isFollowed)
    }

    @Test func `CLIENT-5 equal texts have keys of their own`() {
        var phone = Phone.connected()
        phone.tell(.typed("hello"))
        let first = phone.key
        phone.receive(ack(1, first))
        phone.tell(.typed("hello"))
        #expect(phone.key != first)
        #expect(phone.sent("chat").count == 2)
    }

    @Test func `CLIENT-24 frames of other sessions prove nothing`() {
        var phone = Phone.connected()
        phone.tell(.typed("hello"))
        phone.receive(toolUse(9, session: "s9", seq: 1))
        phone.receive(done(9, session: "s9", seq: 2))
        #expect(phone.screen.messages.first?.status == .sending)
        phone.cut()
        #expect(phone.asked("POST", "/api/chat").count == 1)
    }

    @Test func `CLIENT-24 the turn of the ack proves it`() {
        var phone = Phone.connected()
        phone.tell(.typed("hello"))
        phone.receive(ack(1, phone.key))
        #expect(phone.screen.messages.first?.status == .sent)
        phone.cut()
        #expect(phone.asked("POST", "/api/chat").isEmpty)
    }

    @Test func `a second question waits for the session of the first`() {
        var phone = Phone.connected()
        phone.tell(.typed("one"))
        let first = phone.key
        phone.tell(.typed("two"))
        #expect(phone.sent("chat").count == 1)
        phone.receive(ack(1, first))
        #expect(phone.sent("chat").last?["sessionId"]?.stringValue == "s1")
    }

    @Test func `CLIENT-32 a refused question has failed, and its error says why`() {
        var phone = Phone.connected()
        phone.tell(.typed("hello"))
        phone.receive([
            "type": "error", "error": "no such session", "code": "session_not_found",
            "clientMessageId": .string(phone.key),
        ])
        #expect(phone.screen.messages.first?.status == .failed)
        #expect(phone.screen.errors.first?.code == "session_not_found")
        #expect(phone.screen.errors.first?.key == phone.key)
        #expect(!phone.screen.isThinking)
    }

    @Test func `an error that names nothing is shown, and refuses no question`() {
        var phone = Phone.connected()
        phone.tell(.typed("hello"))
        phone.receive(["type": "error", "error": "bad", "code": "parse_error"])
        #expect(phone.screen.errors.map(\.code) == ["parse_error"])
        #expect(phone.screen.isThinking)
    }

    @Test func `CLIENT-8 a limited question waits as long as it was told, whatever the time scale`() {
        var phone = Phone(scale: 10)
        phone.tell(.launched(opened: nil))
        phone.connect()
        phone.tell(.typed("hello"))
        let key = phone.key
        phone.receive([
            "type": "error", "error": "slow down", "code": "rate_limited", "clientMessageId": .string(key),
            "retryAfterMs": 4000, "limit": 1, "windowMs": 60_000,
        ])
        #expect(phone.wait(.retry(key: key)) == 4000)
        phone.cut()
        phone.elapse(.reconnect, after: 100)
        phone.connect()
        #expect(phone.sent("chat").count == 1)
        phone.elapse(.retry(key: key), after: 4000)
        #expect(phone.sent("chat").count == 2)
        #expect(phone.sent("chat").last?["clientMessageId"]?.stringValue == key)
    }

    @Test func `CLIENT-8 what the person sends again waits as long as it was told, too`() {
        var phone = Phone.connected()
        phone.tell(.selected("s1"))
        phone.answer(path: "/api/sessions/s1", history("s1", []))
        phone.tell(.typed("hello"))
        let key = phone.key
        phone.receive([
            "type": "error", "error": "slow down", "code": "rate_limited", "clientMessageId": .string(key),
            "retryAfterMs": 100_000,
        ])
        // A send before it was stored; then nothing answers it for as long as polling may last.
        phone.receive([
            "type": "message", "sessionId": "s1", "messageId": "u1", "role": "user", "text": "hello",
            "clientMessageId": .string(key),
        ])
        #expect(phone.screen.isThinking)
        phone.core.giveUp(phone.core.shown)
        phone.tell(.resent(key: key), after: 65_000)
        #expect(phone.sent("chat").count == 1)
        #expect(phone.screen.errors.map(\.code) == ["rate_limited"])
        var next = Phone(memory: phone.stored, now: phone.now)
        next.tell(.launched(opened: nil))
        next.connect()
        #expect(next.sent("chat").isEmpty)
        phone.elapse(.retry(key: key), after: 35_000)
        #expect(phone.sent("chat").count == 2)
    }

    @Test func `CLIENT-8 Retry-After holds too`() {
        var phone = Phone.connected()
        phone.tell(.typed("hello"))
        let key = phone.key
        phone.cut()
        phone.answer(
            path: "/api/chat", #"{"error":"slow","code":"rate_limited","retryAfterMs":100}"#, status: 429,
            retryAfter: "3")
        #expect(phone.wait(.retry(key: key)) == 3000)
    }

    @Test func `a question too long for the server is not sent again`() {
        var phone = Phone.connected()
        phone.tell(.typed(String(repeating: "x", count: 200_000)))
        #expect(phone.sent("chat").isEmpty)
        #expect(phone.screen.messages.first?.status == .failed)
        phone.tell(.typed("short"))
        phone.cut(code: 1009)
        #expect(phone.asked("POST", "/api/chat").isEmpty)
    }

    @Test func `a question survives the app`() {
        var phone = Phone.connected()
        phone.tell(.typed("hello"))
        let key = phone.key
        var next = Phone(memory: phone.stored)
        next.tell(.launched(opened: nil))
        next.connect(lastSeq: 3)
        #expect(next.screen.messages.first?.text == "hello")
        #expect((next.asked("POST", "/api/chat").count + next.sent("chat").count) == 1)
        #expect(next.key == key)
        #expect(next.sent("sync").first?["lastSeqSeen"]?.intValue == 0)
    }

    @Test func `a question answered over REST survives the app, though it has no id yet`() {
        var phone = Phone()
        phone.tell(.launched(opened: nil))
        phone.answer(path: "/api/sessions", #"{"sessions":[]}"#)
        phone.cut()
        phone.tell(.typed("hello"))
        phone.answer(
            path: "/api/chat", #"{"text":"answer 1","sessionId":"s1","turnId":"t1","messageId":"a1"}"#, status: 200)
        #expect(phone.screen.messages.map(\.text) == ["hello", "answer 1"])
        var next = Phone(memory: phone.stored)
        next.tell(.launched(opened: nil))
        #expect(next.screen.messages.map(\.text) == ["hello", "answer 1"])
    }

    @Test func `what failed over REST stays on the screen when a replay tells its session`() {
        var phone = Phone()
        phone.tell(.launched(opened: nil))
        phone.answer(path: "/api/sessions", #"{"sessions":[]}"#)
        phone.cut()
        phone.tell(.typed("question 1"))
        let key = phone.key
        phone.elapse(.reconnect, after: 1000)
        phone.connect(lastSeq: 2)
        phone.answer(path: "/api/chat", #"{"error":"it failed","code":"internal","turnId":"t1"}"#, status: 502)
        phone.receive([
            "type": "syncResult", "epoch": "e1", "lastSeq": 2, "complete": true,
            "missed": [
                [
                    "type": "message", "sessionId": "s1", "messageId": "u1", "role": "user", "text": "question 1",
                    "timestamp": "2026-01-01T00:00:00Z", "turnId": "t1", "clientMessageId": .string(key), "seq": 1,
                ],
                [
                    "type": "error", "error": "it failed", "code": "internal", "sessionId": "s1", "turnId": "t1",
                    "clientMessageId": .string(key), "seq": 2,
                ],
            ],
        ])
        #expect(phone.screen.session == "s1")
        #expect(phone.ids == ["u1"])
        #expect(!phone.screen.errors.isEmpty)
    }

    @Test func `a budget survives the app`() {
        var phone = Phone.connected()
        phone.tell(.typed("hello"))
        phone.receive([
            "type": "error", "error": "slow down", "code": "rate_limited", "clientMessageId": .string(phone.key),
            "retryAfterMs": 4000,
        ])
        var next = Phone(memory: phone.stored, now: phone.now + 1000)
        next.tell(.launched(opened: nil))
        next.connect()
        #expect(next.sent("chat").isEmpty)
        #expect(next.wait(.retry(key: phone.key)) == 3000, "one millisecond is over, and one may be begun")
        next.elapse(.retry(key: phone.key), after: 4000)
        #expect(next.sent("chat").count == 1)
    }

    @Test func `without a socket a question goes over REST`() {
        var phone = Phone()
        phone.tell(.launched(opened: nil))
        phone.answer(path: "/api/sessions", #"{"sessions":[]}"#)
        phone.cut()
        phone.tell(.typed("hello"))
        #expect(phone.asked("POST", "/api/chat").count == 1)
        phone.answer(path: "/api/chat", #"{"text":"answer 1","sessionId":"s1","turnId":"t1","messageId":"a1"}"#)
        #expect(phone.screen.session == "s1")
        #expect(phone.screen.messages.map(\.text) == ["hello", "answer 1"])
        #expect(!phone.screen.isThinking)
    }

    @Test func `CLIENT-12 one that was given up leaves its new conversation to the one that went out after it`() {
        var phone = Phone.connected()
        phone.tell(.typed("question 1"))
        let first = phone.key
        phone.tell(.typed("question 2"))
        let second = phone.key
        phone.tell(.typed("question 3"))
        phone.cut()
        let body = #"{"error":"no","code":"internal","clientMessageId":"\#(first)"}"#
        phone.answer(path: "/api/chat", body, status: 503)
        phone.elapse(.reconnect, after: 1000)
        phone.connect(lastSeq: 1)
        let stored: JSONValue = [
            "type": "message", "sessionId": "s1", "messageId": "u1", "role": "user", "text": "question 1",
            "turnId": "t1", "clientMessageId": .string(first), "seq": 1,
        ]
        phone.receive(["type": "syncResult", "epoch": "e1", "lastSeq": 1, "complete": true, "missed": [stored]])
        var ack = ack(2, second)
        ack["sessionId"] = "s2"
        phone.receive(ack)
        #expect(phone.screen.session == "s2")
        #expect(phone.ids == ["u2", nil])
        #expect(phone.sent("chat").last?["sessionId"] == "s2")
        phone.tell(.selected("s1"))
        #expect(phone.ids == ["u1"])
    }

    @Test func `CLIENT-27 one whose repeat was refused for its rate leaves its new conversation to the next`() {
        var phone = Phone.connected()
        phone.tell(.typed("question 1"))
        let first = phone.key
        phone.cut()
        phone.answer(
            path: "/api/chat", #"{"error":"no","code":"rate_limited","retryAfterMs":9000}"#, status: 429)
        phone.tell(.typed("question 2"))
        let second = phone.key
        phone.elapse(.reconnect, after: 1000)
        phone.connect(lastSeq: 1)
        let stored: JSONValue = [
            "type": "message", "sessionId": "s1", "messageId": "u1", "role": "user", "text": "question 1",
            "turnId": "t1", "clientMessageId": .string(first), "seq": 1,
        ]
        phone.receive(["type": "syncResult", "epoch": "e1", "lastSeq": 1, "complete": true, "missed": [stored]])
        var ack = ack(2, second)
        ack["sessionId"] = "s2"
        phone.receive(ack)
        #expect(phone.screen.session == "s2")
        #expect(phone.ids == ["u2"])
    }

    @Test func `CLIENT-38 one that waits for its rate does not hold up the next of a new conversation`() {
        var phone = Phone.connected()
        phone.tell(.typed("question 1"))
        let first = phone.key
        phone.receive([
            "type": "error", "error": "slow down", "code": "rate_limited", "clientMessageId": .string(first),
            "retryAfterMs": 4000,
        ])
        phone.tell(.typed("question 2"))
        let second = phone.key
        #expect(phone.sent("chat").count == 2)
        phone.elapse(.retry(key: first), after: 4001)
        #expect(phone.sent("chat").count == 2, "the session is not known yet")
        phone.receive(ack(1, second))
        #expect(phone.sent("chat").last?["sessionId"] == "s1")
        #expect(phone.sent("chat").last?["clientMessageId"]?.stringValue == first)
    }
}
