import HoldfastJSON
import HoldfastJSONSchema

extension SchemaWalk {
    mutating func compareMembers(_ spot: Spot) {
        let (old, new) = (spot.old, spot.new)
        let (oldRequired, newRequired) = (old.required, new.required)
        var gone = old.declared.filter { new.members($0).isEmpty }
        var fresh = new.declared.filter { old.members($0).isEmpty }
        // Taken before `rename`, because a renamed member is as required as before.
        let (allGone, allFresh) = (Set(gone), Set(fresh))
        rename(&gone, &fresh, spot)
        for name in fresh { added(name, spot) }
        for name in gone { removed(name, spot) }
        for name in newRequired.keys.sorted() where oldRequired[name] == nil && !allFresh.contains(name) {
            note(
                "property-became-required", spot, old: old.site(of: name), new: newRequired[name],
                values: (nil, .string(name.string)), narrowing: [[.kinds(.object), .absent(name)]])
        }
        for name in oldRequired.keys.sorted() where newRequired[name] == nil && !allGone.contains(name) {
            note(
                "property-became-optional", spot, old: oldRequired[name], new: new.site(of: name),
                values: (.string(name.string), nil), widening: [[.kinds(.object), .absent(name)]])
        }
        compareDependents(spot)
        for name in old.declared where !new.members(name).isEmpty {
            compare(old.members(name), new.members(name), spot.path + [.member(name)])
        }
    }

    /// A member that was removed while an equal one was added is one edit.
    private mutating func rename(_ gone: inout [ExactString], _ fresh: inout [ExactString], _ spot: Spot) {
        func colors(_ nodes: [Int]) -> Set<Int> { Set(SchemaView(nodes, space).nodes.map { space.colors[$0] }) }
        for name in gone {
            let own = colors(spot.old.members(name))
            let same = fresh.filter { colors(spot.new.members($0)) == own }
            let isRequired = spot.old.required[name] != nil
            guard same.count == 1, gone.count(where: { colors(spot.old.members($0)) == own }) == 1,
                isRequired == (spot.new.required[same[0]] != nil)
            else { continue }
            let namesType =
                spot.path.isEmpty && isRequired && SchemaView(spot.old.members(name), space).fixed?.count == 1
            note(
                namesType ? "discriminator-property-changed" : "property-renamed", spot, old: spot.old.site(of: name),
                new: spot.new.site(of: same[0]), values: (.string(name.string), .string(same[0].string)),
                narrowing: [[.kinds(.object), .present(name, [])]],
                widening: [[.kinds(.object), .present(same[0], [])]], isFinding: true)
            gone.removeAll { $0 == name }
            fresh.removeAll { $0 == same[0] }
        }
    }

    private mutating func added(_ name: ExactString, _ spot: Spot) {
        let (isRequired, members, site) = declaration(name, spot.new)
        let isKnown = spot.outer.contains(name)
        let hasDefault = !isRequired && SchemaView(members, space).nodes.contains { object($0)?["default"] != nil }
        note(
            isKnown
                ? "condition-changed"
                : isRequired
                    ? "property-added-required" : hasDefault ? "property-added-default" : "property-added-optional",
            spot, new: site, values: (nil, .object([name.string: value(site) ?? true])),
            narrowing: refusals(name, isRequired, members),
            widening: isKnown ? [] : [[.kinds(.object), .present(name, [])]],
            isFinding: hasDefault && !isKnown, isNew: !isKnown && !members.contains { space.nodes[$0].verdict == false }
        )
    }

    private mutating func removed(_ name: ExactString, _ spot: Spot) {
        let (isRequired, members, site) = declaration(name, spot.old)
        let isKnown = spot.outer.contains(name)
        note(
            isKnown
                ? "condition-changed" : isRequired ? "property-removed-required" : "property-removed-optional", spot,
            old: site, values: (.object([name.string: value(site) ?? true]), nil),
            narrowing: isKnown ? [] : [[.kinds(.object), .present(name, [])]],
            widening: refusals(name, isRequired, members), isFinding: !isKnown)
    }

    private func declaration(_ name: ExactString, _ view: SchemaView) -> (Bool, [Int], SchemaSite?) {
        (view.required[name] != nil, view.members(name), view.site(of: name))
    }

    /// The ways in which a declared member can differ from its declaration.
    private func refusals(_ name: ExactString, _ isRequired: Bool, _ members: [Int]) -> [[Literal]] {
        (isRequired ? [[.kinds(.object), .absent(name)]] : [])
            + members.map { [.kinds(.object), .present(name, [.fails($0)])] }
    }

    private mutating func compareDependents(_ spot: Spot) {
        func pairs(_ view: SchemaView) -> [[ExactString]: SchemaSite] {
            var found: [[ExactString]: SchemaSite] = [:]
            for (entry, pairs) in view.all({ if case .dependentRequired(let pairs) = $0 { pairs } else { nil } }) {
                for pair in pairs {
                    for name in pair.names {
                        found[[ExactString(pair.key), ExactString(name)]] = entry.at("dependentRequired", pair.key)
                    }
                }
            }
            return found
        }
        let (one, other) = (pairs(spot.old), pairs(spot.new))
        for pair in Set(one.keys).symmetricDifference(other.keys).sorted(by: { $0.lexicographicallyPrecedes($1) }) {
            let isAdded = other[pair] != nil
            let value = JSONValue.object([pair[0].string: [.string(pair[1].string)]])
            let broken: [[Literal]] = [[.kinds(.object), .present(pair[0], []), .absent(pair[1])]]
            note(
                isAdded ? "dependent-required-added" : "dependent-required-removed", spot, old: one[pair],
                new: other[pair], values: isAdded ? (nil, value) : (value, nil), narrowing: isAdded ? broken : [],
                widening: isAdded ? [] : broken)
        }
    }

    mutating func compareOtherMembers(_ spot: Spot) {
        // All names that occur in neither version.
        let others = PathStep.members(.except(Set(spot.old.declared).union(spot.new.declared)))
        compareRest("additional-properties", "additionalProperties", spot, others) {
            if case .properties(let table) = $0 { table.additional } else { nil }
        }
    }

    mutating func compareItems(_ spot: Spot) {
        compareRest("items", "items", spot, .item) { if case .items(_, let rest) = $0 { rest } else { nil } }
        compareKeywords(
            ["contains"], spot,
            SchemaEdit.Rules(narrow: "contains-added", widen: "contains-removed", both: "contains-changed"),
            changed: "contains-changed")
    }
}
