import HoldfastJSON

/// What one wire type means, in one direction.
struct FrameRule: Sendable, Equatable {
    let sender: Role
    /// The wire type; `*` for every type of that side that no other rule names.
    let wire: String
    let meaning: Meaning
    /// What has to hold of the wire frame.
    let conditions: [WireCondition]
    let members: MemberMap

    enum Meaning: Sendable, Equatable {
        /// A canonical type.
        case message(String)
        /// Nothing the protocol speaks of, for a reason.
        case ignored(String)
        /// A type that the system itself does not know, for a reason.
        case unknown(String)
    }

    static let anyType = "*"

    /// The canonical type; nil for what has none.
    var canonicalType: String? {
        if case .message(let type) = meaning { type } else { nil }
    }
}

/// A condition on one member of a wire value.
struct WireCondition: Sendable, Equatable {
    let location: JSONPointer
    let values: [JSONValue]
    let isNegated: Bool

    func holds(of wire: JSONValue) -> Bool {
        let isAmong = wire[location].map { values.contains($0) } ?? false
        return isAmong != isNegated
    }

    /// The one value that fulfils it; nil when there are several.
    var only: JSONValue? { !isNegated && values.count == 1 ? values[0] : nil }
}

/// The rules of a dialect for frames, by the side that sends them and by what they are called on either side.
struct FrameRules: Sendable, Equatable {
    /// All rules, in the order of the file.
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

    /// The rules that name a wire type, in the order of the file.
    func naming(_ wire: String, sentBy sender: Role) -> [FrameRule] {
        byWire[Key(sender: sender, type: wire)] ?? []
    }

    /// The rules whose frames stand for a canonical type, in the order of the file.
    func saying(_ canonical: String, sentBy sender: Role) -> [FrameRule] {
        byCanonical[Key(sender: sender, type: canonical)] ?? []
    }
}
