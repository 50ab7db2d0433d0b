import JSON

/// A notification that an answer is there, ready for Apple's push service.
public struct PushNotice: Sendable, Equatable {
    /// Whose devices it is for.
    public let principal: String
    /// The JSON body, at most 4096 bytes.
    public let payload: String
    /// The headers that go with it; the topic is the app's business.
    public let headers: [String: String]
}

extension PushNotice {
    /// The most bytes of a payload.
    static let maxBytes = 4096
    /// The most characters of the body.
    static let maxCharacters = 200

    /// The notice for an answer; the body is cut between characters until both limits hold.
    init(principal: String, title: String, answer: String, session: String, message: String, turn: String) {
        var limit = Self.maxCharacters
        var text = ""
        repeat {
            let alert: JSONValue = [
                "title": .string(title.isEmpty ? "New answer" : title), "body": .string(Preview.cut(answer, to: limit)),
            ]
            let aps: JSONValue = ["alert": alert, "thread-id": .string(session), "sound": "default"]
            let payload: JSONValue = [
                "aps": aps, "type": "answer", "sessionId": .string(session), "messageId": .string(message),
                "turnId": .string(turn),
            ]
            text = payload.text()
            limit /= 2
        } while text.utf8.count > Self.maxBytes && limit > 1
        self.init(
            principal: principal, payload: text,
            headers: ["apns-push-type": "alert", "apns-collapse-id": String(turn.prefix(64))])
    }
}
