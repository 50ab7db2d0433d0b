import HoldfastJSON
import HoldfastTranscript

/// Something that brought a client a message, or only its id.
struct ClientDelivery: HasEvent {
    /// The path by which it arrived; `typed` if the person typed it.
    enum Channel: String { case live, replay, read, response, push, typed }

    let event: Int
    let channel: Channel
    let sessionId: String?
    var id: String?
    var key: String?
    /// `user` or `assistant`.
    var role: String?
    /// Its text; nil if only its id arrived.
    var text: String?
    var frame: Frame?

    static func reconstructed(in history: Observations) -> [ClientDelivery] {
        var all = history.allFrames.compactMap { ClientDelivery($0) }
        for read in history.sessionReads {
            all += read.messages.map { message in
                ClientDelivery(
                    event: read.event, channel: .read, sessionId: read.sessionId, id: message.id,
                    key: message.clientMessageId, role: message.role, text: message.text)
            }
        }
        all += history.exchanges.compactMap { exchange in
            guard exchange.isChat, exchange.status == 200, let event = exchange.response,
                let body = exchange.answer?.root
            else { return nil }
            return ClientDelivery(
                event: event, channel: .response, sessionId: body.id("sessionId"), id: body.id("messageId"),
                role: "assistant", text: body.string("text"))
        }
        all += ClientNotice.all(in: history).map { notice in
            ClientDelivery(event: notice.event, channel: .push, sessionId: notice.sessionId, id: notice.messageId)
        }
        for question in history.clientQuestions {
            guard let typed = question.typed else { continue }
            let session = history.sessionTypedIn(at: typed)
            all.append(
                ClientDelivery(
                    event: typed, channel: .typed, sessionId: session, key: question.key, role: "user",
                    text: question.text))
            // Until the client sends it again, the suite does not know its key.
            all += history.unsentRepeats(of: question).map { act in
                ClientDelivery(event: act, channel: .typed, sessionId: session, role: "user", text: question.text)
            }
        }
        return all.sorted { $0.event < $1.event }
    }

    /// Whether an entry of the screen is this message: by its id, by its key, else by its role and text.
    func isSame(as message: ObservedClient.ShownMessage) -> Bool {
        if let shown = message.id, let id { return exactlyEqual(shown, id) }
        if let shown = message.key, let key { return exactlyEqual(shown, key) }
        guard message.id == nil, let text else { return false }
        return message.role == role && exactlyEqual(message.text, text)
    }

    func isShown(in state: ObservedClient.State) -> Bool {
        state.sessionId == sessionId && state.messages.contains(where: isSame)
    }
}

extension ClientDelivery {
    /// The message in a `done`, a `message` or an `ack`; nil for any other frame.
    init?(_ frame: Frame) {
        let role: String?
        switch frame.type {
        case "done": role = "assistant"
        case "message": role = frame.string("role")
        case "ack": role = "user"
        default: return nil
        }
        self.init(
            event: frame.event, channel: frame.isReplayed ? .replay : .live, sessionId: frame.sessionId,
            id: frame.messageId, key: frame.kind == .done ? nil : frame.clientMessageId, role: role,
            text: frame.text, frame: frame)
    }
}

struct ClientNotice: HasEvent {
    let event: Int
    /// Whether the person tapped it; otherwise it arrived while the app was in the foreground.
    let isTapped: Bool
    let sessionId: String?
    let messageId: String?

    static func all(in history: Observations) -> [ClientNotice] {
        history.client.acts.compactMap { act in
            let isTapped = act.name == "openPush" || act.name == "launch" && act.details.contains("opened")
            guard isTapped || act.name == "receivePush" else { return nil }
            // The payload as it was sent, or its members beside the act's own.
            let payloads = [act.details["opened"], act.details["payload"], .object(act.details)].compactMap(\.self)
            func member(_ names: String...) -> String? {
                payloads.lazy.flatMap { payload in names.compactMap { payload[$0]?.stringValue } }.first
            }
            return ClientNotice(
                event: act.event, isTapped: isTapped, sessionId: member("sessionId"),
                messageId: member("messageId", "message", "opened"))
        }
    }
}

extension Observations {
    /// The acts by which the person resent a message that no request has carried since.
    ///
    /// A REST request a moment later may have left before the act, because the last connection was lost.
    fileprivate func unsentRepeats(of question: ClientQuestion) -> [Int] {
        guard !question.requests.isEmpty else { return [] }
        return question.repeats.filter { act in
            let last = question.requests.last { $0.event < act && $0.connection != nil }
            let isLost = last.flatMap(end).map { $0 < act } ?? false
            return !clientQuestions.contains { $0.typed == act }
                && question.requests.allSatisfy { request in
                    request.event < act || isLost && request.connection == nil && mayCross(act, request.event)
                }
        }
    }

    /// The session in which something was certainly typed: the one on the screen before and after, if both were seen.
    fileprivate func sessionTypedIn(at event: Int) -> String? {
        guard let session = screen(at: event)?.sessionId else { return nil }
        let next = client.states.after(event).first
        let isSame = next.map { $0.event > endOfStay(at: event) || $0.sessionId == session } ?? true
        return isSame ? session : nil
    }

    /// The current screen, if certain: the last one seen, unless the person has left it since.
    func screen(at event: Int) -> ObservedClient.State? {
        client.state(at: event).flatMap {
            end(of: $0.event, at: ["selectSession", "openPush", "launch"]) > event ? $0 : nil
        }
    }
}
