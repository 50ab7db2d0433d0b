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
