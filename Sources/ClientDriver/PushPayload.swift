import HoldfastMessages
import HoldfastSmallFoundation

/// A notification, as the push service delivers it.
public struct PushPayload: Sendable, Equatable {
    /// The whole payload, as JSON.
    public let json: Data

    /// A payload from its JSON text.
    public init(json: Data) { self.json = json }

    /// The payload as the system hands it to an app; empty when it is no object.
    public var userInfo: [String: Any] {
        (try? JSONDecoder().decode(MessageValue.self, from: json))?.plain as? [String: Any] ?? [:]
    }

    /// The session it is about.
    public var sessionId: String? { userInfo["sessionId"] as? String }
    /// The message it announces.
    public var messageId: String? { userInfo["messageId"] as? String }
    /// The turn it announces the end of.
    public var turnId: String? { userInfo["turnId"] as? String }
}

extension MessageValue {
    /// The value as an app takes it from a dictionary; nil for null and for an integer that no `Int` holds.
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

    /// A number of either kind.
    var number: Double? {
        switch self {
        case .integer(let value): Double(value)
        case .bigInteger(let value): Double(value.description)
        case .number(let value): value
        default: nil
        }
    }
}
