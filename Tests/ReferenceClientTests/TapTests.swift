import Testing

@testable import ReferenceClient

@Suite struct TapTests {
    @Test func `CLIENT-29 a launch by a notification shows what it names, whatever comes first`() {
        var phone = Phone()
        phone.tell(.launched(opened: ["sessionId": "s1", "messageId": "a1"]))
        phone.connect()
        phone.answer(path: "/api/sessions", #"{"sessions":[{"id":"s9"}]}"#)
        #expect(phone.screen.session == "s1")
        phone.answer(path: "/api/sessions/s1", history("s1", ["u1", "a1"]))
        #expect(phone.ids == ["u1", "a1"])
    }

    @Test func `CLIENT-29 a tap from the background leads to its session, on a new connection`() {
        var phone = Phone.connected()
        phone.tell(.background)
        phone.tell(.pushOpened(["sessionId": "s2", "messageId": "a2"]))
        #expect(phone.attempts == 2)
        phone.answer(path: "/api/sessions/s2", history("s2", ["u2", "a2"]))
        #expect(phone.screen.session == "s2")
        #expect(phone.ids == ["u2", "a2"])
    }

    @Test func `CLIENT-29 a tap leads away from the session on the screen`() {
        var phone = Phone.connected()
        phone.tell(.selected("s1"))
        phone.tell(.pushOpened(["sessionId": "s2", "messageId": "a2"]))
        #expect(phone.screen.session == "s2")
    }

    @Test func `a message that is not there yet is read again`() {
        var phone = Phone.connected()
        phone.tell(.pushOpened(["sessionId": "s2", "messageId": "a2"]))
        phone.answer(path: "/api/sessions/s2", history("s2", ["u2"]))
        phone.elapse(.poll(conversation: phone.core.shown), after: 5000)
        phone.answer(path: "/api/sessions/s2", history("s2", ["u2", "a2"]))
        #expect(phone.ids == ["u2", "a2"])
        #expect(phone.core.conversations[phone.core.shown]?.poll == nil)
    }

    @Test func `CLIENT-32 an unknown session is an error, and nobody else's messages`() {
        var phone = Phone.connected()
        phone.tell(.selected("s1"))
        phone.answer(path: "/api/sessions/s1", history("s1", ["u1", "a1"]))
        phone.tell(.pushOpened(["sessionId": "s9", "messageId": "a9"]))
        phone.answer(path: "/api/sessions/s9", #"{"error":"no such session","code":"session_not_found"}"#, status: 404)
        #expect(phone.screen.errors.map(\.code) == ["session_not_found"])
        #expect(phone.screen.messages.isEmpty || phone.screen.session == "s1")
        #expect(phone.waiting("/api/sessions/s9").isEmpty)
    }

    @Test func `CLIENT-32 what cannot be read now is said until it is read`() {
        var phone = Phone.connected()
        phone.tell(.networkDown)
        phone.tell(.pushOpened(["sessionId": "s2", "messageId": "a2"]))
        #expect(phone.screen.errors.map(\.text) == [ScreenError.notLoaded])
        phone.tell(.networkUp)
        phone.connect()
        phone.elapse(.poll(conversation: phone.core.shown), after: 5_000)
        phone.answer(path: "/api/sessions/s2", "{}", status: 503)
        #expect(phone.screen.errors.map(\.text) == [ScreenError.notLoaded])
        phone.elapse(.poll(conversation: phone.core.shown), after: 5_000)
        phone.answer(path: "/api/sessions/s2", history("s2", ["u2", "a2"]))
        #expect(phone.screen.errors.isEmpty)
        #expect(phone.ids == ["u2", "a2"])
    }

    @Test func `CLIENT-22 a push in the foreground is a trigger`() {
        var phone = Phone.connected()
        phone.tell(.selected("s1"))
        phone.answer(path: "/api/sessions/s1", history("s1", ["u1"]))
        phone.tell(.pushReceived(["sessionId": "s1", "messageId": "a1"]))
        phone.answer(path: "/api/sessions/s1", history("s1", ["u1", "a1"]))
        #expect(phone.ids == ["u1", "a1"])
        phone.tell(.pushReceived(["sessionId": "s1", "messageId": "a1"]))
        #expect(phone.asked("GET", "/api/sessions/s1").count == 2)
    }

    @Test func `a notification that names nothing is said so`() {
        var phone = Phone.connected()
        phone.tell(.pushOpened(["aps": [:]]))
        #expect(phone.screen.errors.count == 1)
    }
}
