import HoldfastJSON
import HoldfastJSONSchema

/// The compiled schemas of both sides in one list, so that schemas of either side can be combined.
///
/// Equivalent schemas have one color, whatever their names and places.
struct SchemaSpace: Sendable {
    static let old = 0
    static let new = 1

    let nodes: [Program.Node]
    let roots: [Int]
    private let programs: [Program]
    private let offset: Int
    /// The meaning of a schema as a number: equal for equivalent schemas.
    let colors: [Int]
    /// The same for each of its keywords.
    let keywordColors: [[Int]]

    init(old: Program, new: Program) {
        programs = [old, new]
        let offset = old.nodes.count
        self.offset = offset
        nodes =
            old.nodes
            + new.nodes.map { node in
                var node = node
                node.keywords = node.keywords.map { $0.moved(by: offset) }
                return node
            }
        roots = [old.root, new.root + offset]
        (colors, keywordColors) = SchemaColors.of(nodes)
    }

    func side(_ node: Int) -> Int { node < offset ? Self.old : Self.new }

    /// The place of a schema in the program of its side.
    func local(_ node: Int) -> Int { node < offset ? node : node - offset }

    /// The schema with content: a reference has the color of its target.
    func target(of node: Int) -> Int { SchemaColors.follow(node, in: nodes) }

    /// Whether two lists of schemas have the same meaning.
    func areSame(_ one: [Int], _ other: [Int]) -> Bool {
        Set(one.map { colors[$0] }) == Set(other.map { colors[$0] })
    }

    /// Whether a value is valid under a schema, by the validator.
    func accepts(_ value: JSONValue, at node: Int) -> Bool { programs[side(node)].accepts(value, at: local(node)) }

    /// Every member to which schemas of a side give a meaning; a member that is never valid has none.
    func names(on side: Int) -> Set<ExactString> {
        var names: Set<ExactString> = []
        for node in nodes.indices where self.side(node) == side {
            for case .properties(let table) in nodes[node].keywords {
                names.formUnion(table.names.filter { nodes[$0.value].verdict != false }.keys)
            }
        }
        return names
    }

    func uri(_ node: Int) -> String { programs[side(node)].resources[nodes[node].resource].uri }

    func location(_ site: SchemaSite) -> JSONPointer {
        nodes[site.node].location.appending(JSONPointer(tokens: site.tokens))
    }
}

/// A keyword, or a part of one, of one schema.
struct SchemaSite: Sendable, Hashable {
    let node: Int
    var tokens: [String] = []
}

extension Keyword {
    /// The same keyword, with its schemas moved on in the list.
    fileprivate func moved(by offset: Int) -> Keyword {
        func all(_ nodes: [Int]) -> [Int] { nodes.map { $0 + offset } }
        func some(_ node: Int?) -> Int? { node.map { $0 + offset } }
        switch self {
        case .dependentSchemas(let keyword, let pairs):
            return .dependentSchemas(keyword: keyword, pairs.map { ($0.key, $0.node + offset) })
        case .reference(let node): return .reference(node + offset)
        case .dynamicReference(let node, let anchor): return .dynamicReference(node + offset, anchor: anchor)
        case .allOf(let nodes): return .allOf(all(nodes))
        case .anyOf(let nodes, let discriminator): return .anyOf(all(nodes), discriminator)
        case .oneOf(let nodes, let discriminator): return .oneOf(all(nodes), discriminator)
        case .not(let node): return .not(node + offset)
        case .condition(let test, let then, let otherwise):
            return .condition(test: test + offset, then: some(then), otherwise: some(otherwise))
        case .properties(var table):
            table.names = table.names.mapValues { $0 + offset }
            table.patterns = table.patterns.map { ($0.pattern, $0.node + offset) }
            table.additional = some(table.additional)
            return .properties(table)
        case .propertyNames(let node): return .propertyNames(node + offset)
        case .items(let prefix, let rest): return .items(prefix: all(prefix), rest: some(rest))
        case .contains(let node, let min, let max): return .contains(node + offset, min: min, max: max)
        case .unevaluatedProperties(let node): return .unevaluatedProperties(node + offset)
        case .unevaluatedItems(let node): return .unevaluatedItems(node + offset)
        default: return self
        }
    }
}
