import HoldfastJSON
import HoldfastJSONSchema

extension SchemaWalk {
    /// One `anyOf` or `oneOf`.
    private struct Choice {
        let entry: SchemaView.Entry
        let branches: [Int]

        var isExclusive: Bool { entry.word == "oneOf" }

        /// The place of one of the branches.
        func site(_ index: Int) -> SchemaSite { entry.at(entry.word, String(index)) }

        static func all(_ view: SchemaView) -> [Choice] {
            view.all { keyword in
                switch keyword {
                case .anyOf(let nodes, _), .oneOf(let nodes, _): nodes
                default: nil
                }
            }.map { Choice(entry: $0.entry, branches: $0.part) }
        }
    }

    mutating func compareAlternatives(_ spot: Spot) {
        var one = Choice.all(spot.old)
        var other = Choice.all(spot.new)
        // Equal ones first, then those that share most branches.
        var pairs: [(Choice, Choice)] = []
        for choice in one {
            let rated = other.indices.map { index in
                (index, other[index].entry.color == choice.entry.color ? 1_000 : shared(choice, other[index]))
            }
            guard let best = rated.max(by: { $0.1 < $1.1 }), best.1 > 0 || (one.count == 1 && other.count == 1) else {
                continue
            }
            pairs.append((choice, other.remove(at: best.0)))
            one.removeAll { $0.entry.node == choice.entry.node && $0.entry.index == choice.entry.index }
        }
        for (before, after) in pairs { compare(before, after, spot) }
        for choice in other {
            note("alternatives-introduced", spot, new: choice.entry.site, narrowing: [choice.entry.broken])
        }
        for choice in one {
            note("alternatives-dropped", spot, old: choice.entry.site, widening: [choice.entry.broken])
        }
    }

    private func shared(_ one: Choice, _ other: Choice) -> Int {
        Set(one.branches.map { space.colors[$0] }).intersection(other.branches.map { space.colors[$0] }).count
    }

    private mutating func compare(_ old: Choice, _ new: Choice, _ spot: Spot) {
        var solver = Solver(space, stepLimit: 4_000)
        var gone = Array(old.branches.indices)
        var fresh = Array(new.branches.indices)
        var pairs: [(Int, Int)] = []
        func match(_ isMatch: (Int, Int) -> Bool) {
            for index in gone {
                guard let twin = fresh.first(where: { isMatch(old.branches[index], new.branches[$0]) }) else {
                    continue
                }
                pairs.append((index, twin))
                gone.removeAll { $0 == index }
                fresh.removeAll { $0 == twin }
            }
        }
        match { space.colors[$0] == space.colors[$1] }
        match { one, other in
            let tags = solver.tags(one)
            return solver.tags(other).contains { tag in
                tags.contains { $0.name == tag.name && $0.values.contains(where: tag.values.contains) }
            }
        }
        let hasTags = old.branches.allSatisfy { !solver.tags($0).isEmpty }
        match { one, other in
            let locations = SchemaView([one], space).nodes.map { space.nodes[$0].location }
            return SchemaView([other], space).nodes.dropFirst().contains { node in
                locations.dropFirst().contains { $0 == space.nodes[node].location }
            }
        }
        // Without names, alternatives of one kind are taken for each other.
        if !hasTags {
            match { one, other in
                let kinds = SchemaView([one], space).kinds
                return kinds != nil && kinds == SchemaView([other], space).kinds
            }
        }
        for (before, after) in pairs {
            let (one, other) = (old.branches[before], new.branches[after])
            compare([one], [other], spot.path + [.inPlace(old: [.holds(one)], new: [.holds(other)])])
        }
        for index in gone {
            let location = old.site(index)
            note(
                "branch-removed", spot, old: location, new: new.entry.site, values: (value(location), nil),
                narrowing: [[.holds(old.branches[index])]])
        }
        for index in fresh {
            let location = new.site(index)
            note(
                "branch-added", spot, old: old.entry.site, new: location, values: (nil, value(location)),
                widening: [[.holds(new.branches[index])]])
        }
        if new.isExclusive { compareOverlaps(old, new, pairs, spot, &solver) }
        if old.isExclusive, !new.isExclusive {
            // A value that several alternatives accept was refused before.
            let widening = overlaps(old, &solver).map { [Literal.holds(old.branches[$0]), .holds(old.branches[$1])] }
            if !widening.isEmpty {
                note(
                    "branch-added", spot, old: old.entry.site, new: new.entry.site, values: (nil, nil),
                    widening: widening)
            }
        }
    }

    private func overlaps(_ choice: Choice, _ solver: inout Solver) -> [(Int, Int)] {
        var found: [(Int, Int)] = []
        for one in choice.branches.indices {
            for other in choice.branches.indices
            where other > one && found.count < 50 && !solver.areDisjoint(choice.branches[one], choice.branches[other]) {
                found.append((one, other))
            }
        }
        return found
    }

    /// Alternatives that exclude each other and overlap now, but did not before.
    private mutating func compareOverlaps(
        _ old: Choice, _ new: Choice, _ pairs: [(Int, Int)], _ spot: Spot, _ solver: inout Solver
    ) {
        let before = old.isExclusive ? overlaps(old, &solver).map { Set([$0, $1]) } : []
        let twins = Dictionary(pairs.map { ($0.1, $0.0) }, uniquingKeysWith: { first, _ in first })
        for (one, other) in overlaps(new, &solver) {
            if let first = twins[one], let second = twins[other], before.contains([first, second]) { continue }
            let location = new.site(other)
            note(
                "payload-union-overlap", spot, old: old.entry.site, new: location, values: (nil, value(location)),
                narrowing: [[.holds(new.branches[one]), .holds(new.branches[other])]])
        }
    }

    mutating func compareConditions(_ spot: Spot) {
        let outer = spot.outer.union(Set(spot.old.declared).intersection(spot.new.declared))
        var gone = spot.old.only(["if"], against: spot.new)
        var fresh = spot.new.only(["if"], against: spot.old)
        for entry in gone {
            guard case .condition(let test, let then, let otherwise) = entry.keyword else { continue }
            let twin = fresh.first { candidate in
                if case .condition(let other, _, _) = candidate.keyword {
                    space.colors[other] == space.colors[test]
                } else {
                    false
                }
            }
            // Conditions with one test are looked into.
            guard let twin, case .condition(let other, let newThen, let newOtherwise) = twin.keyword else { continue }
            gone.removeAll { $0.node == entry.node && $0.index == entry.index }
            fresh.removeAll { $0.node == twin.node && $0.index == twin.index }
            func look(_ old: Int?, _ new: Int?, _ demand: (Int) -> Literal) {
                let step = PathStep.inPlace(old: [demand(test)], new: [demand(other)])
                compare([old].compactMap(\.self), [new].compactMap(\.self), spot.path + [step], outer: outer)
            }
            look(then, newThen, Literal.holds)
            look(otherwise, newOtherwise, Literal.fails)
        }
        differ("condition-changed", gone, fresh, spot)
        differ(
            "not-changed", spot.old.only(["not"], against: spot.new), spot.new.only(["not"], against: spot.old), spot)
    }

    /// One edit for everything of a kind that differs: old and new are paired in order.
    private mutating func differ(
        _ rules: SchemaEdit.Rules, _ gone: [SchemaView.Entry], _ fresh: [SchemaView.Entry], _ spot: Spot
    ) {
        for index in 0..<max(gone.count, fresh.count) {
            let before = index < gone.count ? gone[index] : nil
            let after = index < fresh.count ? fresh[index] : nil
            note(
                rules, spot, old: before?.site, new: after?.site, narrowing: after.map { [$0.broken] } ?? [],
                widening: before.map { [$0.broken] } ?? [])
        }
    }

    /// The annotations that do not affect validity, and the keywords that are compared as they are written because no message
    /// has had one; each with the rule for a change.
    private static let words: [(keyword: String, rule: SchemaEdit.Rules)] = [
        ("title", "annotation-changed"), ("description", "annotation-changed"), ("examples", "annotation-changed"),
        ("readOnly", "annotation-changed"), ("writeOnly", "annotation-changed"), ("deprecated", "annotation-changed"),
        ("default", "default-changed"), ("contentEncoding", "content-changed"), ("contentMediaType", "content-changed"),
        ("contentSchema", "content-changed"), ("multipleOf", "multiple-of-changed"),
        ("patternProperties", "pattern-properties-changed"), ("dependentSchemas", "dependent-schemas-changed"),
        ("unevaluatedItems", "unevaluated-items-changed"), ("minContains", "contains-changed"),
        ("maxContains", "contains-changed"), ("$dynamicRef", "reference-changed"),
    ]

    mutating func compareWords(_ spot: Spot) {
        for (keyword, usual) in Self.words {
            func values(_ view: SchemaView) -> [(site: SchemaSite, value: JSONValue)] {
                view.nodes.compactMap { node in
                    object(node)?[keyword].map { (SchemaSite(node: node, tokens: [keyword]), $0) }
                }
            }
            let (one, other) = (values(spot.old), values(spot.new))
            guard Set(one.map(\.value)) != Set(other.map(\.value)) else { continue }
            var rule = usual
            if keyword == "deprecated" {
                let was = one.contains { $0.value == true }
                if was == other.contains(where: { $0.value == true }) { continue }
                if was { rule = "deprecation-withdrawn" }
            }
            note(rule, spot, old: one.first?.site, new: other.first?.site, isDecreed: true)
        }
    }
}
