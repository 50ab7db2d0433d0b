import JSON
import JSONSchema

extension SchemaWalk {
    mutating func compareMembers(_ old: SchemaView, _ new: SchemaView, _ path: [PathStep]) {
        let (before, after) = (old.declared, new.declared)
        let (oldRequired, newRequired) = (old.required, new.required)
        var gone = before.filter { new.members($0).isEmpty }
        var fresh = after.filter { old.members($0).isEmpty }
        let reserved = names("x-reserved", old)
        for name in reserved where !names("x-reserved", new).contains(name) && new.members(name).isEmpty {
            var edit = SchemaEdit(
                "reserved-name-released", old: site(old), new: site(new), oldValue: .string(name.string))
            edit.isDecreed = true
            note(edit, path)
        }
        rename(&gone, &fresh, old, new, path)
        for name in fresh {
            added(name, isRequired: newRequired[name] != nil, isReused: reserved.contains(name), old, new, path)
        }
        for name in gone { removed(name, isRequired: oldRequired[name] != nil, old, new, path) }
        for name in newRequired.keys.sorted() where oldRequired[name] == nil && !fresh.contains(name) {
            guard let place = newRequired[name] else { continue }
            var edit = SchemaEdit(
                "property-became-required", old: old.site(of: name) ?? site(old), new: place,
                newValue: .string(name.string))
            edit.narrowing = [[.kinds(.object), .absent(name)]]
            note(edit, path)
        }
        for name in oldRequired.keys.sorted() where newRequired[name] == nil && !gone.contains(name) {
            guard let place = oldRequired[name] else { continue }
            var edit = SchemaEdit(
                "property-became-optional", old: place, new: new.site(of: name) ?? site(new),
                oldValue: .string(name.string))
            edit.widening = [[.kinds(.object), .absent(name)]]
            note(edit, path)
        }
        compareDependents(old, new, path)
        for name in before where !new.members(name).isEmpty {
            compare(old.members(name), new.members(name), path + [.member(name)])
        }
    }

    /// A member that went away while an equal one came is one edit.
    private mutating func rename(
        _ gone: inout [ExactString], _ fresh: inout [ExactString], _ old: SchemaView, _ new: SchemaView,
        _ path: [PathStep]
    ) {
        func colors(_ nodes: [Int]) -> Set<Int> { Set(SchemaView(nodes, space).nodes.map { space.colors[$0] }) }
        for name in gone {
            let same = fresh.filter { colors(new.members($0)) == colors(old.members(name)) }
            guard same.count == 1, gone.count(where: { colors(old.members($0)) == colors(old.members(name)) }) == 1,
                (old.required[name] == nil) == (new.required[same[0]] == nil)
            else { continue }
            let isKind =
                path.isEmpty && old.required[name] != nil
                && (SchemaView(old.members(name), space).fixed?.count == 1)
            var edit = SchemaEdit(
                isKind ? "discriminator-property-changed" : "property-renamed", old: old.site(of: name),
                new: new.site(of: same[0]), oldValue: .string(name.string), newValue: .string(same[0].string))
            edit.isDecreed = true
            edit.narrowing = [[.kinds(.object), .present(name, [])]]
            edit.widening = [[.kinds(.object), .present(same[0], [])]]
            note(edit, path)
            gone.removeAll { $0 == name }
            fresh.removeAll { $0 == same[0] }
        }
    }

    private mutating func added(
        _ name: ExactString, isRequired: Bool, isReused: Bool, _ old: SchemaView, _ new: SchemaView, _ path: [PathStep]
    ) {
        let place = new.site(of: name)
        var edit = SchemaEdit(
            isReused ? "property-type-reused" : isRequired ? "property-added-required" : "property-added-optional",
            old: site(old), new: place, newValue: .object([name.string: value(place) ?? true]))
        edit.isDecreed = isReused
        edit.isNews = !new.members(name).contains { space.nodes[$0].verdict == false }
        edit.narrowing = new.members(name).map { [.kinds(.object), .present(name, [.fails($0)])] }
        if isRequired { edit.narrowing.insert([.kinds(.object), .absent(name)], at: 0) }
        edit.widening = [[.kinds(.object), .present(name, [])]]
        note(edit, path)
    }

    private mutating func removed(
        _ name: ExactString, isRequired: Bool, _ old: SchemaView, _ new: SchemaView, _ path: [PathStep]
    ) {
        let place = old.site(of: name)
        var edit = SchemaEdit(
            isRequired ? "property-removed-required" : "property-removed-optional", old: place, new: site(new),
            oldValue: .object([name.string: value(place) ?? true]))
        edit.isDecreed = true
        edit.narrowing = [[.kinds(.object), .present(name, [])]]
        edit.widening = old.members(name).map { [.kinds(.object), .present(name, [.fails($0)])] }
        if isRequired { edit.widening.insert([.kinds(.object), .absent(name)], at: 0) }
        note(edit, path)
    }

    private func names(_ keyword: String, _ view: SchemaView) -> [ExactString] {
        view.nodes.flatMap { object($0)?[keyword]?.arrayValue ?? [] }.compactMap(\.stringValue).map { ExactString($0) }
    }

    private mutating func compareDependents(_ old: SchemaView, _ new: SchemaView, _ path: [PathStep]) {
        func pairs(_ view: SchemaView) -> [[ExactString]: SchemaView.Entry] {
            var found: [[ExactString]: SchemaView.Entry] = [:]
            for entry in view.entries {
                guard case .dependentRequired(let pairs) = entry.keyword else { continue }
                for pair in pairs {
                    for name in pair.names { found[[ExactString(pair.key), ExactString(name)]] = entry }
                }
            }
            return found
        }
        let (one, other) = (pairs(old), pairs(new))
        for pair in Set(one.keys).union(other.keys).sorted(by: { $0.lexicographicallyPrecedes($1) })
        where (one[pair] == nil) != (other[pair] == nil) {
            let word = JSONValue.object([pair[0].string: [.string(pair[1].string)]])
            var edit = SchemaEdit(
                other[pair] != nil ? "dependent-required-added" : "dependent-required-removed",
                old: one[pair].flatMap { site($0, "dependentRequired", pair[0].string) } ?? site(old),
                new: other[pair].flatMap { site($0, "dependentRequired", pair[0].string) } ?? site(new),
                oldValue: one[pair] != nil ? word : nil, newValue: other[pair] != nil ? word : nil)
            let broken: [[Literal]] = [[.kinds(.object), .present(pair[0], []), .absent(pair[1])]]
            if other[pair] != nil { edit.narrowing = broken } else { edit.widening = broken }
            note(edit, path)
        }
    }

    mutating func compareOtherMembers(_ old: SchemaView, _ new: SchemaView, _ path: [PathStep]) {
        func names(_ view: SchemaView) -> [Int] {
            view.entries.compactMap { if case .propertyNames(let node) = $0.keyword { node } else { nil } }
        }
        if names(old).isEmpty || names(new).isEmpty {
            compareWord(
                { if case .propertyNames = $0 { "propertyNames" } else { nil } }, old, new, path,
                "property-names-added",
                "property-names-removed", nil)
        } else {
            compare(names(old), names(new), path + [.name])
        }
        comparePatterns(old, new, path)
        compareRest(
            old, new, path, "additional-properties", "additionalProperties", { PathStep.members($0) },
            { if case .properties(let table) = $0 { table.additional } else { nil } })
        compareRest(
            old, new, path, "unevaluated-properties", "unevaluatedProperties", { PathStep.members($0) },
            { if case .unevaluatedProperties(let node) = $0 { node } else { nil } })
    }

    private mutating func comparePatterns(_ old: SchemaView, _ new: SchemaView, _ path: [PathStep]) {
        func nodes(_ view: SchemaView, _ text: ExactString) -> [(entry: SchemaView.Entry, node: Int)] {
            view.tables.flatMap { entry, table in
                table.patterns.filter { ExactString($0.pattern.text) == text }.map { (entry, $0.node) }
            }
        }
        for text in old.patterns.union(new.patterns).sorted() {
            let (one, other) = (nodes(old, text), nodes(new, text))
            if !one.isEmpty, !other.isEmpty {
                compare(one.map(\.node), other.map(\.node), path + [.members(.pattern(text))])
                continue
            }
            let oldSite = one.first.flatMap { site($0.entry, "patternProperties", text.string) }
            let newSite = other.first.flatMap { site($0.entry, "patternProperties", text.string) }
            var edit = SchemaEdit(
                one.isEmpty ? "pattern-properties-added" : "pattern-properties-removed", old: oldSite ?? site(old),
                new: newSite ?? site(new), oldValue: value(oldSite), newValue: value(newSite))
            edit.narrowing = other.map { [.kinds(.object), .someMember(.pattern(text), [.fails($0.node)])] }
            edit.widening = one.map { [.kinds(.object), .someMember(.pattern(text), [.fails($0.node)])] }
            // Members of that pattern may have been, or may be, refused altogether.
            if one.isEmpty { edit.widening = [[.kinds(.object), .someMember(.pattern(text), [])]] }
            if other.isEmpty { edit.narrowing = [[.kinds(.object), .someMember(.pattern(text), [])]] }
            note(
                SchemaEdit.renamed(
                    edit, both: one.isEmpty ? "pattern-properties-added" : "pattern-properties-removed"), path)
        }
    }

    /// Compares what is said of all members that nobody names.
    private mutating func compareRest(
        _ old: SchemaView, _ new: SchemaView, _ path: [PathStep], _ rule: String, _ word: String,
        _ step: (NameClass) -> PathStep, _ target: (Keyword) -> Int?
    ) {
        func rest(_ view: SchemaView) -> [(entry: SchemaView.Entry, node: Int)] {
            view.entries.compactMap { entry in target(entry.keyword).map { (entry, $0) } }
        }
        let (one, other) = (rest(old), rest(new))
        guard Set(one.map { space.colors[$0.node] }) != Set(other.map { space.colors[$0.node] }) else {
            if !one.isEmpty { compare(one.map(\.node), other.map(\.node), path + [step(others(old, new))]) }
            return
        }
        let names = others(old, new)
        let isClosed = other.contains { space.nodes[$0.node].verdict == false }
        let wasClosed = one.contains { space.nodes[$0.node].verdict == false }
        if !one.isEmpty, !other.isEmpty, !isClosed, !wasClosed {
            compare(one.map(\.node), other.map(\.node), path + [step(names)])
            return
        }
        let oldSite = site(one.first?.entry, word)
        let newSite = site(other.first?.entry, word)
        var edit = SchemaEdit(
            narrow: isClosed ? "\(rule)-closed" : "\(rule)-narrowed",
            widen: wasClosed ? "\(rule)-opened" : "\(rule)-widened",
            both: "schema-changed", old: oldSite ?? site(old), new: newSite ?? site(new), oldValue: value(oldSite),
            newValue: value(newSite))
        edit.narrowing = other.map { [.kinds(.object), .someMember(names, [.fails($0.node)])] }
        edit.widening = one.map { [.kinds(.object), .someMember(names, [.fails($0.node)])] }
        note(edit, path)
    }

    /// All names that neither version names.
    private func others(_ old: SchemaView, _ new: SchemaView) -> NameClass {
        .except(Set(old.declared).union(new.declared), patterns: old.patterns.union(new.patterns))
    }
}

extension SchemaEdit {
    /// The same edit under one rule, whatever is proved.
    static func renamed(_ edit: SchemaEdit, both rule: String) -> SchemaEdit {
        var copy = SchemaEdit(rule, old: edit.old, new: edit.new, oldValue: edit.oldValue, newValue: edit.newValue)
        copy.narrowing = edit.narrowing
        copy.widening = edit.widening
        return copy
    }
}
