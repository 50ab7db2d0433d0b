import JSON
import JSONSchema

/// Walks two versions of one message side by side and notes every place where they say something else.
struct SchemaWalk {
    /// The old version as the writer, the new one as the reader.
    let space: SchemaSpace
    let oldTexts: SchemaTexts
    let newTexts: SchemaTexts
    private(set) var edits: [SchemaEdit] = []
    private var positions: [[String]: Int] = [:]
    private var visits: [Pair: Int] = [:]
    private var stepsLeft: Int
    /// Whether it stopped before it had seen everything.
    private(set) var ranOut = false
    /// What was too deep to be looked at.
    private var tooDeep: Set<Pair> = []
    /// The objects that the schemas were read from.
    private let objects: [JSONObject?]

    private struct Pair: Hashable {
        let old: [Int]
        let new: [Int]
    }

    init(_ space: SchemaSpace, old: SchemaTexts, new: SchemaTexts, steps: Int = 40_000) {
        self.space = space
        stepsLeft = steps
        oldTexts = old
        newTexts = new
        objects = space.nodes.indices.map { node in
            (space.side(node) == SchemaSpace.writer ? old : new).object(space.uri(node), space.nodes[node].location)
        }
    }

    /// The edits between the roots.
    mutating func walk() -> [SchemaEdit] {
        compare([space.roots[0]], [space.roots[1]], [])
        // Another way may have led there.
        if tooDeep.contains(where: { visits[$0] == nil }) { ranOut = true }
        return edits
    }

    mutating func compare(_ old: [Int], _ new: [Int], _ path: [PathStep]) {
        var one = SchemaView(old, space)
        var other = SchemaView(new, space)
        let pair = Pair(old: one.nodes.sorted(), new: other.nodes.sorted())
        // A shared definition is looked at again on other ways to it: a break may show only there.
        let isSame = Set(old.map { space.colors[$0] }) == Set(new.map { space.colors[$0] })
        guard visits[pair, default: 0] < (isSame ? 1 : 4) else { return }
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
        compareWords(one, other, path)
        if one.isFalse != other.isFalse {
            var edit = SchemaEdit("schema-changed", old: site(one), new: site(other))
            edit.narrowing = other.isFalse ? [[]] : []
            edit.widening = one.isFalse ? [[]] : []
            note(edit, path)
            return
        }
        compareConjuncts(&one, &other, path)
        compareTypes(one, other, path)
        compareValues(one, other, path)
        compareLimits(one, other, path)
        compareTexts(one, other, path)
        compareMembers(one, other, path)
        compareOtherMembers(one, other, path)
        compareItems(one, other, path)
        compareAlternatives(one, other, path)
        compareConditions(one, other, path)
    }

    /// A member of `allOf` that came or went as a whole is one edit.
    private mutating func compareConjuncts(_ old: inout SchemaView, _ new: inout SchemaView, _ path: [PathStep]) {
        for member in new.conjuncts(missingIn: old, space) {
            let place = SchemaEdit.Site(node: member, tokens: [])
            var edit = SchemaEdit(
                "all-of-member-added", old: site(old), new: place, newValue: object(member).map { .object($0) })
            edit.narrowing = [[.fails(member)]]
            note(edit, path)
            new = new.without(member, space)
        }
        for member in old.conjuncts(missingIn: new, space) {
            let place = SchemaEdit.Site(node: member, tokens: [])
            var edit = SchemaEdit(
                "all-of-member-removed", old: place, new: site(new), oldValue: object(member).map { .object($0) })
            edit.widening = [[.fails(member)]]
            note(edit, path)
            old = old.without(member, space)
        }
    }

    /// Notes an edit; the same edit reached again gets one more way.
    mutating func note(_ edit: SchemaEdit, _ path: [PathStep]) {
        if let position = positions[edit.key] {
            if edits[position].paths.count < 4 { edits[position].paths.append(path) }
            return
        }
        var edit = edit
        edit.paths = [path]
        positions[edit.key] = edits.count
        edits.append(edit)
    }

    func site(_ view: SchemaView) -> SchemaEdit.Site? {
        view.nodes.first.map { SchemaEdit.Site(node: $0, tokens: []) }
    }

    func site(_ entry: SchemaView.Entry?, _ tokens: String...) -> SchemaEdit.Site? {
        entry.map { SchemaEdit.Site(node: $0.node, tokens: tokens) }
    }

    /// The object a schema was read from.
    func object(_ node: Int) -> JSONObject? { objects[node] }

    /// What stands at a place.
    func value(_ site: SchemaEdit.Site?) -> JSONValue? {
        guard let site, let object = object(site.node) else { return nil }
        return JSONValue.object(object)[JSONPointer(tokens: site.tokens)]
    }

    /// The place of a site, with its line.
    func place(_ site: SchemaEdit.Site) -> GatePlace {
        let texts = space.side(site.node) == SchemaSpace.writer ? oldTexts : newTexts
        return texts.place(
            space.uri(site.node), space.nodes[site.node].location.appending(JSONPointer(tokens: site.tokens)))
    }

    /// The demand that one entry is broken.
    func broken(_ entry: SchemaView.Entry) -> [Literal] { [.breaks(node: entry.node, keyword: entry.index)] }
}
