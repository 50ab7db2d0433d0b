import HoldfastJSON
import HoldfastJSONSchema

extension SchemaWalk {
    /// The schemas of elements on one side.
    private struct Elements {
        var prefix: [[Int]] = []
        private var rest: [Int] = []
        private var prefixEntry: SchemaView.Entry?
        private var restEntry: SchemaView.Entry?

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

        /// The constraints on one element, and their place.
        func element(_ index: Int) -> (nodes: [Int], site: SchemaSite?) {
            index < prefix.count
                ? (prefix[index], prefixEntry?.at("prefixItems", String(index))) : (rest, restEntry?.at("items"))
        }
    }

    mutating func compareItems(_ spot: Spot) {
        let (one, other) = (Elements(spot.old), Elements(spot.new))
        let count = max(one.prefix.count, other.prefix.count)
        for index in 0..<count {
            let step = PathStep.item(from: index, to: index)
            let (before, after) = (one.element(index), other.element(index))
            if index < one.prefix.count, index < other.prefix.count {
                compare(before.nodes, after.nodes, spot.path + [step])
            } else if !space.areSame(before.nodes, after.nodes) {
                note(
                    "prefix-items-changed", spot, old: before.site, new: after.site,
                    narrowing: after.nodes.map { step.goal([.fails($0)]) },
                    widening: before.nodes.map { step.goal([.fails($0)]) })
            }
        }
        let step = PathStep.item(from: count, to: nil)
        compareRest("items", "items", spot, step) { if case .items(_, let rest) = $0 { rest } else { nil } }
        compareKeywords(
            ["contains"], spot,
            SchemaEdit.Rules(narrow: "contains-added", widen: "contains-removed", both: "contains-changed"),
            changed: "contains-changed")
    }
}
