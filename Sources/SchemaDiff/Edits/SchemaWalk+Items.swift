import JSON
import JSONSchema

extension SchemaWalk {
    /// The schemas of elements on one side.
    private struct Elements {
        var prefix: [[Int]] = []
        var rest: [Int] = []
        var prefixEntry: SchemaView.Entry?
        var restEntry: SchemaView.Entry?

        init(_ view: SchemaView) {
            for entry in view.entries {
                guard case .items(let prefix, let rest) = entry.keyword else { continue }
                for (index, node) in prefix.enumerated() {
                    if index < self.prefix.count { self.prefix[index].append(node) } else { self.prefix.append([node]) }
                }
                if !prefix.isEmpty { prefixEntry = prefixEntry ?? entry }
                if let rest {
                    self.rest.append(rest)
                    restEntry = restEntry ?? entry
                }
            }
        }
    }

    mutating func compareItems(_ old: SchemaView, _ new: SchemaView, _ path: [PathStep]) {
        let (one, other) = (Elements(old), Elements(new))
        for index in 0..<max(one.prefix.count, other.prefix.count) {
            let step = PathStep.item(from: index, to: index)
            if index < one.prefix.count, index < other.prefix.count {
                compare(one.prefix[index], other.prefix[index], path + [step])
                continue
            }
            let before = index < one.prefix.count ? one.prefix[index] : one.rest
            let after = index < other.prefix.count ? other.prefix[index] : other.rest
            guard Set(before.map { space.colors[$0] }) != Set(after.map { space.colors[$0] }) else { continue }
            let oldSite =
                index < one.prefix.count
                ? site(one.prefixEntry, "prefixItems", String(index)) : site(one.restEntry, "items")
            let newSite =
                index < other.prefix.count
                ? site(other.prefixEntry, "prefixItems", String(index)) : site(other.restEntry, "items")
            var edit = SchemaEdit(
                "prefix-items-changed", old: oldSite ?? site(old), new: newSite ?? site(new), oldValue: value(oldSite),
                newValue: value(newSite))
            edit.narrowing = after.map { [.kinds(.array), .someItem(from: index, to: index, [.fails($0)])] }
            edit.widening = before.map { [.kinds(.array), .someItem(from: index, to: index, [.fails($0)])] }
            note(edit, path)
        }
        let from = max(one.prefix.count, other.prefix.count)
        compareRest("items", "items", from, one.restEntry, one.rest, other.restEntry, other.rest, old, new, path)
        func unevaluated(_ view: SchemaView) -> (SchemaView.Entry?, [Int]) {
            for entry in view.entries {
                if case .unevaluatedItems(let node) = entry.keyword { return (entry, [node]) }
            }
            return (nil, [])
        }
        let (oldEntry, before) = unevaluated(old)
        let (newEntry, after) = unevaluated(new)
        compareRest("unevaluated-items", "unevaluatedItems", from, oldEntry, before, newEntry, after, old, new, path)
        compareContains(old, new, path)
    }

    private mutating func compareRest(
        _ rule: String, _ word: String, _ from: Int, _ oldEntry: SchemaView.Entry?, _ before: [Int],
        _ newEntry: SchemaView.Entry?, _ after: [Int], _ old: SchemaView, _ new: SchemaView, _ path: [PathStep]
    ) {
        let isClosed = after.contains { space.nodes[$0].verdict == false }
        let wasClosed = before.contains { space.nodes[$0].verdict == false }
        if !before.isEmpty, !after.isEmpty, isClosed == wasClosed {
            compare(before, after, path + [.item(from: from, to: nil)])
            return
        }
        guard !before.isEmpty || !after.isEmpty else { return }
        let oldSite = site(oldEntry, word)
        let newSite = site(newEntry, word)
        var edit = SchemaEdit(
            narrow: isClosed ? "\(rule)-closed" : "\(rule)-narrowed",
            widen: wasClosed ? "\(rule)-opened" : "\(rule)-widened",
            both: "schema-changed", old: oldSite ?? site(old), new: newSite ?? site(new), oldValue: value(oldSite),
            newValue: value(newSite))
        edit.narrowing = after.map { [.kinds(.array), .someItem(from: from, to: nil, [.fails($0)])] }
        edit.widening = before.map { [.kinds(.array), .someItem(from: from, to: nil, [.fails($0)])] }
        note(edit, path)
    }

    private mutating func compareContains(_ old: SchemaView, _ new: SchemaView, _ path: [PathStep]) {
        let gone = old.only(against: new).filter { if case .contains = $0.keyword { true } else { false } }
        let fresh = new.only(against: old).filter { if case .contains = $0.keyword { true } else { false } }
        if gone.count == 1, fresh.count == 1, case .contains(let before, let oldMin, let oldMax) = gone[0].keyword,
            case .contains(let after, let newMin, let newMax) = fresh[0].keyword,
            space.colors[before] == space.colors[after]
        {
            if oldMin != newMin {
                let (one, other) = (site(gone[0], "minContains"), site(fresh[0], "minContains"))
                var edit = SchemaEdit(
                    narrow: "limit-tightened", widen: "limit-loosened", old: one, new: other,
                    oldValue: JSONValue(oldMin),
                    newValue: JSONValue(newMin))
                if newMin > 0 { edit.narrowing = [[.kinds(.array), .contains(after, min: 0, max: newMin - 1)]] }
                if oldMin > 0 { edit.widening = [[.kinds(.array), .contains(before, min: 0, max: oldMin - 1)]] }
                note(edit, path)
            }
            if oldMax != newMax {
                let (one, other) = (site(gone[0], "maxContains"), site(fresh[0], "maxContains"))
                var edit = SchemaEdit(
                    narrow: "limit-tightened", widen: "limit-loosened", old: one, new: other, oldValue: value(one),
                    newValue: value(other))
                if let newMax { edit.narrowing = [[.kinds(.array), .contains(after, min: newMax + 1, max: nil)]] }
                if let oldMax { edit.widening = [[.kinds(.array), .contains(before, min: oldMax + 1, max: nil)]] }
                note(edit, path)
            }
            return
        }
        compareWord(
            { if case .contains = $0 { "contains" } else { nil } }, old, new, path, "contains-added",
            "contains-removed",
            "contains-changed", changed: "contains-changed")
    }
}
