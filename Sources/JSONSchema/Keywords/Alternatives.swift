import HoldfastBasics
import HoldfastJSON

extension Evaluation {
    mutating func alternatives(
        _ keyword: String, _ nodes: [Int], _ discriminator: Discriminator?, _ value: JSONValue, _ node: Program.Node,
        _ marks: inout Marks?
    ) -> Bool {
        if let discriminator, case .object(let object) = value {
            return discriminated(keyword, nodes, discriminator, object, value, node, &marks)
        }
        var matching: [Int] = []
        for (index, target) in nodes.enumerated() {
            var own = marks.map { _ in Marks(value) }
            guard matches(target, value, &own) else { continue }
            matching.append(index)
            if let own { marks?.formUnion(own) }
            // Further branches matter only to `oneOf`, and for marks.
            if keyword == "anyOf", marks == nil { return true }
            if keyword == "oneOf", matching.count > 1, !explains { return false }
        }
        if keyword == "anyOf" ? !matching.isEmpty : matching.count == 1 { return true }
        guard explains else { return false }
        if matching.count > 1 {
            report(.severalMatch(matching, of: nodes.count), value, node, [keyword])
        } else {
            explainNone(keyword, nodes, value, node)
        }
        // The fault is reported, so the rest of the value is not reported as well.
        marks?.markAll()
        return false
    }

    /// Applies and reports only the branch that the discriminator selects, because no other one can match.
    private mutating func discriminated(
        _ keyword: String, _ nodes: [Int], _ discriminator: Discriminator, _ object: JSONObject, _ value: JSONValue,
        _ node: Program.Node, _ marks: inout Marks?
    ) -> Bool {
        if let tag = object[discriminator.property] {
            if case .string(let name) = tag, let branch = discriminator.branches[ExactString(name)] {
                return follow(nodes[branch], value, &marks, through: keyword, String(branch))
            }
            guard explains else { return false }
            let nearest = tag.stringValue.flatMap { nearestName(to: $0, among: discriminator.values) }
            report(
                .unknownDiscriminator(found: tag, known: discriminator.values, nearest: nearest), tag, node, [keyword],
                part: discriminator.property)
        } else {
            report(
                .missingDiscriminator(discriminator.property, known: discriminator.values), value, node, [keyword])
        }
        if explains { marks?.markAll() }
        return false
    }

    /// Explains why no branch matches: by the intended branch if it is clear, else in one sentence for all.
    private mutating func explainNone(_ keyword: String, _ nodes: [Int], _ value: JSONValue, _ node: Program.Node) {
        var branches: [[Finding]] = []
        for (index, target) in nodes.enumerated() {
            branches.append(
                gather { evaluation in
                    var none: Marks?
                    return evaluation.follow(target, value, &none, through: keyword, String(index))
                }.findings)
        }
        let intended = intendedBranches(branches)
        if intended.count == 1 {
            keep(intended[0])
            return
        }
        if intended.isEmpty, let types = sharedTypes(branches) {
            report(.type(found: value.typeName, types), value, node, [keyword])
            return
        }
        let reasons = branches.map { branch in
            branch.first.map { first in
                let inside = first.violation.instanceLocation
                return inside == location ? first.violation.expected : "\(inside): \(first.violation.expected)"
            } ?? "nothing"
        }
        report(.noneMatches(reasons), value, node, [keyword])
    }

    /// The branches that the value may have been written for.
    private func intendedBranches(_ branches: [[Finding]]) -> [[Finding]] {
        // A branch that rejects the type of the value is not intended.
        let rightKind = branches.filter { branch in
            !branch.contains { $0.violation.instanceLocation == location && $0.fault.isAboutKind }
        }
        guard rightKind.count > 1 else { return rightKind }
        // If only one branch accepts the fixed values of members, or else the shape as a whole, that one is intended.
        let rightValues = rightKind.filter { branch in
            !branch.contains { $0.violation.instanceLocation.parent == location && $0.fault.isAboutFixedValue }
        }
        if rightValues.count == 1 { return rightValues }
        let rightShape = rightKind.filter { branch in
            !branch.contains { $0.violation.instanceLocation == location }
        }
        return rightShape.count == 1 ? rightShape : rightKind
    }

    /// The types that the branches accept together, if each one only rejects the type.
    private func sharedTypes(_ branches: [[Finding]]) -> TypeSet? {
        var types: TypeSet = []
        for branch in branches {
            guard branch.count == 1, case .type(_, let expected) = branch[0].fault,
                branch[0].violation.instanceLocation == location
            else { return nil }
            types.formUnion(expected)
        }
        return types
    }
}

extension Fault {
    /// Whether it says that the value has the wrong type.
    var isAboutKind: Bool {
        switch self {
        case .type, .const, .enumeration, .forbidden: true
        default: false
        }
    }

    /// Whether it says that the value is not one of the allowed values.
    var isAboutFixedValue: Bool {
        switch self {
        case .const, .enumeration: true
        default: false
        }
    }
}
