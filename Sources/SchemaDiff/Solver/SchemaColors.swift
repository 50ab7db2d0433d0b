import HoldfastJSON
import HoldfastJSONSchema

/// Gives equivalent schemas the same color, by splitting classes until their members cannot be distinguished.
enum SchemaColors {
    /// The color of each node and of each of its keywords.
    static func of(_ nodes: [Program.Node]) -> (nodes: [Int], keywords: [[Int]]) {
        // A node that is only a reference means the same as its target.
        let representative = nodes.indices.map { follow($0, in: nodes) }
        let plain = nodes.indices.map { node in nodes[node].keywords.map { Self.plain($0, at: node) } }
        var colors = [Int](repeating: 0, count: nodes.count)
        var count = 0
        while true {
            var keywordTable: [KeywordKey: Int] = [:]
            let keywordColors = nodes.indices.map { node in
                nodes[node].keywords.indices.map { index in
                    keywordTable.number(
                        of: KeywordKey(
                            plain: plain[node][index],
                            schemas: schemas(in: nodes[node].keywords[index]) { colors[representative[$0]] }))
                }
            }
            var nodeTable: [NodeKey: Int] = [:]
            let own = nodes.indices.map { node in
                nodeTable.number(
                    of: NodeKey(
                        before: colors[node], verdict: nodes[node].verdict,
                        keywords: representative[node] == node
                            ? Set(keywordColors[node]) : [-1, colors[representative[node]]]))
            }
            // A reference has the color of its target.
            colors = representative.map { own[$0] }
            let distinct = Set(colors).count
            if distinct == count { return (colors, keywordColors) }
            count = distinct
        }
    }

    private struct KeywordKey: Hashable {
        let plain: [JSONValue]
        let schemas: Schemas
    }

    private struct NodeKey: Hashable {
        let before: Int
        let verdict: Bool?
        let keywords: Set<Int>
    }

    /// The colors of the schemas in a keyword, in order if their order matters.
    private enum Schemas: Hashable {
        case set(Set<Int>)
        case list([Int], rest: Int? = nil)
        case named([ExactString: Int], patterns: [ExactString: Int] = [:], rest: Int? = nil)
    }

    /// The end of a chain of schemas that are only references.
    static func follow(_ node: Int, in nodes: [Program.Node]) -> Int {
        var node = node
        for _ in 0..<nodes.count {
            guard nodes[node].keywords.count == 1, nodes[node].verdict == nil,
                case .reference(let target) = nodes[node].keywords[0]
            else { break }
            node = target
        }
        return node
    }

    private static func schemas(in keyword: Keyword, _ color: (Int) -> Int) -> Schemas {
        func named(_ pairs: [(String, Int)]) -> [ExactString: Int] {
            Dictionary(pairs.map { (ExactString($0), color($1)) }, uniquingKeysWith: { $1 })
        }
        switch keyword {
        case .reference(let node): return .set([color(node)])
        case .allOf(let nodes), .anyOf(let nodes, _): return .set(Set(nodes.map(color)))
        case .oneOf(let nodes, _): return .list(nodes.map(color).sorted())
        case .properties(let table):
            return .named(
                table.names.mapValues(color), patterns: named(table.patterns.map { ($0.pattern.text, $0.node) }),
                rest: table.additional.map(color))
        case .items(let prefix, let rest): return .list(prefix.map(color), rest: rest.map(color))
        case .condition(let test, let then, let otherwise):
            return .list([test, then, otherwise].map { $0.map(color) ?? -1 })
        case .dependentSchemas(_, let pairs): return .named(named(pairs.map { ($0.key, $0.node) }))
        case .not(let node), .propertyNames(let node), .contains(let node, _, _), .unevaluatedProperties(let node),
            .unevaluatedItems(let node), .dynamicReference(let node, _):
            return .list([color(node)])
        default: return .list([])
        }
    }

    /// The keyword's name, the same for synonyms, and its contents besides schemas.
    private static func plain(_ keyword: Keyword, at location: Int) -> [JSONValue] {
        // The order of a list that is a set has no meaning.
        func names(_ names: [String]) -> JSONValue {
            .array(names.sorted { ExactString($0) < ExactString($1) }.map { .string($0) })
        }
        let word = JSONValue.string(keyword.word)
        switch keyword {
        case .type(let types): return [word, JSONValue(KindSet(types).rawValue)]
        case .const, .enumeration:
            let values = Set(keyword.fixedValues ?? [])
            return ["enum", .array(values.sorted { $0.text(sortedKeys: true) < $1.text(sortedKeys: true) })]
        case .minimum(let value), .maximum(let value), .exclusiveMinimum(let value), .exclusiveMaximum(let value),
            .multipleOf(let value):
            return [word, .number(value)]
        case .minLength(let count), .maxLength(let count), .minItems(let count), .maxItems(let count),
            .minProperties(let count), .maxProperties(let count):
            return [word, JSONValue(count)]
        case .pattern(let pattern): return [word, .string(pattern.text)]
        case .format(let format): return [word, .string(format.rawValue)]
        case .required(let list): return [word, names(list)]
        case .dependentRequired(let pairs):
            return [word, .object(JSONObject(pairs.map { (key: $0.key, value: names($0.names)) }))]
        case .contains(_, let min, let max): return [word, JSONValue(min), max.map { JSONValue($0) } ?? .null]
        // The target of a dynamic anchor depends on the path to it, so no two of them are known to be equivalent.
        case .dynamicReference(_, let anchor): return [word, anchor == nil ? .null : JSONValue(location)]
        case .reference: return ["allOf"]
        default: return [word]
        }
    }
}

extension Dictionary where Value == Int {
    /// The number under a key; a new key gets the next one.
    fileprivate mutating func number(of key: Key) -> Int {
        if let known = self[key] { return known }
        let next = count
        self[key] = next
        return next
    }
}
