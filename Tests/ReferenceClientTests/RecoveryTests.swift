import Testing

@testable import ReferenceClient

@Suite struct RecoveryTests {
    /// A phone without a stream, whose turn 1 runs in session s1.
    private func asking(_ defects: Set<ClientDefect> = []) -> Phone {
        var phone = Phone.connected(defects, epoch: nil)
        phone.tell(.typed("question 1"))
        phone.receive(ack(1, phone.key))
        return phone
    }

    @Test func `CLIENT-14 after a cut in the middle of a turn the session is read`() {
        var phone = asking()
        phone.cut()
        phone.elapse(.reconnect, after: 1000)
        phone.connect(epoch: nil)
        #expect(phone.asked("GET", "/api/sessions/s1").count == 1)
        phone.answer(
            path: "/api/sessions/s1", history("s1", ["u1", "a1"], keys: ["u1": phone.key], turns: [("t1", "done")]))
        #expect(!phone.screen.isThinking)
        #expect(phone.ids == ["u1", "a1"])
    }

    @Test func `CLIENT-20 many triggers make one read, and one more`() {
        var phone = asking()
        phone.tell(.background)
        phone.tell(.foreground)
        phone.connect(epoch: nil)
        phone.tell(.pushReceived(["sessionId": "s1", "messageId": "a1"]))
        phone.tell(.selected("s1"))
        phone.elapse(.poll(conversation: phone.core.shown))
        #expect(phone.waiting("/api/sessions/s1").count == 1)
        phone.answer(path: "/api/sessions/s1", history("s1", ["u1"]))
        #expect(phone.waiting("/api/sessions/s1").count == 1)
        phone.answer(path: "/api/sessions/s1", history("s1", ["u1", "a1"]))
        #expect(phone.waiting("/api/sessions/s1").isEmpty)
        #expect(phone.asked("GET", "/api/sessions/s1").count == 2)
    }

    @Test func `CLIENT-20 a silence during polling reads nothing more`() {
        var phone = asking()
        phone.cut()
        phone.elapse(.reconnect, after: 1000)
        phone.connect(epoch: nil)
        phone.answer(path: "/api/sessions/s1", history("s1", ["u1"], turns: [("t1", "running")]))
        phone.elapse(.silence(key: phone.key), after: 4_000)
        #expect(phone.waiting("/api/sessions/s1").isEmpty)
        phone.elapse(.poll(conversation: phone.core.shown), after: 1_000)
        #expect(phone.waiting("/api/sessions/s1").count == 1)
    }

    @Test func `CLIENT-20 the list and what it shows are read for one answer`() {
        var phone = Phone.connected(epoch: nil)
        phone.tell(.typed("hello"))
        let number = phone.core.shown
        phone.cut()
        phone.elapse(.reconnect, after: 1000)
        phone.connect(epoch: nil)
        for _ in 1...13 {
            phone.elapse(.poll(conversation: number), after: 5_000)
            phone.answer(path: "/api/sessions", #"{"sessions":[{"id":"s1"}]}"#)
            if let other = phone.core.knownNumber("s1") { phone.elapse(.poll(conversation: other)) }
            phone.answer(path: "/api/sessions/s1", "", status: 503)
        }
        // The first list was that of the start.
        #expect(phone.asked("GET", "/api/sessions").count - 1 + phone.asked("GET", "/api/sessions/s1").count == 12)
        #expect(!phone.screen.isThinking)
    }

    @Test func `CLIENT-1 one list is read for every conversation that is looked for`() {
        var phone = Phone.connected(epoch: nil)
        phone.tell(.typed("one"))
        let first = phone.core.shown
        phone.tell(.selected(nil))
        phone.tell(.typed("two"))
        let second = phone.core.shown
        let keys = phone.core.outbox.map(\.key)
        phone.cut()
        for _ in 1...5 {
            for number in [first, second] { phone.elapse(.poll(conversation: number), after: 2_500) }
            phone.fail(path: "/api/sessions")
        }
        #expect(phone.asked("GET", "/api/sessions").count - 1 == 5)
        phone.elapse(.poll(conversation: first), after: 2_500)
        phone.answer(path: "/api/sessions", #"{"sessions":[{"id":"s1"},{"id":"s2"}]}"#)
        phone.answer(path: "/api/sessions/s1", history("s1", ["u1"], keys: ["u1": keys[0]]))
        phone.answer(path: "/api/sessions/s2", history("s2", ["u2"], keys: ["u2": keys[1]]))
        #expect(phone.ids == ["u2"])
    }

    @Test func `CLIENT-27 a failed message that stands in another session leaves the conversation it was typed into`() {
        var phone = Phone.connected()
        phone.tell(.typed("one"))
        let first = phone.key
        phone.cut()
        phone.answer(path: "/api/chat", #"{"error":"failed","code":"agent_failed","turnId":"t1"}"#, status: 502)
        phone.elapse(.reconnect, after: 1000)
        phone.connect()
        phone.tell(.typed("two"))
        phone.receive(ack(2, phone.key, session: "s2"))
        #expect(phone.screen.session == "s2")
        #expect(phone.screen.messages.contains { $0.key == first })
        phone.tell(.selected("s1"))
        phone.answer(path: "/api/sessions/s1", history("s1", ["u1"], keys: ["u1": first]))
        phone.tell(.selected("s2"))
        #expect(!phone.screen.messages.contains { $0.key == first })
    }

    @Test func `CLIENT-27 a message given up stands in the session it is found in`() {
        var phone = Phone.connected()
        phone.tell(.typed("one"))
        let first = phone.key
        phone.cut()
        phone.answer(
            path: "/api/chat", #"{"error":"failed","code":"internal","clientMessageId":"\#(first)"}"#, status: 502)
        phone.tell(.typed("two"))
        phone.elapse(.reconnect, after: 1000)
        phone.connect()
        phone.receive(ack(2, phone.key, session: "s2"))
        #expect(phone.screen.session == "s2")
        phone.receive(ack(1, first, session: "s1"))
        #expect(!phone.screen.messages.contains { $0.key == first })
        phone.tell(.selected("s1"))
        #expect(phone.screen.messages.map(\.key) == [first])
    }

    @Test func `CLIENT-32 a message whose turn failed stays failed in every later history`() {
        var phone = asking()
        let key = phone.key
        phone.cut()
        phone.elapse(.reconnect, after: 1000)
        phone.connect(epoch: nil)
        phone.answer(path: "/api/sessions/s1", history("s1", ["u1"], keys: ["u1": key], turns: [("t1", "failed")]))
        phone.tell(.selected("s1"))
        phone.answer(path: "/api/sessions/s1", history("s1", ["u1"], keys: ["u1": key], turns: [("t1", "failed")]))
        phone.receive([
            "type": "message", "sessionId": "s1", "messageId": "u1", "role": "user", "text": "question 1",
            "turnId": "t1", "clientMessageId": .string(key),
        ])
        #expect(phone.screen.messages.map(\.status) == [.failed])
    }

    @Test func `CLIENT-18 a greeting is followed by a read although polling is used up`() {
        var phone = asking()
        phone.cut()
        phone.elapse(.reconnect, after: 1000)
        phone.connect(epoch: nil)
        for _ in 1..<phone.core.rules.pollReads {
            phone.answer(path: "/api/sessions/s1", history("s1", ["u1"], turns: [("t1", "running")]))
            phone.elapse(.poll(conversation: phone.core.shown), after: 500)
        }
        #expect(phone.asked("GET", "/api/sessions/s1").count == phone.core.rules.pollReads)
        phone.cut()
        phone.elapse(.reconnect, after: 1000)
        phone.connect(epoch: nil)
        phone.answer(path: "/api/sessions/s1", history("s1", ["u1"], turns: [("t1", "running")]))
        #expect(phone.waiting("/api/sessions/s1").count == 1)
    }

    @Test func `CLIENT-20, CLIENT-39 polling ends, and the thinking with it`() {
        var phone = asking()
        phone.cut()
        phone.elapse(.reconnect, after: 1000)
        phone.connect(epoch: nil)
        let begin = phone.now
        for _ in 0..<30 {
            phone.answer(path: "/api/sessions/s1", history("s1", ["u1"], turns: [("t1", "running")]))
            phone.elapse(.poll(conversation: phone.core.shown), after: 5_000)
            if !phone.screen.isThinking { break }
        }
        #expect(phone.asked("GET", "/api/sessions/s1").count <= 12)
        #expect(phone.now - begin <= 65_000)
        #expect(!phone.screen.isThinking)
        #expect(phone.screen.messages.first?.status == .failed)
        #expect(!phone.screen.errors.isEmpty)
    }

    @Test func `CLIENT-31 what runs on a connection that stands is not given up with another question`() {
        var phone = asking()
        phone.cut()
        phone.elapse(.reconnect, after: 1000)
        phone.connect(epoch: nil)
        for _ in 1...10 {
            phone.answer(path: "/api/sessions/s1", history("s1", ["u1"], turns: [("t1", "running")]))
            phone.elapse(.poll(conversation: phone.core.shown), after: 5_000)
        }
        phone.tell(.typed("and this?"))
        phone.receive([
            "type": "ack", "clientMessageId": .string(phone.key), "sessionId": "s1", "turnId": "t2", "messageId": "u2",
        ])
        for _ in 1...4 {
            phone.answer(
                path: "/api/sessions/s1",
                history("s1", ["u1", "u2"], turns: [("t1", "running"), ("t2", "running")]))
            phone.elapse(.poll(conversation: phone.core.shown), after: 5_000)
        }
        #expect(phone.screen.messages.map(\.status) == [.failed, .sent])
        #expect(phone.screen.isThinking)
        // Once its connection was silent for long, one more read is enough (CLIENT-39).
        phone.elapse(.silence(key: phone.key), after: 50_000)
        phone.answer(
            path: "/api/sessions/s1", history("s1", ["u1", "u2"], turns: [("t1", "running"), ("t2", "running")]))
        phone.elapse(.poll(conversation: phone.core.shown), after: 5_000)
        #expect(phone.screen.messages.map(\.status) == [.failed, .failed])
        #expect(!phone.screen.isThinking)
    }

    @Test func `CLIENT-35 what failed out of sight is there after the next launch`() {
        var phone = asking()
        phone.tell(.networkDown)
        phone.tell(.typed(String(repeating: "long ", count: 100)))
        phone.tell(.selected(nil))
        phone.tell(.networkUp)
        phone.connect(epoch: nil, maxFrameBytes: 300)
        var next = Phone(memory: phone.stored, now: phone.now)
        next.tell(.launched(opened: nil))
        next.tell(.selected("s1"))
        #expect(next.screen.messages.map(\.status) == [.sent, .failed])
    }

    @Test func `CLIENT-39 connections that come and go do not put off a read`() {
        var phone = asking()
        phone.cut()
        let timer = ClientTimer.poll(conversation: phone.core.shown)
        phone.elapse(.reconnect, after: 1000)
        phone.connect()
        let waits = phone.effects.count { if case .wait(timer, _) = $0 { true } else { false } }
        phone.cut()
        phone.elapse(.reconnect, after: 1000)
        phone.connect()
        #expect(phone.effects.count { if case .wait(timer, _) = $0 { true } else { false } } == waits)
        #expect(waits > 0)
    }

    @Test func `an answer heals a question that was given up`() {
        var phone = asking()
        phone.cut()
        phone.core.giveUp(phone.core.shown)
        phone.elapse(.reconnect, after: 1000)
        phone.connect(epoch: nil)
        phone.receive(done(1))
        #expect(phone.screen.messages.map(\.status) == [.sent, .sent])
        #expect(phone.screen.errors.isEmpty)
    }

    @Test func `a question that was given up unproven goes out with the next connection`() {
        var phone = Phone.connected()
        phone.tell(.typed("hello"))
        phone.cut()
        phone.fail(path: "/api/chat")
        phone.core.giveUp(phone.core.shown)
        #expect(phone.screen.messages.first?.status == .failed)
        phone.elapse(.reconnect, after: 1000)
        phone.connect()
        #expect(phone.sent("chat").count == 2)
        #expect(phone.screen.isThinking)
    }

    @Test func `a failed turn in the history has failed`() {
        var phone = asking()
        phone.cut()
        phone.elapse(.reconnect, after: 1000)
        phone.connect(epoch: nil)
        phone.answer(path: "/api/sessions/s1", history("s1", ["u1"], turns: [("t1", "failed")]))
        #expect(phone.screen.messages.first?.status == .failed)
        #expect(!phone.screen.isThinking)
    }

    @Test func `CLIENT-21 a question without a session is found by its key, not by age`() {
        var phone = Phone.connected()
        phone.tell(.typed("question 1"))
        let key = phone.key
        phone.cut()
        phone.elapse(.reconnect, after: 1000)
        phone.connect()
        phone.elapse(.poll(conversation: phone.core.shown), after: 5_000)
        phone.answer(path: "/api/sessions", #"{"sessions":[{"id":"s9","updatedAt":"2"},{"id":"s1","updatedAt":"1"}]}"#)
        phone.answer(path: "/api/sessions/s9", history("s9", ["u9", "a9"]))
        #expect(phone.screen.session == nil)
        phone.answer(path: "/api/sessions/s1", history("s1", ["u1", "a1"], keys: ["u1": key], turns: [("t1", "done")]))
        #expect(phone.screen.session == "s1")
        #expect(phone.ids == ["u1", "a1"])
        #expect(!phone.screen.isThinking)
    }

    @Test func `CLIENT-17, CLIENT-19 a gap is read until it is answered, and the position waits`() {
        var phone = Phone.connected(lastSeq: 3)
        phone.tell(.selected("s1"))
        phone.answer(path: "/api/sessions/s1", history("s1", ["u1", "a1"]))
        phone.cut()
        phone.elapse(.reconnect, after: 1000)
        phone.connect(lastSeq: 9)
        phone.receive(["type": "syncResult", "epoch": "e1", "lastSeq": 9, "missed": [], "complete": false])
        for _ in 0..<20 {
            phone.answer(path: "/api/sessions/s1", "{}", status: 503)
            #expect(phone.core.stream.held == Position(epoch: "e1", seq: 3))
            phone.elapse(.poll(conversation: phone.core.shown), after: 25_000)
        }
        phone.answer(path: "/api/sessions/s1", history("s1", ["u1", "a1"]))
        #expect(phone.core.stream.held == Position(epoch: "e1", seq: 9))
    }

    @Test func `CLIENT-19 a read from before a gap does not fill it, also where another has to wait`() {
        var phone = Phone.connected(lastSeq: 3)
        phone.tell(.selected("s1"))
        phone.tell(.background)
        phone.tell(.foreground)
        phone.connect(lastSeq: 9)
        phone.tell(.background)
        phone.receive(["type": "syncResult", "epoch": "e1", "lastSeq": 9, "missed": [], "complete": false])
        phone.answer(path: "/api/sessions/s1", history("s1", ["u1", "a1"]))
        #expect(phone.core.stream.held == Position(epoch: "e1", seq: 3))
    }

    @Test func `CLIENT-40 without a socket the list is looked at, and what changed is read`() {
        var phone = Phone.connected()
        phone.tell(.selected("s1"))
        phone.answer(path: "/api/sessions/s1", history("s1", ["u1"]))
        phone.cut()
        phone.elapse(.reconnect, after: 1000)
        phone.cut()
        #expect((phone.wait(.degraded) ?? .max) < 30_000)
        phone.answer(path: "/api/sessions", #"{"sessions":[{"id":"s1","messageCount":1}]}"#)
        #expect(phone.asked("GET", "/api/sessions/s1").count == 1)
        phone.elapse(.degraded, after: 25_000)
        phone.answer(path: "/api/sessions", #"{"sessions":[{"id":"s1","messageCount":2}]}"#)
        phone.answer(path: "/api/sessions/s1", history("s1", ["u1", "a1"]))
        #expect(phone.ids == ["u1", "a1"])
    }

    @Test func `a turn that is silent for a minute is asked for`() {
        var phone = asking()
        phone.elapse(.silence(key: phone.key), after: 60_000)
        #expect(phone.asked("GET", "/api/sessions/s1").count == 1)
    }

    @Test func `the start shows the newest session unless the person was faster`() {
        var phone = Phone()
        phone.tell(.launched(opened: nil))
        phone.tell(.typed("hello"))
        phone.answer(path: "/api/sessions", #"{"sessions":[{"id":"s1"}]}"#)
        #expect(phone.screen.session == nil)
        #expect(phone.screen.messages.count == 1)
    }

    @Test func `what was typed before the app was ended is not left for the newest session`() {
        var phone = Phone()
        phone.tell(.launched(opened: nil))
        phone.tell(.typed("hello"))
        var next = Phone(memory: phone.stored)
        next.tell(.launched(opened: nil))
        next.answer(path: "/api/sessions", #"{"sessions":[{"id":"s1"}]}"#)
        #expect(next.screen.session == nil)
        #expect(next.screen.messages.count == 1)
    }
}
