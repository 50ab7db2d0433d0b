import JSON
import JSONSchema

/// Gives schemas that say the same the same colour, by splitting classes until nothing tells their members apart.
enum SchemaColors {
    /// The colour of each node and of each of its keywords.
    static func of(_ nodes: [Program.Node]) -> (nodes: [Int], keywords: [[Int]]) {
        // A node that only refers says what its target says.
        let representative = nodes.indices.map { follow($0, in: nodes) }
        let plain = nodes.indices.map { node in nodes[node].keywords.map { local($0, at: node) } }
        var colors = [Int](repeating: 0, count: nodes.count)
        var keywordColors: [[Int]] = []
        var count = 0
        while true {
            var keywordTable: [KeywordKey: Int] = [:]
            keywordColors = nodes.indices.map { node in
                nodes[node].keywords.indices.map { index in
                    let key = KeywordKey(
                        local: plain[node][index],
                        targets: shape(nodes[node].keywords[index]) { colors[representative[$0]] })
                    return keywordTable[key, default: keywordTable.count]
                        .stored(in: &keywordTable, for: key)
                }
            }
            var nodeTable: [NodeKey: Int] = [:]
            var next = colors
            for node in nodes.indices {
                let key = NodeKey(
                    before: colors[node], verdict: nodes[node].verdict,
                    keywords: representative[node] == node
                        ? Set(keywordColors[node]) : [-1, colors[representative[node]]])
                next[node] = nodeTable[key, default: nodeTable.count].stored(in: &nodeTable, for: key)
            }
            // A reference has the colour of its target.
            for node in nodes.indices { next[node] = next[representative[node]] }
            let distinct = Set(next).count
            colors = next
            if distinct == count { return (colors, keywordColors) }
            count = distinct
        }
    }

    private struct KeywordKey: Hashable {
        let local: [JSONValue]
        let targets: [Shape]
    }

    private struct NodeKey: Hashable {
        let before: Int
        let verdict: Bool?
        let keywords: Set<Int>
    }

    /// What stands in a keyword beside the order of its schemas.
    private enum Shape: Hashable {
        case one(Int)
        case any(Set<Int>)
        case counted([Int])
        case named([ExactString: Int], patterns: [ExactString: Int], rest: Int?)
        case list([Int], rest: Int?)
    }

    /// The end of a chain of schemas that do nothing but refer.
    static func follow(_ node: Int, in nodes: [Program.Node]) -> Int {
        var node = node
        for _ in 0..<nodes.count {
            guard nodes[node].keywords.count == 1, nodes[node].verdict == nil else { break }
            if case .reference(let target) = nodes[node].keywords[0] { node = target } else { break }
        }
        return node
    }

    private static func shape(_ keyword: Keyword, _ color: (Int) -> Int) -> [Shape] {
        switch keyword {
        case .reference(let node): [.any([color(node)])]
        case .allOf(let nodes): [.any(Set(nodes.map(color)))]
        case .anyOf(let nodes, _): [.any(Set(nodes.map(color)))]
        case .oneOf(let nodes, _): [.counted(nodes.map(color).sorted())]
        case .properties(let table):
            [
                .named(
                    table.names.mapValues(color),
                    patterns: Dictionary(
                        table.patterns.map { (ExactString($0.pattern.text), color($0.node)) }, uniquingKeysWith: { $1 }),
                    rest: table.additional.map(color))
            ]
        case .items(let prefix, let rest): [.list(prefix.map(color), rest: rest.map(color))]
        case .condition(let test, let then, let otherwise):
            [.one(color(test)), .one(then.map(color) ?? -1), .one(otherwise.map(color) ?? -1)]
        case .dependentSchemas(_, let pairs):
            [
                .named(
                    Dictionary(pairs.map { (ExactString($0.key), color($0.node)) }, uniquingKeysWith: { $1 }),
                    patterns: [:],
                    rest: nil)
            ]
        default: keyword.targets.map { .one(color($0)) }
        }
    }

    /// The keyword's name and what it holds beside schemas.
    private static func local(_ keyword: Keyword, at place: Int) -> [JSONValue] {
        func number(_ name: String, _ number: JSONNumber) -> [JSONValue] { [.string(name), .number(number)] }
        func count(_ name: String, _ count: Int) -> [JSONValue] { [.string(name), JSONValue(count)] }
        // A list that is a set reads the same in any order.
        func names(_ names: [String]) -> JSONValue {
            .array(names.sorted { ExactString($0) < ExactString($1) }.map { .string($0) })
        }
        switch keyword {
        case .type(let types): return count("type", KindSet(types).rawValue)
        case .const(let value): return ["enum", .array([value])]
        case .enumeration(let values):
            return [
                "enum", .array(Array(Set(values)).sorted { $0.text(sortedKeys: true) < $1.text(sortedKeys: true) }),
            ]
        case .minimum(let value): return number("minimum", value)
        case .maximum(let value): return number("maximum", value)
        case .exclusiveMinimum(let value): return number("exclusiveMinimum", value)
        case .exclusiveMaximum(let value): return number("exclusiveMaximum", value)
        case .multipleOf(let value): return number("multipleOf", value)
        case .minLength(let value): return count("minLength", value)
        case .maxLength(let value): return count("maxLength", value)
        case .pattern(let pattern): return ["pattern", .string(pattern.text)]
        case .format(let format): return ["format", .string(format.rawValue)]
        case .minItems(let value): return count("minItems", value)
        case .maxItems(let value): return count("maxItems", value)
        case .uniqueItems: return ["uniqueItems"]
        case .minProperties(let value): return count("minProperties", value)
        case .maxProperties(let value): return count("maxProperties", value)
        case .required(let list): return ["required", names(list)]
        case .dependentRequired(let pairs):
            let object = JSONObject(pairs.map { (key: $0.key, value: names($0.names)) })
            return ["dependentRequired", .object(object)]
        case .contains(_, let min, let max): return ["contains", JSONValue(min), max.map { JSONValue($0) } ?? .null]
        // What a dynamic anchor leads to depends on the way here: no two of them are known to say the same.
        case .dynamicReference(_, let anchor): return ["$dynamicRef", anchor == nil ? .null : JSONValue(place)]
        case .dependentSchemas: return ["dependentSchemas"]
        case .reference: return ["allOf"]
        case .allOf: return ["allOf"]
        case .anyOf: return ["anyOf"]
        case .oneOf: return ["oneOf"]
        case .not: return ["not"]
        case .condition: return ["if"]
        case .properties: return ["properties"]
        case .propertyNames: return ["propertyNames"]
        case .items: return ["items"]
        case .unevaluatedProperties: return ["unevaluatedProperties"]
        case .unevaluatedItems: return ["unevaluatedItems"]
        }
    }
}

extension Int {
    /// Remembers the number under a key and gives it back.
    fileprivate func stored<Key>(in table: inout [Key: Int], for key: Key) -> Int {
        table[key] = self
        return self
    }
}
