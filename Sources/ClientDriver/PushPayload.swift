import HoldfastMessages
import HoldfastSmallFoundation

/// A notification as delivered by the push service.
public struct PushPayload: Sendable, Equatable {
    /// The whole payload, as JSON.
    public let json: Data

    /// A payload from its JSON text.
    public init(json: Data) { self.json = json }

    /// The payload as the system passes it to an app; empty if it is not an object.
    public var userInfo: [String: Any] {
        (try? JSONDecoder().decode(MessageValue.self, from: json))?.plain as? [String: Any] ?? [:]
    }

    /// The session of the message.
    public var sessionId: String? { userInfo["sessionId"] as? String }
    /// The announced message.
    public var messageId: String? { userInfo["messageId"] as? String }
    /// The turn that ended.
    public var turnId: String? { userInfo["turnId"] as? String }
}

extension MessageValue {
    /// The value as a plain Swift value; nil for null and for an integer beyond `Int`.
    var plain: Any? {
        switch self {
        case .null, .bigInteger: nil
        case .bool(let value): value
        case .integer(let value): Int(exactly: value)
        case .number(let value): value
        case .text(let value): value
        case .array(let values): values.compactMap(\.plain)
        case .object(let members): members.compactMapValues(\.plain)
        }
    }

    var number: Double? {
        switch self {
        case .integer(let value): Double(value)
        case .bigInteger(let value): Double(value.description)
        case .number(let value): value
        default: nil
        }
    }
}
