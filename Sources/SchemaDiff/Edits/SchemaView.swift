import JSON
import JSONSchema

/// All that holds at one place of a value, whichever schemas say it: references and `allOf` are followed.
struct SchemaView {
    /// One keyword of one of the schemas.
    struct Entry {
        let node: Int
        let index: Int
        let color: Int
        let keyword: Keyword
    }

    /// The schemas.
    let nodes: [Int]
    let entries: [Entry]
    let colors: Set<Int>
    /// Whether nothing is allowed here.
    let isFalse: Bool

    init(_ roots: [Int], _ space: SchemaSpace) {
        var nodes: [Int] = []
        var entries: [Entry] = []
        var seen = Set(roots)
        var pending = Array(roots.reversed())
        var isFalse = false
        while let node = pending.popLast() {
            nodes.append(node)
            if space.nodes[node].verdict == false { isFalse = true }
            var further: [Int] = []
            for (index, keyword) in space.nodes[node].keywords.enumerated() {
                switch keyword {
                case .reference(let target), .dynamicReference(let target, nil):
                    if seen.insert(target).inserted { further.append(target) }
                case .allOf(let targets): further += targets.filter { seen.insert($0).inserted }
                default:
                    entries.append(
                        Entry(node: node, index: index, color: space.keywordColors[node][index], keyword: keyword))
                }
            }
            pending += further.reversed()
        }
        self.nodes = nodes
        self.entries = entries
        colors = Set(entries.map(\.color))
        self.isFalse = isFalse
    }

    private init(nodes: [Int], entries: [Entry], isFalse: Bool) {
        self.nodes = nodes
        self.entries = entries
        self.isFalse = isFalse
        colors = Set(entries.map(\.color))
    }

    /// Members of `allOf` that say several things, of which another view says none.
    ///
    /// Members that speak of properties are looked into: what they say shows better there.
    func conjuncts(missingIn other: SchemaView, _ space: SchemaSpace) -> [Int] {
        var found: [Int] = []
        for node in nodes {
            for keyword in space.nodes[node].keywords {
                guard case .allOf(let targets) = keyword else { continue }
                found += targets.filter { target in
                    let view = SchemaView([target], space)
                    return view.entries.count > 1 && view.colors.isDisjoint(with: other.colors) && view.tables.isEmpty
                        && !view.entries.contains { if case .required = $0.keyword { true } else { false } }
                }
            }
        }
        return found
    }

    /// The same without what one of the schemas says.
    func without(_ member: Int, _ space: SchemaSpace) -> SchemaView {
        let gone = Set(SchemaView([member], space).nodes)
        return SchemaView(
            nodes: nodes.filter { !gone.contains($0) }, entries: entries.filter { !gone.contains($0.node) },
            isFalse: isFalse)
    }

    /// The entries that are not in another view.
    func only(against other: SchemaView) -> [Entry] {
        entries.filter { !other.colors.contains($0.color) }
    }

    /// All property tables.
    var tables: [(entry: Entry, table: PropertyTable)] {
        entries.compactMap { entry in
            if case .properties(let table) = entry.keyword { (entry, table) } else { nil }
        }
    }

    /// The names that properties are declared under, in order.
    var declared: [ExactString] {
        var seen: Set<ExactString> = []
        return tables.flatMap { $0.table.order.map { ExactString($0) } }.filter { seen.insert($0).inserted }
    }

    /// The schemas of a declared member.
    func members(_ name: ExactString) -> [Int] { tables.compactMap { $0.table.names[name] } }

    /// Where a member is declared.
    func site(of name: ExactString) -> SchemaEdit.Site? {
        for (entry, table) in tables where table.names[name] != nil {
            return SchemaEdit.Site(node: entry.node, tokens: ["properties", name.string])
        }
        return nil
    }

    /// The names that must be there, with the place that says so.
    var required: [ExactString: SchemaEdit.Site] {
        var found: [ExactString: SchemaEdit.Site] = [:]
        for entry in entries {
            if case .required(let names) = entry.keyword {
                for name in names where found[ExactString(name)] == nil {
                    found[ExactString(name)] = SchemaEdit.Site(node: entry.node, tokens: ["required"])
                }
            }
        }
        return found
    }

    /// The patterns that sort members.
    var patterns: Set<ExactString> {
        Set(tables.flatMap { $0.table.patterns.map { ExactString($0.pattern.text) } })
    }

    /// The kinds of values that `type` allows; nil without `type`.
    var kinds: KindSet? {
        var kinds: KindSet?
        for entry in entries {
            if case .type(let types) = entry.keyword { kinds = (kinds ?? .all).intersection(KindSet(types)) }
        }
        return kinds
    }

    /// The only values that `enum` and `const` allow; nil without them.
    var fixed: [JSONValue]? {
        var values: [JSONValue]?
        for entry in entries {
            let list: [JSONValue]
            switch entry.keyword {
            case .const(let value): list = [value]
            case .enumeration(let all): list = all
            default: continue
            }
            values = values.map { $0.filter(list.contains) } ?? list
        }
        return values
    }

    /// The first entry for which something holds.
    func first(_ isWanted: (Keyword) -> Bool) -> Entry? { entries.first { isWanted($0.keyword) } }
}
