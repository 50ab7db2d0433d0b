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
        func isNamed(_ violation: SchemaViolation) -> Bool { violation.concernsAny(of: names) }
        return violations.first { isHere($0) && (names.isEmpty || isNamed($0)) } ?? violations.first(where: isNamed)
            ?? violations.first(where: isHere) ?? violations.first
    }

    /// Whether the reader rejects a member that the edit concerns; true for edits that concern no member.
    func isNamed(among violations: [SchemaViolation], _ direction: GateDirection) -> Bool {
        let names = names(direction)
        return names.isEmpty || violations.contains { $0.concernsAny(of: names) }
    }

    /// The members whose presence or absence the edit concerns.
    private func names(_ direction: GateDirection) -> Set<ExactString> {
        Set(breaks(direction).flatMap { $0 }.flatMap(\.names))
    }

    /// A reader that accepts what this edit makes it reject, to show other causes of a break; nil if impossible.
    func relaxing(_ reader: Program, _ direction: GateDirection, in space: SchemaSpace) -> Program? {
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
    /// Whether it concerns one of the members.
    fileprivate func concernsAny(of names: Set<ExactString>) -> Bool {
        names.contains { message.contains("'\($0.string)'") || instanceLocation.tokens.contains($0.string) }
    }
}

extension Literal {
    /// The members it concerns at its own level.
    fileprivate var names: [ExactString] {
        switch self {
        case .present(let name, _), .absent(let name): [name]
        default: []
        }
    }
}
