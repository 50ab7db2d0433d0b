import Foundation

/// A notification, as the push service delivers it.
public struct PushPayload: Sendable, Equatable {
    /// The whole payload, as JSON.
    public let json: Data

    /// A payload from its JSON text.
    public init(json: Data) {
        self.json = json
    }

    /// The payload as the system hands it to an app; empty when it is no object.
    public var userInfo: [String: Any] {
        (try? JSONSerialization.jsonObject(with: json)) as? [String: Any] ?? [:]
    }

    /// The session it is about.
    public var sessionId: String? { userInfo["sessionId"] as? String }
    /// The message it announces.
    public var messageId: String? { userInfo["messageId"] as? String }
    /// The turn it announces the end of.
    public var turnId: String? { userInfo["turnId"] as? String }
}
