import HoldfastJSON
import HoldfastJSONSchema

extension SchemaWalk {
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
            // Conditions with the same test are compared in detail.
            guard let twin, case .condition(let other, let newThen, let newOtherwise) = twin.keyword else { continue }
            gone.removeAll { $0.node == entry.node && $0.index == entry.index }
            fresh.removeAll { $0.node == twin.node && $0.index == twin.index }
            func compareBranch(_ old: Int?, _ new: Int?, _ demand: (Int) -> Literal) {
                let step = PathStep.inPlace(old: [demand(test)], new: [demand(other)])
                compare([old].compactMap(\.self), [new].compactMap(\.self), spot.path + [step], outer: outer)
            }
            compareBranch(then, newThen, Literal.holds)
            compareBranch(otherwise, newOtherwise, Literal.fails)
        }
        notePairs("condition-changed", gone, fresh, spot)
        for (words, rule): (Set<String>, SchemaEdit.Rules) in [
            (["not"], "not-changed"), (["anyOf", "oneOf"], "alternatives-changed"),
        ] {
            notePairs(rule, spot.old.only(words, against: spot.new), spot.new.only(words, against: spot.old), spot)
        }
    }

    /// Notes the differences of a kind: removed and added keywords are paired in order.
    private mutating func notePairs(
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

    /// Keywords that are compared as written, each with the rule for a change: annotations, which do not affect
    /// validity, and keywords that no message uses.
    private static let words: [(keyword: String, rule: SchemaEdit.Rules)] = [
        ("title", "annotation-changed"), ("description", "annotation-changed"), ("examples", "annotation-changed"),
        ("readOnly", "annotation-changed"), ("writeOnly", "annotation-changed"), ("deprecated", "annotation-changed"),
        ("default", "default-changed"), ("contentEncoding", "content-changed"), ("contentMediaType", "content-changed"),
        ("contentSchema", "content-changed"), ("format", "format-changed"), ("multipleOf", "multiple-of-changed"),
        ("patternProperties", "pattern-properties-changed"), ("dependentSchemas", "dependent-schemas-changed"),
        ("unevaluatedItems", "unevaluated-items-changed"),
        ("unevaluatedProperties", "unevaluated-properties-changed"), ("prefixItems", "prefix-items-changed"),
        ("propertyNames", "property-names-changed"), ("minProperties", "limit-changed"),
        ("maxProperties", "limit-changed"), ("minContains", "contains-changed"),
        ("maxContains", "contains-changed"), ("$dynamicRef", "reference-changed"),
    ]

    mutating func compareWords(_ spot: Spot) {
        for (keyword, change) in Self.words {
            func values(_ view: SchemaView) -> [(site: SchemaSite, value: JSONValue)] {
                view.nodes.compactMap { node in
                    object(node)?[keyword].map { (SchemaSite(node: node, tokens: [keyword]), $0) }
                }
            }
            let (one, other) = (values(spot.old), values(spot.new))
            guard Set(one.map(\.value)) != Set(other.map(\.value)) else { continue }
            var rule = change
            if keyword == "deprecated" {
                let was = one.contains { $0.value == true }
                if was == other.contains(where: { $0.value == true }) { continue }
                if was { rule = "deprecation-withdrawn" }
            }
            note(rule, spot, old: one.first?.site, new: other.first?.site, isFinding: true)
        }
    }
}
