import JSON
import Transcript

/// One thing that brought a client a message, or the name of one.
struct ClientDelivery {
    /// The ways to a client.
    enum Road: String {
        case live
        case replay
        case read
        case response
        case push
        /// Typed by the person.
        case typed
    }

    /// The event that brought it.
    let event: Int
    let road: Road
    /// The conversation it stands in.
    let sessionId: String?
    /// Its id on the server.
    let id: String?
    /// The key of a question.
    let key: String?
    /// `user` or `assistant`.
    let role: String?
    /// What it says; nil where only its name came.
    let text: String?
    /// The frame that brought it.
    let frame: Frame?

    /// The message in a `done`, a `message` or an `ack`; nil for any other frame.
    init?(_ frame: Frame) {
        switch frame.type {
        case "done": role = "assistant"
        case "message": role = frame.string("role")
        case "ack": role = "user"
        default: return nil
        }
        event = frame.event
        road = frame.isReplayed ? .replay : .live
        sessionId = frame.sessionId
        id = frame.messageId
        key = frame.type == "done" ? nil : frame.clientMessageId
        text = frame.text
        self.frame = frame
    }

    private init(
        _ event: Int, _ road: Road, session: String?, id: String? = nil, key: String? = nil, role: String? = nil,
        text: String? = nil
    ) {
        self.event = event
        self.road = road
        sessionId = session
        self.id = id
        self.key = key
        self.role = role
        self.text = text
        frame = nil
    }

    /// Everything that brought a message, in the order of time.
    static func all(in history: Observations) -> [ClientDelivery] {
        var all = (history.received + history.syncs.flatMap(\.missed)).compactMap { ClientDelivery($0) }
        for read in history.sessionReads {
            all += read.messages.map { message in
                ClientDelivery(
                    read.event, .read, session: read.sessionId, id: message.id, key: message.clientMessageId,
                    role: message.role, text: message.text)
            }
        }
        for exchange in history.exchanges where exchange.isChat && exchange.status == 200 {
            guard let event = exchange.response, let body = exchange.answer?.root else { continue }
            all.append(
                ClientDelivery(
                    event, .response, session: body["sessionId"]?.stringValue, id: body["messageId"]?.stringValue,
                    role: "assistant", text: body["text"]?.stringValue))
        }
        for notification in ClientNotice.all(in: history) {
            all.append(
                ClientDelivery(
                    notification.event, .push, session: notification.sessionId, id: notification.messageId))
        }
        for typed in history.client.typed {
            all.append(
                ClientDelivery(
                    typed.event, .typed, session: history.sessionOnScreen(at: typed.event), key: typed.key,
                    role: "user", text: typed.text))
        }
        return all.sorted { $0.event < $1.event }
    }

    /// Whether an entry of the screen is this message: by its id, by its key, else by its role and words.
    func isSame(as message: ObservedClient.ShownMessage) -> Bool {
        if let shown = message.id, let id { return exactlyEqual(shown, id) }
        if let shown = message.key, let key { return exactlyEqual(shown, key) }
        guard message.id == nil, let text else { return false }
        return message.role == role && exactlyEqual(message.text, text)
    }

    /// Whether a screen has it.
    func isShown(in state: ObservedClient.State) -> Bool {
        state.sessionId == sessionId && state.messages.contains(where: isSame)
    }
}

/// A notification that reached the app or the person.
struct ClientNotice {
    /// The act.
    let event: Int
    /// How the app came to it.
    let kind: Kind
    /// The conversation it names.
    let sessionId: String?
    /// The message it names.
    let messageId: String?

    /// What happened with a notification.
    enum Kind {
        /// It arrived while the app was in the foreground.
        case received
        /// It was tapped, and the app was not running.
        case launched
        /// It was tapped while the app was in the background.
        case resumed
        /// It was tapped while the app was in the foreground.
        case tapped
    }

    /// Every notification, in the order of time.
    static func all(in history: Observations) -> [ClientNotice] {
        history.client.acts.compactMap { act in
            let kind: Kind
            switch act.name {
            case "receivePush": kind = .received
            case "openPush": kind = history.client.isForeground(at: act.event - 1) ? .tapped : .resumed
            case "launch" where act.details.contains("opened"): kind = .launched
            default: return nil
            }
            // The payload as it was sent, or its members beside what else the act says.
            let payloads = [act.details["opened"], act.details["payload"], .object(act.details)].compactMap { $0 }
            func member(_ names: String...) -> String? {
                payloads.lazy.flatMap { payload in names.compactMap { payload[$0]?.stringValue } }.first
            }
            return ClientNotice(
                event: act.event, kind: kind, sessionId: member("sessionId"),
                messageId: member("messageId", "message", "opened"))
        }
    }
}

extension Observations {
    /// The session that is surely on the screen: the one last shown, unless the person went to another since.
    func sessionOnScreen(at event: Int) -> String? {
        guard let place = client.states.lastIndex(where: { $0.event <= event }) else { return nil }
        let state = client.states[place]
        let hasLeft = client.acts("selectSession", "openPush", "launch").contains {
            $0.event > state.event && $0.event < event
        }
        return hasLeft ? nil : state.sessionId
    }
}
