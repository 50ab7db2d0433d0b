import HoldfastJSON
import HoldfastJSONSchema

/// All statements that some schemas make about one place of a value; references and `allOf` are followed.
struct SchemaView {
    /// One keyword of one of the schemas; equivalent keywords have the same color.
    struct Entry {
        let node: Int
        let index: Int
        let color: Int
        let keyword: Keyword

        var word: String { keyword.word }

        var site: SchemaSite { at(word) }

        /// A place in the schema that contains it.
        func at(_ tokens: String...) -> SchemaSite { SchemaSite(node: node, tokens: tokens) }

        /// The literals that are true if a value breaks it.
        var broken: [Literal] { [.breaks(node: node, keyword: index)] }
    }

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
        while let node = pending.popLast() {
            nodes.append(node)
            var further: [Int] = []
            for (index, keyword) in space.nodes[node].keywords.enumerated() {
                switch keyword {
                case .reference(let target):
                    if seen.insert(target).inserted { further.append(target) }
                case .allOf(let targets): further += targets.filter { seen.insert($0).inserted }
                default:
                    entries.append(
                        Entry(node: node, index: index, color: space.keywordColors[node][index], keyword: keyword))
                }
            }
            pending += further.reversed()
        }
        self.init(nodes: nodes, entries: entries, isFalse: nodes.contains { space.nodes[$0].verdict == false })
    }

    private init(nodes: [Int], entries: [Entry], isFalse: Bool) {
        (self.nodes, self.entries, self.isFalse) = (nodes, entries, isFalse)
        colors = Set(entries.map(\.color))
    }

    /// Members of `allOf` with several statements, none of which is in `other`.
    ///
    /// Members about properties are left out: comparing them in detail gives clearer findings.
    func conjuncts(missingIn other: SchemaView, _ space: SchemaSpace) -> [Int] {
        var found: [Int] = []
        for node in nodes {
            for keyword in space.nodes[node].keywords {
                guard case .allOf(let targets) = keyword else { continue }
                found += targets.filter { target in
                    let view = SchemaView([target], space)
                    return view.entries.count > 1 && view.colors.isDisjoint(with: other.colors)
                        && !view.entries.contains { ["properties", "required"].contains($0.word) }
                }
            }
        }
        return found
    }

    func without(_ member: Int, _ space: SchemaSpace) -> SchemaView {
        let gone = Set(SchemaView([member], space).nodes)
        return SchemaView(
            nodes: nodes.filter { !gone.contains($0) }, entries: entries.filter { !gone.contains($0.node) },
            isFalse: isFalse)
    }

    /// The place of the schema as a whole.
    var site: SchemaSite? { nodes.first.map { SchemaSite(node: $0) } }

    /// The entries of these keywords that `other` lacks.
    func only(_ words: Set<String>, against other: SchemaView) -> [Entry] {
        entries.filter { words.contains($0.word) && !other.colors.contains($0.color) }
    }

    /// The parts that a closure takes from keywords, each with its entry; nil skips a keyword.
    func all<Part>(_ part: (Keyword) -> Part?) -> [(entry: Entry, part: Part)] {
        entries.compactMap { entry in part(entry.keyword).map { (entry, $0) } }
    }

    var tables: [(entry: Entry, part: PropertyTable)] {
        all { if case .properties(let table) = $0 { table } else { nil } }
    }

    /// The declared names of properties, in order.
    var declared: [ExactString] {
        var seen: Set<ExactString> = []
        return tables.flatMap { $0.part.order.map { ExactString($0) } }.filter { seen.insert($0).inserted }
    }

    func members(_ name: ExactString) -> [Int] { tables.compactMap { $0.part.names[name] } }

    func site(of name: ExactString) -> SchemaSite? {
        tables.first { $0.part.names[name] != nil }?.entry.at("properties", name.string)
    }

    /// The required names, with the places that say so.
    var required: [ExactString: SchemaSite] {
        let lists = all { if case .required(let names) = $0 { names } else { nil } }
        return Dictionary(
            lists.flatMap { entry, names in names.map { (ExactString($0), entry.site) } },
            uniquingKeysWith: { first, _ in first })
    }

    /// The kinds of values that `type` allows; nil without `type`.
    var kinds: KindSet? {
        let lists = all { if case .type(let types) = $0 { KindSet(types) } else { nil } }.map(\.part)
        return lists.isEmpty ? nil : lists.reduce(.all) { $0.intersection($1) }
    }

    /// The only values that `enum` and `const` allow; nil without them.
    var fixed: [JSONValue]? {
        all(\.fixedValues).map(\.part).reduce([JSONValue]?.none) { known, list in
            known.map { $0.filter(list.contains) } ?? list
        }
    }

    /// A required member with one of a few values.
    struct Tag {
        let name: ExactString
        let values: [JSONValue]
    }

    func tags(_ space: SchemaSpace) -> [Tag] {
        required.keys.sorted().compactMap { name in
            SchemaView(members(name), space).fixed.map { Tag(name: name, values: $0) }
        }
    }
}
