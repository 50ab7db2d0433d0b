import JSON
import JSONSchema

extension SchemaWalk {
    /// One `anyOf` or `oneOf`.
    private struct Choice {
        let entry: SchemaView.Entry
        let branches: [Int]
        let isExclusive: Bool

        var word: String { isExclusive ? "oneOf" : "anyOf" }

        init?(_ entry: SchemaView.Entry) {
            self.entry = entry
            switch entry.keyword {
            case .anyOf(let nodes, _): (branches, isExclusive) = (nodes, false)
            case .oneOf(let nodes, _): (branches, isExclusive) = (nodes, true)
            default: return nil
            }
        }
    }

    mutating func compareAlternatives(_ old: SchemaView, _ new: SchemaView, _ path: [PathStep]) {
        var one = old.entries.compactMap { Choice($0) }
        var other = new.entries.compactMap { Choice($0) }
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
        for (before, after) in pairs { compare(before, after, path) }
        for choice in other {
            var edit = SchemaEdit(
                "alternatives-introduced", old: site(old), new: site(choice.entry, choice.word),
                newValue: value(site(choice.entry, choice.word)))
            edit.narrowing = [broken(choice.entry)]
            note(edit, path)
        }
        for choice in one {
            var edit = SchemaEdit(
                "alternatives-dropped", old: site(choice.entry, choice.word), new: site(new),
                oldValue: value(site(choice.entry, choice.word)))
            edit.widening = [broken(choice.entry)]
            note(edit, path)
        }
    }

    private func shared(_ one: Choice, _ other: Choice) -> Int {
        Set(one.branches.map { space.colors[$0] }).intersection(other.branches.map { space.colors[$0] }).count
    }

    private mutating func compare(_ old: Choice, _ new: Choice, _ path: [PathStep]) {
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
            let places = SchemaView([one], space).nodes.map { space.nodes[$0].location }
            return SchemaView([other], space).nodes.dropFirst().contains { node in
                places.dropFirst().contains { $0 == space.nodes[node].location }
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
            compare([one], [other], path + [.inPlace(old: [.holds(one)], new: [.holds(other)])])
        }
        for index in gone {
            let place = site(old.entry, old.word, String(index))
            var edit = SchemaEdit(
                "branch-removed", old: place, new: site(new.entry, new.word), oldValue: value(place))
            edit.narrowing = [[.holds(old.branches[index])]]
            note(edit, path)
        }
        for index in fresh {
            let place = site(new.entry, new.word, String(index))
            var edit = SchemaEdit("branch-added", old: site(old.entry, old.word), new: place, newValue: value(place))
            edit.widening = [[.holds(new.branches[index])]]
            note(edit, path)
        }
        if new.isExclusive { compareOverlaps(old, new, pairs, path, &solver) }
        if old.isExclusive, !new.isExclusive {
            var edit = SchemaEdit("branch-added", old: site(old.entry, old.word), new: site(new.entry, new.word))
            // What several alternatives accept was refused before.
            edit.widening = overlaps(old, &solver).map { [.holds(old.branches[$0]), .holds(old.branches[$1])] }
            if !edit.widening.isEmpty { note(edit, path) }
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
        _ old: Choice, _ new: Choice, _ pairs: [(Int, Int)], _ path: [PathStep], _ solver: inout Solver
    ) {
        let before = old.isExclusive ? overlaps(old, &solver) : []
        let twins = Dictionary(pairs.map { ($0.1, $0.0) }, uniquingKeysWith: { first, _ in first })
        for (one, other) in overlaps(new, &solver) {
            if let first = twins[one], let second = twins[other],
                before.contains(where: { ($0.0 == first && $0.1 == second) || ($0.0 == second && $0.1 == first) })
            {
                continue
            }
            let place = site(new.entry, new.word, String(other))
            var edit = SchemaEdit(
                "payload-union-overlap", old: site(old.entry, old.word), new: place, newValue: value(place))
            edit.narrowing = [[.holds(new.branches[one]), .holds(new.branches[other])]]
            note(edit, path)
        }
    }

    mutating func compareConditions(_ old: SchemaView, _ new: SchemaView, _ path: [PathStep]) {
        var gone = old.only(against: new).filter(isCondition)
        var fresh = new.only(against: old).filter(isCondition)
        for entry in gone {
            guard case .condition(let test, let then, let otherwise) = entry.keyword else { continue }
            let twin = fresh.first { candidate in
                if case .condition(let other, _, _) = candidate.keyword {
                    space.colors[other] == space.colors[test]
                } else {
                    false
                }
            }
            guard let twin, case .condition(let other, let newThen, let newOtherwise) = twin.keyword else { continue }
            // Conditions with one test are looked into.
            guard (then == nil) == (newThen == nil), (otherwise == nil) == (newOtherwise == nil) else { continue }
            gone.removeAll { $0.node == entry.node && $0.index == entry.index }
            fresh.removeAll { $0.node == twin.node && $0.index == twin.index }
            if let then, let newThen {
                compare([then], [newThen], path + [.inPlace(old: [.holds(test)], new: [.holds(other)])])
            }
            if let otherwise, let newOtherwise {
                compare([otherwise], [newOtherwise], path + [.inPlace(old: [.fails(test)], new: [.fails(other)])])
            }
        }
        differ("condition-changed", "if", gone, fresh, old, new, path)
        differ(
            "not-changed", "not", old.only(against: new).filter { if case .not = $0.keyword { true } else { false } },
            new.only(against: old).filter { if case .not = $0.keyword { true } else { false } }, old, new, path)
        differ(
            "dependent-schemas-changed", "dependentSchemas",
            old.only(against: new).filter { if case .dependentSchemas = $0.keyword { true } else { false } },
            new.only(against: old).filter { if case .dependentSchemas = $0.keyword { true } else { false } }, old, new,
            path)
        differ(
            "reference-changed", "$dynamicRef",
            old.only(against: new).filter { if case .dynamicReference = $0.keyword { true } else { false } },
            new.only(against: old).filter { if case .dynamicReference = $0.keyword { true } else { false } }, old, new,
            path)
    }

    private func isCondition(_ entry: SchemaView.Entry) -> Bool {
        if case .condition = entry.keyword { true } else { false }
    }

    /// One edit for everything of a kind that differs: old and new are paired in order.
    private mutating func differ(
        _ rule: String, _ word: String, _ gone: [SchemaView.Entry], _ fresh: [SchemaView.Entry], _ old: SchemaView,
        _ new: SchemaView, _ path: [PathStep]
    ) {
        for index in 0..<max(gone.count, fresh.count) {
            let before = index < gone.count ? gone[index] : nil
            let after = index < fresh.count ? fresh[index] : nil
            let (oldSite, newSite) = (site(before, word), site(after, word))
            var edit = SchemaEdit(
                rule, old: oldSite ?? site(old), new: newSite ?? site(new), oldValue: value(oldSite),
                newValue: value(newSite))
            edit.narrowing = after.map { [broken($0)] } ?? []
            edit.widening = before.map { [broken($0)] } ?? []
            note(edit, path)
        }
    }

    /// Compares what is said to people and to programs beside validity.
    mutating func compareWords(_ old: SchemaView, _ new: SchemaView, _ path: [PathStep]) {
        func values(_ keyword: String, _ view: SchemaView) -> [(site: SchemaEdit.Site, value: JSONValue)] {
            view.nodes.compactMap { node in
                object(node)?[keyword].map { (SchemaEdit.Site(node: node, tokens: [keyword]), $0) }
            }
        }
        let words: [(keyword: String, rule: String)] = [
            ("title", "annotation-changed"), ("description", "annotation-changed"), ("examples", "annotation-changed"),
            ("readOnly", "annotation-changed"), ("writeOnly", "annotation-changed"),
            ("deprecated", "annotation-changed"),
            ("default", "default-changed"), ("contentEncoding", "content-changed"),
            ("contentMediaType", "content-changed"),
            ("contentSchema", "content-changed"), ("x-stability", "message-stability-lowered"),
        ]
        for (keyword, rule) in words {
            let (one, other) = (values(keyword, old), values(keyword, new))
            guard Set(one.map(\.value)) != Set(other.map(\.value)) else { continue }
            var rule = rule
            if keyword == "deprecated" {
                let was = one.contains { $0.value == true }
                let isNow = other.contains { $0.value == true }
                if was == isNow { continue }
                if was { rule = "deprecation-withdrawn" }
            }
            if keyword == "x-stability" {
                guard let before = one.first?.value.stringValue, let after = other.first?.value.stringValue,
                    let high = Self.stabilities.firstIndex(of: before),
                    let low = Self.stabilities.firstIndex(of: after),
                    low < high
                else { continue }
            }
            var edit = SchemaEdit(
                rule, old: one.first?.site ?? site(old), new: other.first?.site ?? site(new),
                oldValue: one.first?.value,
                newValue: other.first?.value)
            edit.isDecreed = true
            note(edit, path)
        }
    }

    /// What may be promised about a message, the weakest first.
    static let stabilities = ["experimental", "beta", "stable"]
}
