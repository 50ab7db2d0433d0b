import HoldfastJSON
import HoldfastJSONSchema

extension SchemaEdit {
    /// The reader's complaint about this very edit; a message may be wrong for more than one reason.
    func complaint(
        among violations: [SchemaViolation], _ direction: GateDirection, in space: SchemaSpace
    ) -> SchemaViolation? {
        let site = readerSite(direction)
        let names = names(direction)
        func isHere(_ violation: SchemaViolation) -> Bool {
            guard let site, space.uri(site.node) == violation.schemaURI else { return false }
            let here = space.location(site).tokens
            let there = violation.schemaLocation.tokens
            return there.starts(with: here) || here.starts(with: there)
        }
        func isNamed(_ violation: SchemaViolation) -> Bool { violation.names(one: names) }
        return violations.first { isHere($0) && (names.isEmpty || isNamed($0)) } ?? violations.first(where: isNamed)
            ?? violations.first(where: isHere) ?? violations.first
    }

    /// Whether the reader complains of a member that the edit is about; true for edits about no member.
    func isNamed(among violations: [SchemaViolation], _ direction: GateDirection) -> Bool {
        let names = names(direction)
        return names.isEmpty || violations.contains { $0.names(one: names) }
    }

    /// The members whose presence or absence the edit is about.
    private func names(_ direction: GateDirection) -> Set<ExactString> {
        Set(breaks(direction).flatMap { $0 }.flatMap(\.names))
    }

    /// The reader as if it had made this edit too, so that what else breaks it shows; nil when that cannot be told.
    func tolerated(by reader: Program, _ direction: GateDirection, in space: SchemaSpace) -> Program? {
        var reader = reader
        for way in breaks(direction) {
            guard case .present(_, let literals)? = way.last, literals.count == 1, case .fails(let member) = literals[0]
            else { return nil }
            let node = space.local(member)
            reader.nodes[node].verdict = true
            reader.nodes[node].keywords = []
        }
        return reader
    }
}

extension SchemaViolation {
    /// Whether it speaks of one of some members.
    fileprivate func names(one names: Set<ExactString>) -> Bool {
        names.contains { message.contains("'\($0.string)'") || instanceLocation.tokens.contains($0.string) }
    }
}

extension Literal {
    /// The members it speaks of at its own level.
    fileprivate var names: [ExactString] {
        switch self {
        case .present(let name, _), .absent(let name): [name]
        default: []
        }
    }
}
