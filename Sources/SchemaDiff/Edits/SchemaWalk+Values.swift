import JSON
import JSONSchema

extension SchemaWalk {
    mutating func compareTypes(_ old: SchemaView, _ new: SchemaView, _ path: [PathStep]) {
        let (one, other) = (old.kinds ?? .all, new.kinds ?? .all)
        guard one != other else { return }
        func entry(_ view: SchemaView) -> SchemaView.Entry? {
            view.first { if case .type = $0 { true } else { false } }
        }
        let isNull = one.symmetricDifference(other) == .null && !one.subtracting(.null).isEmpty
        let oldSite = site(entry(old), "type")
        let newSite = site(entry(new), "type")
        var edit = SchemaEdit(
            narrow: isNull ? "became-not-nullable" : "type-narrowed",
            widen: isNull ? "became-nullable" : "type-widened",
            both: "type-changed", old: oldSite ?? site(old), new: newSite ?? site(new),
            oldValue: value(oldSite), newValue: value(newSite))
        if !one.subtracting(other).isEmpty { edit.narrowing = [[.kinds(KindSet.all.subtracting(other))]] }
        if !other.subtracting(one).isEmpty { edit.widening = [[.kinds(KindSet.all.subtracting(one))]] }
        note(edit, path)
    }

    mutating func compareValues(_ old: SchemaView, _ new: SchemaView, _ path: [PathStep]) {
        func entry(_ view: SchemaView, _ other: SchemaView) -> (SchemaView.Entry?, String, Bool) {
            let entries = view.entries.filter { entry in
                switch entry.keyword {
                case .const, .enumeration: true
                default: false
                }
            }
            let entry = entries.first { !other.colors.contains($0.color) } ?? entries.first
            if case .const = entry?.keyword { return (entry, "const", true) }
            return (entry, "enum", false)
        }
        let (oldEntry, oldWord, oldIsConst) = entry(old, new)
        let (newEntry, newWord, newIsConst) = entry(new, old)
        switch (old.fixed, new.fixed) {
        case (nil, nil): return
        case (nil, .some):
            guard let newEntry else { return }
            var edit = SchemaEdit(
                newIsConst ? "const-introduced" : "enum-introduced", old: site(old), new: site(newEntry, newWord),
                newValue: value(site(newEntry, newWord)))
            edit.narrowing = [broken(newEntry)]
            note(edit, path)
        case (.some, nil):
            guard let oldEntry else { return }
            var edit = SchemaEdit(
                oldIsConst ? "const-dropped" : "enum-dropped", old: site(oldEntry, oldWord), new: site(new),
                oldValue: value(site(oldEntry, oldWord)))
            edit.widening = [broken(oldEntry)]
            note(edit, path)
        case (.some(let before), .some(let after)):
            let gone = before.filter { !after.contains($0) }
            let fresh = after.filter { !before.contains($0) }
            if before.count == 1, after.count == 1, !gone.isEmpty {
                var edit = SchemaEdit(
                    isKind(path, old: before[0], new: after[0]) ? "discriminator-value-changed" : "const-changed",
                    old: site(oldEntry, oldWord), new: site(newEntry, newWord), oldValue: before[0], newValue: after[0])
                edit.narrowing = [[.isOneOf(gone)]]
                edit.widening = [[.isOneOf(fresh)]]
                edit.isDecreed = edit.narrowRule == "discriminator-value-changed"
                note(edit, path)
                return
            }
            for value in gone {
                var edit = SchemaEdit(
                    "enum-value-removed", old: site(oldEntry, oldWord), new: site(newEntry, newWord), oldValue: value)
                edit.narrowing = [[.isOneOf([value])]]
                note(edit, path)
            }
            let isExtensible = old.nodes.contains { object($0)?["x-extensible-enum"]?.boolValue == true }
            for value in fresh {
                var edit = SchemaEdit(
                    "enum-value-added", old: site(oldEntry, oldWord), new: site(newEntry, newWord), newValue: value)
                edit.widening = [[.isOneOf([value])]]
                edit.isExtensible = isExtensible
                note(edit, path)
            }
        }
    }

    /// Whether a place is the member that names the kind of the whole message.
    private func isKind(_ path: [PathStep], old: JSONValue, new: JSONValue) -> Bool {
        guard path.count == 1, case .member(let name) = path[0] else { return false }
        return SchemaView([space.roots[0]], space).required[name] != nil
            && SchemaView([space.roots[1]], space).required[name] != nil && old.stringValue != nil
            && new.stringValue != nil
    }

    mutating func compareLimits(_ old: SchemaView, _ new: SchemaView, _ path: [PathStep]) {
        let classes: [(Keyword) -> String?] = [
            {
                if case .minimum = $0 {
                    "minimum"
                } else if case .exclusiveMinimum = $0 {
                    "exclusiveMinimum"
                } else {
                    nil
                }
            },
            {
                if case .maximum = $0 {
                    "maximum"
                } else if case .exclusiveMaximum = $0 {
                    "exclusiveMaximum"
                } else {
                    nil
                }
            },
            { if case .minLength = $0 { "minLength" } else { nil } },
            { if case .maxLength = $0 { "maxLength" } else { nil } },
            { if case .minItems = $0 { "minItems" } else { nil } },
            { if case .maxItems = $0 { "maxItems" } else { nil } },
            { if case .minProperties = $0 { "minProperties" } else { nil } },
            { if case .maxProperties = $0 { "maxProperties" } else { nil } },
        ]
        for word in classes { compareWord(word, old, new, path, "limit-tightened", "limit-loosened", nil) }
        compareWord(
            { if case .multipleOf = $0 { "multipleOf" } else { nil } }, old, new, path, "multiple-of-tightened",
            "multiple-of-loosened", "multiple-of-changed")
        compareWord(
            { if case .uniqueItems = $0 { "uniqueItems" } else { nil } }, old, new, path, "unique-items-on",
            "unique-items-off",
            nil)
    }

    mutating func compareTexts(_ old: SchemaView, _ new: SchemaView, _ path: [PathStep]) {
        compareWord(
            { if case .pattern = $0 { "pattern" } else { nil } }, old, new, path, "pattern-introduced",
            "pattern-dropped",
            "pattern-changed", changed: "pattern-changed")
        compareWord(
            { if case .format = $0 { "format" } else { nil } }, old, new, path, "format-introduced", "format-dropped",
            "format-changed", changed: "format-changed")
    }

    /// Compares the entries of one kind; `word` names the keyword, or is nil for entries of another kind.
    mutating func compareWord(
        _ word: (Keyword) -> String?, _ old: SchemaView, _ new: SchemaView, _ path: [PathStep], _ narrow: String,
        _ widen: String, _ both: String?, changed: String? = nil
    ) {
        let gone = old.only(against: new).filter { word($0.keyword) != nil }
        let fresh = new.only(against: old).filter { word($0.keyword) != nil }
        guard !gone.isEmpty || !fresh.isEmpty else { return }
        let oldEntry = gone.first ?? old.first { word($0) != nil }
        let newEntry = fresh.first ?? new.first { word($0) != nil }
        let oldSite = oldEntry.flatMap { site($0, word($0.keyword) ?? "") }
        let newSite = newEntry.flatMap { site($0, word($0.keyword) ?? "") }
        let isChange = oldEntry != nil && newEntry != nil
        var edit = SchemaEdit(
            narrow: isChange ? changed ?? narrow : narrow, widen: isChange ? changed ?? widen : widen,
            both: both ?? narrow, old: oldSite ?? site(old), new: newSite ?? site(new), oldValue: value(oldSite),
            newValue: value(newSite))
        edit.narrowing = fresh.map { broken($0) }
        edit.widening = gone.map { broken($0) }
        note(edit, path)
    }
}
