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
