import HoldfastJSON
import HoldfastJSONSchema

extension SchemaWalk {
    mutating func compareTypes(_ spot: Spot) {
        let (one, other) = (spot.old.kinds ?? .all, spot.new.kinds ?? .all)
        guard one != other else { return }
        let (gone, fresh) = (one.subtracting(other), other.subtracting(one))
        let isNull = gone.union(fresh) == .null && !one.subtracting(.null).isEmpty
        note(
            isNull
                ? SchemaEdit.Rules(narrow: "became-not-nullable", widen: "became-nullable", both: "type-changed")
                : SchemaEdit.Rules(narrow: "type-narrowed", widen: "type-widened", both: "type-changed"),
            spot, old: spot.old.entries.first { $0.word == "type" }?.site,
            new: spot.new.entries.first { $0.word == "type" }?.site,
            narrowing: gone.isEmpty ? [] : [[.kinds(KindSet.all.subtracting(other))]],
            widening: fresh.isEmpty ? [] : [[.kinds(KindSet.all.subtracting(one))]])
    }

    mutating func compareValues(_ spot: Spot) {
        func entry(_ view: SchemaView, against other: SchemaView) -> SchemaView.Entry? {
            let entries = view.entries.filter { $0.keyword.fixedValues != nil }
            return entries.first { !other.colors.contains($0.color) } ?? entries.first
        }
        switch (entry(spot.old, against: spot.new), entry(spot.new, against: spot.old)) {
        case (nil, nil): break
        case (nil, let new?):
            note(SchemaEdit.Rules("\(new.word)-introduced"), spot, new: new.site, narrowing: [new.broken])
        case (let old?, nil):
            note(SchemaEdit.Rules("\(old.word)-dropped"), spot, old: old.site, widening: [old.broken])
        case (let old?, let new?): compareValues(spot, old.site, new.site)
        }
    }

    private mutating func compareValues(_ spot: Spot, _ old: SchemaSite, _ new: SchemaSite) {
        let (before, after) = (spot.old.fixed ?? [], spot.new.fixed ?? [])
        let gone = before.filter { !after.contains($0) }
        let fresh = after.filter { !before.contains($0) }
        if before.count == 1, after.count == 1, !gone.isEmpty {
            let isDiscriminator = isDiscriminator(spot.path, old: before[0], new: after[0])
            note(
                isDiscriminator ? "discriminator-value-changed" : "const-changed", spot, old: old, new: new,
                values: (before[0], after[0]), narrowing: [[.isOneOf(gone)]], widening: [[.isOneOf(fresh)]],
                isFinding: isDiscriminator)
            return
        }
        for value in gone {
            note("enum-value-removed", spot, old: old, new: new, values: (value, nil), narrowing: [[.isOneOf([value])]])
        }
        for value in fresh {
            note("enum-value-added", spot, old: old, new: new, values: (nil, value), widening: [[.isOneOf([value])]])
        }
    }

    /// Whether a place is the member that names the type of the whole message.
    private func isDiscriminator(_ path: [PathStep], old: JSONValue, new: JSONValue) -> Bool {
        guard path.count == 1, case .member(let name) = path[0] else { return false }
        return space.roots.allSatisfy { SchemaView([$0], space).required[name] != nil } && old.stringValue != nil
            && new.stringValue != nil
    }

    /// Keywords with one statement about a value, grouped by the property they restrict.
    private static let assertions: [(words: Set<String>, rules: SchemaEdit.Rules, changed: SchemaEdit.Rules?)] = {
        let limit = SchemaEdit.Rules(narrow: "limit-tightened", widen: "limit-loosened")
        let limits: [Set<String>] = [
            ["minimum", "exclusiveMinimum"], ["maximum", "exclusiveMaximum"], ["minLength"], ["maxLength"],
            ["minItems"], ["maxItems"],
        ]
        return limits.map { ($0, limit, nil) } + [
            (["uniqueItems"], SchemaEdit.Rules(narrow: "unique-items-on", widen: "unique-items-off"), nil),
            (
                ["pattern"],
                SchemaEdit.Rules(narrow: "pattern-introduced", widen: "pattern-dropped", both: "pattern-changed"),
                "pattern-changed"
            ),
        ]
    }()

    mutating func compareAssertions(_ spot: Spot) {
        for (words, rules, changed) in Self.assertions { compareKeywords(words, spot, rules, changed: changed) }
    }

    /// Compares all statements of some keywords as one edit; a change has a different rule than an addition or removal.
    mutating func compareKeywords(
        _ words: Set<String>, _ spot: Spot, _ rules: SchemaEdit.Rules, changed: SchemaEdit.Rules? = nil
    ) {
        let gone = spot.old.only(words, against: spot.new)
        let fresh = spot.new.only(words, against: spot.old)
        guard !gone.isEmpty || !fresh.isEmpty else { return }
        let old = gone.first ?? spot.old.entries.first { words.contains($0.word) }
        let new = fresh.first ?? spot.new.entries.first { words.contains($0.word) }
        note(
            old != nil && new != nil ? changed ?? rules : rules, spot, old: old?.site, new: new?.site,
            narrowing: fresh.map(\.broken), widening: gone.map(\.broken))
    }
}
