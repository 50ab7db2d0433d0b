import HoldfastJSON

/// The meaning of one wire type, in one direction.
struct FrameRule: Sendable, Equatable {
    let sender: Role
    /// The wire type; `*` for every type of that sender without a rule.
    let wire: String
    let meaning: Meaning
    let conditions: [WireCondition]
    let members: MemberMap

    enum Meaning: Sendable, Equatable {
        case message(String)
        /// Outside the protocol, with the reason.
        case ignored(String)
        /// Unknown to the system itself, with the reason.
        case unknown(String)
    }

    static let anyType = "*"

    var canonicalType: String? { if case .message(let type) = meaning { type } else { nil } }
}

struct WireCondition: Sendable, Equatable {
    let location: JSONPointer
    let values: [JSONValue]
    let isNegated: Bool

    func holds(of wire: JSONValue) -> Bool {
        let isAmong = wire[location].map { values.contains($0) } ?? false
        return isAmong != isNegated
    }

    /// The only value that satisfies it; nil if there are several.
    var onlyValue: JSONValue? { !isNegated && values.count == 1 ? values[0] : nil }
}

struct FrameRules: Sendable, Equatable {
    let all: [FrameRule]
    private let byWire: [Key: [FrameRule]]
    private let byCanonical: [Key: [FrameRule]]

    private struct Key: Hashable {
        let sender: Role
        let type: String
    }

    init(_ rules: [FrameRule]) {
        all = rules
        byWire = Dictionary(grouping: rules) { Key(sender: $0.sender, type: $0.wire) }
        let named = rules.compactMap { rule in rule.canonicalType.map { (Key(sender: rule.sender, type: $0), rule) } }
        byCanonical = Dictionary(grouping: named, by: \.0).mapValues { $0.map(\.1) }
    }

    /// The rules for a wire type, in file order.
    func naming(_ wire: String, sentBy sender: Role) -> [FrameRule] {
        byWire[Key(sender: sender, type: wire)] ?? []
    }

    /// The rules for a canonical type, in file order.
    func expressing(_ canonical: String, sentBy sender: Role) -> [FrameRule] {
        byCanonical[Key(sender: sender, type: canonical)] ?? []
    }
}
