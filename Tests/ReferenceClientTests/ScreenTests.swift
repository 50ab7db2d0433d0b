import HoldfastJSON
import Testing

@testable import ReferenceClient

@Suite struct ScreenTests {
    /// A phone that shows session s1 with these messages.
    private func showing(_ ids: [String], _ defects: Set<ClientDefect> = []) -> Phone {
        var phone = Phone.connected(defects)
        phone.tell(.selected("s1"))
        phone.answer(path: "/api/sessions/s1", history("s1", ids))
        return phone
    }

    @Test func `CLIENT-25 everything that was missing is shown, in the order of the history`() {
        var phone = showing(["u1", "a1", "u4"])
        phone.tell(.selected("s1"))
        phone.answer(path: "/api/sessions/s1", history("s1", ["u1", "a1", "u2", "a2", "u3", "a3", "u4", "a4"]))
        #expect(phone.ids == ["u1", "a1", "u2", "a2", "u3", "a3", "u4", "a4"])
    }

    @Test func `CLIENT-25 a read that is older than the screen takes nothing away`() {
        var phone = showing(["u1", "a1", "u2", "a2"])
        phone.tell(.selected("s1"))
        #expect(phone.ids.count == 4)
        phone.answer(path: "/api/sessions/s1", history("s1", ["u1", "a1"]))
        #expect(phone.ids == ["u1", "a1", "u2", "a2"])
        phone.tell(.selected("s1"))
        phone.fail(path: "/api/sessions/s1")
        #expect(phone.ids.count == 4)
    }

    @Test func `what is typed stays behind what the server has`() {
        var phone = showing(["u1", "a1"])
        phone.tell(.typed("mine"))
        phone.tell(.selected("s1"))
        phone.answer(path: "/api/sessions/s1", history("s1", ["u1", "a1", "u2", "a2"]))
        #expect(phone.ids == ["u1", "a1", "u2", "a2", nil])
    }

    @Test func `CLIENT-26 no order of the four roads shows a message twice`() {
        for order in permutations(["live", "replay", "read", "push"]) {
            for text in ["answer 2", "answer 1"] {
                var phone = showing(["u1", "a1"])
                phone.tell(.typed("question 1"))
                phone.receive(ack(2, phone.key))
                let answer = done(2, seq: 3, text: text)
                phone.core.stream.gap = StreamState.Gap(asked: 1)
                for road in order {
                    switch road {
                    case "live": phone.receive(answer)
                    case "replay":
                        phone.receive([
                            "type": "syncResult", "epoch": "e1", "lastSeq": 3, "complete": true, "missed": [answer],
                        ])
                    case "read":
                        phone.tell(.selected("s1"))
                        phone.answer(
                            path: "/api/sessions/s1",
                            history("s1", ["u1", "a1", "u2", "a2"]).replacing("answer 2", with: text))
                    default: phone.tell(.pushReceived(["sessionId": "s1", "messageId": "a2"]))
                    }
                }
                #expect(phone.ids == ["u1", "a1", "u2", "a2"], "\(order)")
                #expect(!phone.screen.isThinking, "\(order)")
            }
        }
    }

    @Test func `CLIENT-27 a late answer stays in its session`() {
        var phone = Phone.connected()
        phone.tell(.selected("s1"))
        phone.tell(.selected("s2"))
        phone.answer(path: "/api/sessions/s2", history("s2", ["u2", "a2"]))
        phone.answer(path: "/api/sessions/s1", history("s1", ["u1", "a1"]))
        #expect(phone.screen.session == "s2")
        #expect(phone.ids == ["u2", "a2"])
    }

    @Test func `CLIENT-34 an answer elsewhere is counted once`() {
        var phone = showing(["u1", "a1"])
        phone.receive(done(5, session: "s2", seq: 1))
        phone.receive(done(5, session: "s2", seq: 1))
        #expect(phone.screen.unread == ["s2": 1])
        #expect(phone.ids == ["u1", "a1"])
        phone.tell(.selected("s2"))
        #expect(phone.screen.unread.isEmpty)
    }

    @Test func `CLIENT-34 an answer that a read brought first is counted too, but none that was seen`() {
        var phone = showing(["u1", "a1"])
        phone.tell(.selected("s2"))
        phone.tell(.selected("s1"))
        phone.answer(path: "/api/sessions/s2", history("s2", ["u2", "a2"]))
        phone.receive(done(2, session: "s2", seq: 1))
        #expect(phone.screen.unread == ["s2": 1])
        phone.tell(.selected("s2"))
        phone.tell(.selected("s1"))
        phone.receive(done(2, session: "s2", seq: 1))
        #expect(phone.screen.unread.isEmpty)
    }

    @Test func `CLIENT-41 a session that was read is there at once when the person returns`() {
        var phone = showing(["u1", "a1"])
        phone.tell(.selected("s2"))
        #expect(phone.ids.isEmpty)
        phone.tell(.selected("s1"))
        #expect(phone.ids == ["u1", "a1"])
    }

    @Test func `ENV-13 what a server adds is passed over`() {
        var phone = showing([])
        var answer = done(1, seq: 3)
        answer["mood"] = ["good": [1, 2]]
        phone.receive(answer)
        #expect(phone.ids == ["a1"])
    }

    @Test func `ENV-13 a type nobody knows is no error and no end`() {
        var phone = showing([])
        phone.receive(["type": "typing", "sessionId": "s1"])
        #expect(phone.screen.errors.isEmpty)
        #expect(phone.screen.connection == .connected)
    }

    @Test(arguments: [
        "", "null", "[]", "{", "{}", #"{"type":7}"#, #"{"type":"done"}"#, #"{"type":"ack"}"#,
        #"{"type":"syncResult"}"#, #"{"type":"message","sessionId":5}"#,
        #"{"type":"done","sessionId":"s1","text":null}"#,
    ])
    func `no text brings the client down`(text: String) {
        var phone = showing(["u1"])
        phone.tell(.received(socket: phone.socket, text))
        #expect(phone.ids == ["u1"])
    }

    private func permutations(_ items: [String]) -> [[String]] {
        guard !items.isEmpty else { return [[]] }
        return items.flatMap { first in permutations(items.filter { $0 != first }).map { [first] + $0 } }
    }
}
