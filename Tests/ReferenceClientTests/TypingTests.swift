import HoldfastJSON
import Testing

@testable import ReferenceClient

/// What a person types, and types again, on a phone without a network.
@Suite struct TypingTests {
    /// A phone with the session s1 on its screen.
    private func ready() -> Phone {
        var phone = Phone.connected()
        phone.tell(.selected("s1"))
        phone.answer(path: "/api/sessions/s1", history("s1", ["u1", "a1"]))
        return phone
    }

    private func keys(_ frames: [JSONValue]) -> [String?] { frames.map { $0["clientMessageId"]?.stringValue } }

    @Test func `CLIENT-4 a still connection is asked by a ping, and left when nothing answers`() {
        var phone = ready()
        phone.tell(.typed("hello"))
        phone.receive(ack(2, phone.key))
        phone.elapse(.connectionSilence, after: 30_000)
        #expect(phone.sent("ping").count == 1)
        phone.elapse(.connectionSilence, after: 30_000)
        #expect(phone.latest.contains(.close(socket: 1, code: nil)))
        #expect(phone.wait(.reconnect) != nil)
    }

    @Test func `CLIENT-4 whatever comes is a sign of life`() {
        var phone = ready()
        phone.tell(.typed("hello"))
        phone.receive(ack(2, phone.key))
        for _ in 1...3 {
            phone.elapse(.connectionSilence, after: 30_000)
            phone.receive(["type": "pong"])
        }
        #expect(phone.sent("ping").count == 3)
        #expect(!phone.effects.contains(.close(socket: 1, code: nil)))
        phone.receive(done(2))
        phone.elapse(.connectionSilence, after: 30_000)
        #expect(phone.sent("ping").count == 3)
    }

    @Test func `CLIENT-6 what was given up goes out again under its key`() {
        var phone = ready()
        phone.tell(.typed("hello"))
        let key = phone.key
        phone.receive(ack(2, key))
        phone.core.giveUp(phone.core.shown)
        #expect(phone.screen.messages.last?.status == .failed)
        phone.tell(.resent(key: key))
        #expect(keys(phone.sent("chat")) == [key, key])
        #expect(phone.screen.messages.last?.status == .sending)
    }

    @Test func `CLIENT-6 what has failed goes out again under a new key`() {
        var phone = ready()
        phone.tell(.typed("hello"))
        let key = phone.key
        phone.receive(ack(2, key))
        phone.receive(["type": "error", "code": "agent_failed", "error": "no", "turnId": "t2", "sessionId": "s1"])
        phone.tell(.resent(key: key))
        #expect(phone.sent("chat").count == 2)
        #expect(Set(keys(phone.sent("chat"))).count == 2)
        #expect(phone.screen.messages.map(\.text).suffix(2) == ["hello", "hello"])
    }

    @Test func `CLIENT-6 what a replay told of keeps its key although its repeat is refused`() {
        var phone = ready()
        phone.tell(.typed("hello"))
        let key = phone.key
        phone.cut()
        phone.fail(path: "/api/chat")
        phone.elapse(.reconnect, after: 1000)
        phone.connect()
        #expect(keys(phone.sent("chat")) == [key, key])
        phone.receive(ack(2, key))
        phone.receive(["type": "error", "code": "too_large", "error": "no", "clientMessageId": .string(key)])
        #expect(phone.screen.messages.last?.status == .failed)
        phone.tell(.resent(key: key))
        #expect(keys(phone.sent("chat")) == [key, key, key])
    }

    @Test func `CLIENT-6 what was refused is on the screen once when it goes out again`() {
        var phone = ready()
        phone.tell(.typed("hello"))
        let key = phone.key
        phone.receive(["type": "error", "code": "busy", "error": "no", "clientMessageId": .string(key)])
        phone.tell(.resent(key: key))
        #expect(phone.sent("chat").count == 2)
        #expect(phone.screen.messages.filter { $0.text == "hello" }.count == 1)
        #expect(phone.screen.errors.isEmpty)
    }

    @Test func `CLIENT-10 over REST one waits for the one before it`() {
        var phone = ready()
        phone.tell(.typed("first"))
        phone.tell(.typed("second"))
        phone.cut()
        #expect(phone.asked("POST", "/api/chat").count == 1)
        phone.answer(
            path: "/api/chat", #"{"sessionId":"s1","turnId":"t2","messageId":"a2","text":"answer 2"}"#)
        #expect(phone.asked("POST", "/api/chat").map { $0.body.contains("second") } == [false, true])
    }
}
