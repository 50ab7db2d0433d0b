import HoldfastJSON

/// A notification about an answer, ready for Apple's push service.
package struct PushNotice: Sendable, Equatable {
    /// The owner of the devices.
    let principal: String
    package let turn: String
    /// The JSON body, at most 4096 bytes.
    package var payload: String
    /// The headers, except for the topic, which belongs to the app.
    package var headers: [String: String]
}

extension PushNotice {
    static let maxBytes = 4096
    static let maxCharacters = 200

    /// The notice for an answer; its text is cut between characters until both limits hold.
    ///
    /// The id names the request, so that a retry is recognized as the same push.
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
        // The id may contain any character, and a header value has at most 64 bytes.
        let name = turn.filter { $0.isASCII && ($0.isLetter || $0.isNumber || $0 == "-" || $0 == "_") }.prefix(64)
        if !variations.contains(.noCollapseId) { headers["apns-collapse-id"] = String(name) }
        self.init(principal: principal, turn: turn, payload: text, headers: headers)
    }
}

package enum PushOutcome: Sendable, Equatable {
    /// The service answered; a refusal has a reason.
    case answered(status: Int, reason: String?)
    /// No connection was made, or it ended without an answer.
    case lost
    /// No answer arrived in time; the push may still be delivered.
    case late

    /// Whether the service says that the device is gone or was never valid; no other outcome concerns the device.
    var endsTheDevice: Bool {
        switch self {
        case .answered(410, _), .answered(400, "BadDeviceToken"), .answered(400, "DeviceTokenNotForTopic"): true
        default: false
        }
    }

    var isTransient: Bool {
        switch self {
        case .answered(429, _), .answered(500..., _), .lost: true
        default: false
        }
    }
}

/// An answer that was sent to open sockets and therefore not pushed.
struct MaybeUnseenAnswer: Sendable {
    let names: TurnNames
    let principal: String
    let message: String
    let text: String
    let at: Int
    /// Sockets that are still open.
    var sockets: Set<Int>
}
