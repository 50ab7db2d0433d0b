import HoldfastJSON
import HoldfastJSONSchema

/// Walks through two versions of one message side by side and notes every place where they differ.
struct SchemaWalk {
    let space: SchemaSpace
    private let oldTexts: SchemaTexts
    private let newTexts: SchemaTexts
    private var edits: [SchemaEdit] = []
    private var positions: [SchemaEdit.Key: Int] = [:]
    private var visits: [Pair: Int] = [:]
    private var stepsLeft: Int
    /// Whether it stopped before the end.
    private(set) var ranOut = false
    /// The places that were too deep to compare.
    private var tooDeep: Set<Pair> = []
    /// The objects that the schemas were read from.
    private let objects: [JSONObject?]

    private struct Pair: Hashable {
        let old: [Int]
        let new: [Int]
    }

    /// The two versions at one place of a message.
    struct Spot {
        var old: SchemaView
        var new: SchemaView
        let path: [PathStep]
        /// The members declared outside of its condition, which do not depend on it.
        let outer: Set<ExactString>
    }

    init(_ space: SchemaSpace, old: SchemaTexts, new: SchemaTexts, steps: Int = 40_000) {
        self.space = space
        stepsLeft = steps
        oldTexts = old
        newTexts = new
        objects = space.nodes.indices.map { node in
            (space.side(node) == SchemaSpace.old ? old : new).object(space.uri(node), space.nodes[node].location)
        }
    }

    mutating func walk() -> [SchemaEdit] {
        compare([space.roots[0]], [space.roots[1]], [])
        // Another path may have reached such a place.
        if tooDeep.contains(where: { visits[$0] == nil }) { ranOut = true }
        return edits
    }

    mutating func compare(_ old: [Int], _ new: [Int], _ path: [PathStep], outer: Set<ExactString> = []) {
        var spot = Spot(old: SchemaView(old, space), new: SchemaView(new, space), path: path, outer: outer)
        let pair = Pair(old: spot.old.nodes.sorted(), new: spot.new.nodes.sorted())
        // A shared definition is compared again on other paths: a break may show only there.
        guard visits[pair, default: 0] < (space.areSame(old, new) ? 1 : 4) else { return }
        guard path.count < 60 else {
            tooDeep.insert(pair)
            return
        }
        guard stepsLeft > 0 else {
            ranOut = true
            return
        }
        visits[pair, default: 0] += 1
        stepsLeft -= 1
        compareWords(spot)
        if spot.old.isFalse != spot.new.isFalse {
            note(
                "schema-changed", spot, narrowing: spot.new.isFalse ? [[]] : [], widening: spot.old.isFalse ? [[]] : [])
            return
        }
        // A member of `allOf` that was added or removed as a whole is one edit.
        for member in spot.new.conjuncts(missingIn: spot.old, space) {
            note("all-of-member-added", spot, new: SchemaSite(node: member), narrowing: [[.fails(member)]])
            spot.new = spot.new.without(member, space)
        }
        for member in spot.old.conjuncts(missingIn: spot.new, space) {
            note("all-of-member-removed", spot, old: SchemaSite(node: member), widening: [[.fails(member)]])
            spot.old = spot.old.without(member, space)
        }
        compareTypes(spot)
        compareValues(spot)
        compareAssertions(spot)
        compareMembers(spot)
        compareOtherMembers(spot)
        compareItems(spot)
        compareConditions(spot)
    }

    /// Compares the statements about everything without its own schema, one step from here.
    mutating func compareRest(
        _ rule: String, _ word: String, _ spot: Spot, _ step: PathStep, _ rest: (Keyword) -> Int?
    ) {
        let (one, other) = (spot.old.all(rest), spot.new.all(rest))
        let (before, after) = (one.map(\.part), other.map(\.part))
        let wasClosed = before.contains { space.nodes[$0].verdict == false }
        let isClosed = after.contains { space.nodes[$0].verdict == false }
        let isSame = space.areSame(before, after)
        if before.isEmpty || after.isEmpty ? isSame : isSame || (!isClosed && !wasClosed) {
            if !before.isEmpty { compare(before, after, spot.path + [step]) }
            return
        }
        note(
            SchemaEdit.Rules(
                narrow: isClosed ? "\(rule)-closed" : "\(rule)-narrowed",
                widen: wasClosed ? "\(rule)-opened" : "\(rule)-widened", both: "schema-changed"),
            spot, old: one.first?.entry.at(word), new: other.first?.entry.at(word),
            narrowing: after.map { step.goal([.fails($0)]) }, widening: before.map { step.goal([.fails($0)]) })
    }

    /// Notes an edit; the same edit on another path gets an additional path.
    ///
    /// A side without a site uses its whole schema. The values at the sites are shown by default.
    mutating func note(
        _ rules: SchemaEdit.Rules, _ spot: Spot, old: SchemaSite? = nil, new: SchemaSite? = nil,
        values: (old: JSONValue?, new: JSONValue?)? = nil, narrowing: [[Literal]] = [], widening: [[Literal]] = [],
        isFinding: Bool = false, isNew: Bool = false
    ) {
        let values = values ?? (value(old), value(new))
        var edit = SchemaEdit(
            rules: rules, old: old ?? spot.old.site, new: new ?? spot.new.site, oldValue: values.old,
            newValue: values.new, narrowing: narrowing, widening: widening, isFinding: isFinding, isNew: isNew)
        if let position = positions[edit.key] {
            if edits[position].paths.count < 4 { edits[position].paths.append(spot.path) }
            return
        }
        edit.paths = [spot.path]
        positions[edit.key] = edits.count
        edits.append(edit)
    }

    func object(_ node: Int) -> JSONObject? { objects[node] }

    func value(_ site: SchemaSite?) -> JSONValue? {
        guard let site, let object = object(site.node) else { return nil }
        return JSONValue.object(object)[JSONPointer(tokens: site.tokens)]
    }

    func location(_ site: SchemaSite) -> GateLocation {
        let texts = space.side(site.node) == SchemaSpace.old ? oldTexts : newTexts
        return texts.location(space.uri(site.node), space.location(site))
    }
}
