import HoldfastJSON

/// A notification that an answer is there, ready for Apple's push service.
struct PushNotice: Sendable, Equatable {
    /// Whose devices it is for.
    let principal: String
    /// The turn that ended.
    let turn: String
    /// The JSON body, at most 4096 bytes.
    var payload: String
    /// The headers that go with it; the topic is the app's business.
    var headers: [String: String]
}

extension PushNotice {
    static let maxBytes = 4096
    static let maxCharacters = 200

    /// The notice for an answer; the body is cut between characters until both limits hold.
    ///
    /// The id names the request, so that a second attempt is known for the same push.
    init(
        principal: String, title: String, answer: String, session: String, message: String, turn: String,
        id: String? = nil, variations: Set<Variation> = []
    ) {
        let isTerse = variations.contains(.terseNotices)
        var limit = isTerse ? 60 : Self.maxCharacters
        var text = ""
        repeat {
            let body = Preview.cut(answer, to: limit, ellipsis: isTerse ? "..." : "…")
            let alert: JSONValue = [
                "title": .string(isTerse ? "Agent" : title.isEmpty ? "New answer" : title), "body": .string(body),
            ]
            let aps: JSONValue = ["alert": alert, "thread-id": .string(session), "sound": "default"]
            let payload = JSONValue(members: [
                "aps": aps, "type": "answer", "sessionId": session, "messageId": message,
                "turnId": turn,
            ])
            text = payload.text()
            limit /= 2
        } while text.utf8.count > Self.maxBytes && limit > 3
        var headers = ["apns-push-type": "alert"]
        headers["apns-id"] = id
        if !variations.contains(.noCollapseId) { headers["apns-collapse-id"] = Self.collapseID(of: turn) }
        self.init(principal: principal, turn: turn, payload: text, headers: headers)
    }

    /// What a header can carry of a turn's id, which may hold any character: at most 64 bytes.
    private static func collapseID(of turn: String) -> String {
        String(turn.filter { $0.isASCII && ($0.isLetter || $0.isNumber || $0 == "-" || $0 == "_") }.prefix(64))
    }
}

/// What became of one request to the push service.
enum PushOutcome: Sendable, Equatable {
    /// It was answered; a refusal has a reason.
    case answered(status: Int, reason: String?)
    /// No connection came about, or it ended without an answer.
    case lost
    /// No answer came in time; the push may have been taken.
    case late

    /// Whether it says that the device is gone or was never right; nothing else says anything about the device.
    var endsTheDevice: Bool {
        switch self {
        case .answered(410, _), .answered(400, "BadDeviceToken"), .answered(400, "DeviceTokenNotForTopic"): true
        default: false
        }
    }

    /// Whether the same push may do better a little later.
    var isPassing: Bool {
        switch self {
        case .answered(429, _), .answered(500..., _), .lost: true
        default: false
        }
    }
}

/// An answer that was sent to open sockets, and left out of the notices for that.
struct UnheardAnswer: Sendable {
    let names: TurnNames
    let principal: String
    let message: String
    let text: String
    let at: Int
    /// Those of the sockets that are still open.
    var sockets: Set<Int>
}
