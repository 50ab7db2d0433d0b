import Holdfast
import HoldfastBasics
import HoldfastJSON

// Orders of the mock server's control port.
extension ServerCore {
    /// - Throws: A problem that names the wrong member.
    mutating func obey(
        _ order: MockCommand, at moment: Moment
    ) throws(InputProblem) -> (answer: JSONValue, effects: [Effect]) {
        now = moment
        defer { effects.removeAll(keepingCapacity: true) }
        let answer = try perform(order)
        return (answer, effects)
    }

    private mutating func perform(_ order: MockCommand) throws(InputProblem) -> JSONValue {
        switch order {
        case .rule(let rule):
            mockRules.set(rule)
            var answer = mockRules.state(of: rule.action)
            if rule.action == .refuse { answer["retryAfterMs"] = rule.milliseconds.map { JSONValue($0) } }
            return answer
        case .replies(let replies):
            self.replies = replies
            return ["replies": JSONValue(replies.rules.entries.count)]
        case .heal:
            mockRules = MockRules()
            return [:]
        case .say(let text, let place):
            let (principal, session) = try resolved(place)
            let notice = remark(text, of: principal, in: session ?? ids.next("ses"), isPushed: false)
            return ["sessionId": .string(notice.session), "messageId": .string(notice.message)]
        case .ask(let text, let place):
            let (principal, session) = try resolved(place)
            let before = Set(turns.keys)
            ask(
                ClientMessage.Chat(content: .string(text), session: session, key: ids.next("dev")), of: principal,
                from: .request(nextNumber()))
            guard let turn = turns.first(where: { !before.contains($0.key) })?.value else {
                throw InputProblem(
                    location: "ask", what: "the question was refused", expected: "a server that takes questions",
                    fix: "look at the rate limit that was ordered, or at the frames")
            }
            return ["sessionId": .string(turn.names.session), "turnId": .string(turn.names.turn)]
        case .push(let text, let place): return try push(text, place)
        }
    }

    /// The message is announced once it is stored.
    private mutating func remark(
        _ text: String, of principal: String, in session: String, isPushed: Bool
    ) -> (session: String, message: String, notice: PushNotice) {
        let names = TurnNames(session: session, turn: ids.next("trn"), question: ids.next("msg"), key: "")
        let remark = StoredRecord.Post(principal: principal, names: names, content: .string(text), at: stamp())
        let notice = notice(text, of: principal, in: session, message: names.question, turn: names.turn)
        store(.remark(remark), as: .remark(remark, notice: notice, isPushed: isPushed))
        return (session, names.question, notice)
    }

    private mutating func push(_ text: String?, _ place: ServerPlace) throws(InputProblem) -> JSONValue {
        let (principal, session) = try resolved(place)
        let devices = rules.devices[principal] ?? []
        let notice: PushNotice
        if let text {
            notice = remark(text, of: principal, in: session ?? ids.next("ses"), isPushed: true).notice
        } else {
            let messages = session.flatMap { sessions.session($0, of: principal)?.messages } ?? []
            guard let session, let last = messages.last(where: { $0.role == "assistant" }) else {
                throw InputProblem(
                    location: "text", what: "there is no answer yet to push", expected: "a text, or a stored answer",
                    fix: "give 'text'")
            }
            notice = self.notice(
                MessageContent.text(of: last.content), of: principal, in: session, message: last.id, turn: last.turn)
            enqueue(notice, to: devices)
        }
        return JSONValue(members: [
            "principal": principal, "devices": devices.count,
            "headers": JSONObject(notice.headers.sorted { $0.key < $1.key }.map { ($0.key, .string($0.value)) }),
            "payload": try? JSONParser.value(notice.payload),
        ])
    }

    /// The principal and session of an order; no session means a new one.
    private func resolved(_ place: ServerPlace) throws(InputProblem) -> (principal: String, session: String?) {
        let names = Set(rules.principalsByToken.values).union([rules.anonymous])
        let owner = place.session.flatMap { id in sessions.all.first { $0.id == id }?.owner }
        let principal = place.principal ?? owner ?? rules.anonymous
        guard names.contains(principal) else {
            throw InputProblem(
                location: "principal", what: "no principal is named '\(clipped(principal))'",
                expected: names.sorted().joined(separator: ", "),
                fix: nearestName(to: principal, among: names).map { "did you mean '\($0)'?" } ?? "correct the name")
        }
        guard !place.isNew else { return (principal, nil) }
        guard let id = place.session else { return (principal, sessions.sessions(of: principal).first?.id) }
        guard sessions.session(id, of: principal) != nil else {
            throw InputProblem(
                location: "sessionId", what: "\(principal) has no session '\(clipped(id))'",
                expected: "an id that GET /control/state lists", fix: "omit it for the newest session")
        }
        return (principal, id)
    }
}

/// An order to a running reference server, for developers of a client.
///
/// By default, an order applies to the newest session of the first principal.
package enum MockCommand: Sendable {
    /// Fail (`fail`), refuse with `rate_limited` (`refuse`) or delay (`delay`) questions from now on; replaces an
    /// earlier order of the same kind.
    case rule(Rule)
    case replies(Replies)
    /// The agent sends an unsolicited message; devices are notified if none receives it live.
    case say(String, ServerPlace)
    case ask(String, ServerPlace)
    /// Push a message with this text, or the newest answer.
    case push(String?, ServerPlace)
    /// Cancel all orders except replies.
    case heal
}

package struct ServerPlace: Sendable, Equatable {
    /// The owner; nil for the first principal, or the owner of the session.
    package var principal: String?
    /// The session; nil for the newest one.
    package var session: String?
    package var isNew: Bool

    package init(principal: String? = nil, session: String? = nil, isNew: Bool = false) {
        (self.principal, self.session, self.isNew) = (principal, session, isNew)
    }
}
