import Holdfast
import HoldfastJSON
import TestSupport
import Testing

@testable import ReferenceClient

/// The messages of `Spec/states/client.json` and the core, each held against the other: in each state of a message each
/// input of a row comes.
@Suite struct StateTableTests {
    @Test func `the core does with a message what the rows say`() throws {
        let table = try StateTable(.client, "message")
        var check = StateTableCheck(table)
        let pairs = Set(table.rows.map { [$0.state, $0.input] })
        for pair in pairs.sorted(by: { $0.lexicographicallyPrecedes($1) }) {
            guard let state = Situation.states[pair[0]], let deed = Situation.inputs[pair[1]] else { continue }
            if pair[0] == "doubtful", Self.frames.contains(pair[1]) { continue }
            Situation(state: pair[0], input: pair[1]).hold(state, deed, against: &check)
            if pair[0] == "sent" { Situation.resent(pair[1]).hold(Situation.resend, deed, against: &check) }
        }
        for problem in check.verdict(unseen: Self.unseen, rowless: Self.rowless) {
            Issue.record("\(problem)")
        }
    }

    /// Rows that the reference client does not show, or that a core alone cannot.
    private static let unseen: [StateTableCheck.Exception] = [
        .init("* × road.rest", "OutboxTests: takes a network that fails before"),
        .init("* × person.again", "the person types; to a core that is a new message"),
        .init("* × refusal.busy unless person.decides", "this client leaves the rest to the person"),
        .init("later × session.free", "this client leaves the rest to the person"),
        .init("later × retryAfter.over if person.decides", "this client sends it again by itself"),
        .init("later × quit if wait.over", "this client keeps the wait"),
        .init("doubtful × ack", "this client sends it again before a connection brings anything"),
        .init("doubtful × turn", "this client sends it again before a connection brings anything"),
        .init("unanswered × road.socket", "the message of the test was acknowledged before"),
        .init("unanswered × ack → show sent", "this client shows it as failed until its ending comes"),
        .init("unanswered × turn.frame → show sent", "this client shows it as failed until its ending comes"),
        .init("unanswered × history.question → show sent", "this client shows it as failed until its ending comes"),
    ]

    private static let frames: Set<String> = ["ack", "turn.frame", "turn.done", "turn.error"]

    /// What has no row.
    private static let rowless: [StateTableCheck.Exception] = [
        .init("unanswered × road.socket", "what the server has is not sent again")
    ]
}

/// A message of a phone in a state, and what then comes.
private struct Situation {
    let state, input: String
    var isResent = false

    typealias Deed = @Sendable (inout Phone) -> Void

    // MARK: the states, each by what leads there

    static let states: [String: Deed] = [
        "typed": { phone in
            phone.tell(.networkDown)
            phone.tell(.typed("question 1"))
        },
        "sent": { $0.tell(.typed("question 1")) },
        "doubtful": { phone in
            phone.tell(.typed("question 1"))
            phone.cut()
            phone.fail(path: "/api/chat")
        },
        "acknowledged": { phone in
            phone.tell(.typed("question 1"))
            phone.receive(ack(1, phone.key))
        },
        "later": { phone in
            phone.tell(.typed("question 1"))
            refuse("rate_limited", &phone)
        },
        "refused": { phone in
            phone.tell(.typed("question 1"))
            refuse("bad_request", &phone)
        },
        "answered": { phone in
            phone.tell(.typed("question 1"))
            phone.receive(ack(1, phone.key))
            phone.receive(done(1))
        },
        "failed": { phone in
            phone.tell(.typed("question 1"))
            phone.receive(ack(1, phone.key))
            phone.receive(failed(phone.key))
        },
        "unanswered": { phone in
            phone.tell(.typed("question 1"))
            phone.receive(ack(1, phone.key))
            _ = phone.core.collecting { $0.giveUp($0.shown) }
        },
    ]

    // MARK: the inputs, each by what brings it about

    static let inputs: [String: Deed] = [
        "road.socket": { phone in
            if phone.core.link.live != nil { phone.cut() }
            phone.tell(.networkUp)
            phone.fail(path: "/api/chat")
            // What an earlier connection had begun to read has come to nothing.
            phone.fail(path: "/api/sessions/s1")
            reconnect(&phone)
        },
        "ack": { $0.receive(ack(1, $0.key)) },
        "turn.frame": { phone in
            phone.receive([
                "type": "message", "sessionId": "s1", "messageId": "u1", "role": "user", "text": "question 1",
                "turnId": "t1", "clientMessageId": .string(phone.key),
            ])
        },
        "turn.done": { phone in
            var frame = done(1)
            frame["clientMessageId"] = .string(phone.key)
            phone.receive(frame)
        },
        "turn.error": { $0.receive(failed($0.key)) },
        "foreign.frame": { $0.receive(toolUse(9, session: "s9")) },
        "refusal.later": { refuse("rate_limited", &$0) },
        "refusal.busy": { refuse("busy", &$0) },
        "refusal.other": { refuse("persist_failed", &$0) },
        "refusal.good": { refuse("bad_request", &$0) },
        "refusal.mismatch": { refuse("idempotency_mismatch", &$0) },
        "size.over": { phone in
            if phone.core.link.live != nil { phone.cut() }
            phone.tell(.networkUp)
            phone.fail(path: "/api/chat")
            reconnect(&phone, maxFrameBytes: 20)
        },
        "age.over": { phone in
            if phone.core.link.live != nil { phone.cut() }
            phone.now += 86_400_001
            phone.tell(.networkUp)
            phone.fail(path: "/api/chat")
            reconnect(&phone)
        },
        "road.ended": { $0.tell(.networkDown) },
        "history.question": { read(["u1"], [("t1", "running")], &$0) },
        "history.answer": { read(["u1", "a1"], [("t1", "done")], &$0) },
        "history.failed": { read(["u1"], [("t1", "failed")], &$0) },
        "history.lacks": { read([], [], &$0) },
        "polling.over": { phone in _ = phone.core.collecting { $0.giveUp($0.shown) } },
        "retryAfter.over": { phone in
            phone.tell(.networkDown)
            phone.elapse(.retry(key: phone.key), after: 5000)
        },
        "quit": { phone in phone = Phone(memory: phone.core.memory.text, now: phone.now) },
    ]

    // MARK: what tells two sends from one

    /// A message that was sent again.
    static func resent(_ input: String) -> Situation {
        Situation(state: "sent", input: input, isResent: true)
    }

    static let resend: Deed = { phone in
        phone.tell(.typed("question 1"))
        phone.cut()
        phone.fail(path: "/api/chat")
        reconnect(&phone)
    }

    /// The next attempt succeeds.
    private static func reconnect(_ phone: inout Phone, maxFrameBytes: Int = 100_000) {
        if phone.core.link.phase == .waiting { phone.elapse(.reconnect, after: 1000) }
        phone.connect(maxFrameBytes: maxFrameBytes)
    }

    private static func refuse(_ code: String, _ phone: inout Phone) {
        phone.receive([
            "type": "error", "error": "no", "code": .string(code), "clientMessageId": .string(phone.key),
            "retryAfterMs": 5000,
        ])
    }

    private static func failed(_ key: String) -> JSONValue {
        [
            "type": "error", "error": "no", "code": "agent_failed", "sessionId": "s1", "turnId": "t1",
            "clientMessageId": .string(key),
        ]
    }

    /// The session is read; one read serves whoever asked for it.
    private static func read(_ ids: [String], _ turns: [(String, String)], _ phone: inout Phone) {
        phone.tell(.selected("s1"))
        phone.answer(path: "/api/sessions/s1", history("s1", ids, keys: ["u1": phone.key], turns: turns))
    }

    /// The conditions of the table that hold, with what the reference client chooses where it has a choice.
    private var conditions: Set<String> {
        let all = ["send.single": !isResent, "person.decides": input == "refusal.busy"]
        return Set(all.filter(\.value).keys).union(["arrival.proved", "failure.stays"])
    }

    func hold(_ prepare: Deed, _ deed: Deed, against check: inout StateTableCheck) {
        var phone = Phone.connected()
        phone.tell(.selected("s1"))
        phone.answer(path: "/api/sessions/s1", history("s1", []))
        prepare(&phone)
        let before = Self.state(of: phone)
        // What was refused and what has failed look alike to a core, and to a person.
        guard before == state || before == "failed" && state == "refused" else {
            Issue.record("the message is not \(state), but \(before), before \(input)")
            return
        }
        let count = phone.effects.count
        deed(&phone)
        let effects = input == "quit" ? [] : Array(phone.effects.dropFirst(count))
        let after = Self.state(of: phone)
        let facts = StateTable.Facts(
            kept: [.clientCore, .clientSync, .clientPush], conditions: conditions)
        let told = phone
        check.saw(state, input, facts, "\(effects), and was then \(after)") { row in
            (after == row.next || after == "failed" && row.next == "refused")
                && row.answer.allSatisfy { Self.holds($0, effects, told) }
        }
    }

    /// Where the first message is, in words of the table.
    private static func state(of phone: Phone) -> String {
        let message = phone.core.conversations.values.flatMap(\.messages).first { $0.text == "question 1" }
        guard let question = phone.core.outbox.first(where: { $0.key == message?.key }) else {
            let isFailed = message?.status == .failed || phone.screen.errors.contains { $0.key == message?.key }
            return isFailed ? "failed" : "answered"
        }
        if question.isGivenUp { return "unanswered" }
        return switch question.phase {
        case .queued: "typed"
        case .sent, .posted: "sent"
        case .doubtful: "doubtful"
        case .limited: "later"
        case .accepted: "acknowledged"
        }
    }

    /// Whether something was done that a row names.
    private static func holds(_ act: StateTable.Act, _ effects: [Effect], _ phone: Phone) -> Bool {
        let screen = phone.screen
        let status = screen.messages.first { $0.text == "question 1" }?.status
        switch (act.verb, act.what) {
        case ("show", "sending"): return status == .sending
        case ("show", "sent"): return status == .sent
        case ("show", "thinking"): return screen.isThinking
        case ("hide", "thinking"): return !screen.isThinking
        case ("show", "answer"): return screen.messages.contains { $0.role == .assistant && $0.text == "answer 1" }
        case ("show", "failed or errors"): return status == .failed || !screen.errors.isEmpty
        case ("wait", "poll"):
            return effects.contains { if case .wait(.poll, _) = $0 { true } else { false } }
                || phone.core.conversations.values.contains { $0.poll != nil }
        case ("wait", "retryAfterMs"):
            return effects.contains { if case .wait(.retry, _) = $0 { true } else { false } }
        case ("send", _):
            return effects.contains { effect in
                guard case .send(_, let text) = effect, let frame = try? JSONParser.value(text) else { return false }
                return act.isMet(by: frame)
            }
        case ("request", let what?):
            let words = what.replacing("{id}", with: "s1").split(separator: " ")
            return effects.contains { effect in
                guard case .request(_, let request, _) = effect else { return false }
                return request.method == String(words[0]) && request.url.hasSuffix(String(words[1]))
            }
        default: return false
        }
    }
}
