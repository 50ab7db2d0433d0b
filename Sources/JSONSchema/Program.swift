import HoldfastJSON

/// A compiled schema: a flat list of nodes that refer to each other by index.
package struct Program: Sendable {
    package var nodes: [Node] = []
    package var resources: [Resource] = []
    package var root = 0

    /// The part of a schema resource that an evaluation needs.
    package struct Resource: Sendable {
        package let uri: String
        var dynamicAnchors: [String: Int] = [:]
    }

    package struct Node: Sendable {
        /// The value of a boolean schema; nil for an object.
        package var verdict: Bool?
        /// Its resource, as an index of the program.
        package let resource: Int
        /// Its place inside that resource.
        package let location: JSONPointer
        /// Its assertions and applicators, in the order in which to report faults.
        package var keywords: [Keyword] = []
        /// Whether a keyword depends on what the others evaluated.
        var hasUnevaluated = false
    }
}

/// One keyword, or several that have a meaning only together.
package enum Keyword: Sendable {
    case type(TypeSet)
    case const(JSONValue)
    case enumeration([JSONValue])
    case minimum(JSONNumber)
    case maximum(JSONNumber)
    case exclusiveMinimum(JSONNumber)
    case exclusiveMaximum(JSONNumber)
    case multipleOf(JSONNumber)
    case minLength(Int)
    case maxLength(Int)
    case pattern(Pattern)
    case format(Format)
    case minItems(Int)
    case maxItems(Int)
    case uniqueItems
    case minProperties(Int)
    case maxProperties(Int)
    case required([String])
    case dependentRequired([(key: String, names: [String])])
    case dependentSchemas(keyword: String, [(key: String, node: Int)])
    case reference(Int)
    case dynamicReference(Int, anchor: String?)
    case allOf([Int])
    case anyOf([Int], Discriminator?)
    case oneOf([Int], Discriminator?)
    case not(Int)
    case condition(test: Int, then: Int?, otherwise: Int?)
    case properties(PropertyTable)
    case propertyNames(Int)
    case items(prefix: [Int], rest: Int?)
    case contains(Int, min: Int, max: Int?)
    case unevaluatedProperties(Int)
    case unevaluatedItems(Int)
}

/// `properties`, `patternProperties` and `additionalProperties` of one schema, so that a member is looked up once.
package struct PropertyTable: Sendable {
    package var names: [ExactString: Int] = [:]
    /// The names in schema order, for suggestions.
    package var order: [String] = []
    package var patterns: [(pattern: Pattern, node: Int)] = []
    package var additional: Int?
}

package struct TypeSet: OptionSet, Sendable {
    package let rawValue: Int

    package init(rawValue: Int) { self.rawValue = rawValue }

    package static let null = TypeSet(rawValue: 1)
    package static let boolean = TypeSet(rawValue: 2)
    package static let object = TypeSet(rawValue: 4)
    package static let array = TypeSet(rawValue: 8)
    package static let number = TypeSet(rawValue: 16)
    package static let integer = TypeSet(rawValue: 32)
    package static let string = TypeSet(rawValue: 64)

    static let names: [(name: String, type: TypeSet)] = [
        ("null", .null), ("boolean", .boolean), ("object", .object), ("array", .array), ("number", .number),
        ("integer", .integer), ("string", .string),
    ]

    /// The type names, in the order of the specification.
    package var names: [String] { Self.names.filter { contains($0.type) }.map(\.name) }

    package func admits(_ value: JSONValue) -> Bool {
        switch value {
        case .null: contains(.null)
        case .bool: contains(.boolean)
        case .object: contains(.object)
        case .array: contains(.array)
        case .string: contains(.string)
        case .number(let number): contains(.number) || (contains(.integer) && number.isInteger)
        }
    }
}

extension Keyword {
    /// The nodes that apply to the same place of the instance.
    package var inPlace: [Int] {
        switch self {
        case .reference(let node), .not(let node): [node]
        case .allOf(let nodes), .anyOf(let nodes, _), .oneOf(let nodes, _): nodes
        case .condition(let test, let then, let otherwise): [test] + [then, otherwise].compactMap { $0 }
        case .dependentSchemas(_, let pairs): pairs.map(\.node)
        default: []
        }
    }
}

extension Program {
    package func accepts(_ value: JSONValue, at node: Int) -> Bool {
        var program = self
        program.root = node
        var evaluation = Evaluation(program, violationLimit: 0)
        return evaluation.run(value)
    }
}
