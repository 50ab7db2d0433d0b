import HoldfastSmallFoundation

/// Any JSON value: a tool's input, or a member outside this version.
public enum MessageValue: Codable, Sendable, Hashable {
    case null
    case bool(Bool)
    case integer(Int64)
    /// An integer of more than 64 bits, exact to 38 digits.
    case bigInteger(Decimal)
    case number(Double)
    case text(String)
    case array([MessageValue])
    case object([String: MessageValue])

    /// Reads any value.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        if container.decodeNil() {
            self = .null
        } else if let value = try? container.decode(Bool.self) {
            self = .bool(value)
        } else if let value = try? container.decode(Int64.self) {
            self = .integer(value)
        } else if let value = try? container.decode(Decimal.self), value.exponent >= 0 {
            self = .bigInteger(value)
        } else if let value = try? container.decode(Double.self) {
            self = .number(value)
        } else if let value = try? container.decode(String.self) {
            self = .text(value)
        } else if let values = try? container.decode([MessageValue].self) {
            self = .array(values)
        } else {
            self = .object(try container.decode([String: MessageValue].self))
        }
    }

    /// Writes the value in the form it was read in.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        switch self {
        case .null: try container.encodeNil()
        case .bool(let value): try container.encode(value)
        case .integer(let value): try container.encode(value)
        case .bigInteger(let value): try container.encode(value)
        case .number(let value): try container.encode(value)
        case .text(let value): try container.encode(value)
        case .array(let values): try container.encode(values)
        case .object(let members): try container.encode(members)
        }
    }
}
