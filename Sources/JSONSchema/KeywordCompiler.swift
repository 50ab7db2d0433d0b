import HoldfastBasics
import HoldfastJSON

/// Compiles the keywords of one schema object, in order of evaluation: type, assertions, contents, unevaluated rest.
extension SchemaCompiler {
    mutating func read(_ next: Pending) throws(SchemaProblem) {
        guard case .object(let object) = next.value else { return }
        let node = program.nodes[next.node]
        let reader = KeywordReader(object: object, uri: program.resources[node.resource].uri, location: node.location)
        let dialect = try dialect(of: next.site)
        if unknownKeywords == .refuse {
            for name in object.keys where KeywordTable.all[name] == nil && !name.hasPrefix("x-") {
                let nearest = nearestName(to: name, among: KeywordTable.all.keys.sorted())
                throw reader.problem(.unknownKeyword(name, nearest: nearest), name)
            }
        }
        var keywords: [Keyword] = []
        if dialect.validation { keywords += try assertions(reader) }
        if let format = try format(reader, dialect) { keywords.append(.format(format)) }
        keywords += try references(reader, next)
        if dialect.applicator { keywords += try applicators(reader, next) }
        if dialect.unevaluated { keywords += try unevaluated(reader, next) }
        program.nodes[next.node].keywords = keywords
        program.nodes[next.node].hasUnevaluated =
            dialect.unevaluated
            && (object["unevaluatedItems"] != nil || object["unevaluatedProperties"] != nil)
    }

    private func assertions(_ reader: KeywordReader) throws(SchemaProblem) -> [Keyword] {
        var keywords: [Keyword] = []
        if let types = try reader.types() { keywords.append(.type(types)) }
        if let value = reader.object["const"] { keywords.append(.const(value)) }
        if let value = reader.object["enum"] {
            guard case .array(let values) = value else { throw reader.bad("enum", "a list of values") }
            keywords.append(.enumeration(values))
        }
        if let number = try reader.number("minimum") { keywords.append(.minimum(number)) }
        if let number = try reader.number("maximum") { keywords.append(.maximum(number)) }
        if let number = try reader.number("exclusiveMinimum") { keywords.append(.exclusiveMinimum(number)) }
        if let number = try reader.number("exclusiveMaximum") { keywords.append(.exclusiveMaximum(number)) }
        if let number = try reader.number("multipleOf") {
            guard number > JSONNumber(0) else { throw reader.bad("multipleOf", "a number above 0") }
            keywords.append(.multipleOf(number))
        }
        if let count = try reader.count("minLength") { keywords.append(.minLength(count)) }
        if let count = try reader.count("maxLength") { keywords.append(.maxLength(count)) }
        if let text = try reader.string("pattern") {
            keywords.append(.pattern(try pattern(text, reader, keyword: "pattern")))
        }
        if let count = try reader.count("minItems") { keywords.append(.minItems(count)) }
        if let count = try reader.count("maxItems") { keywords.append(.maxItems(count)) }
        if let value = reader.object["uniqueItems"] {
            guard case .bool(let isUnique) = value else { throw reader.bad("uniqueItems", "true or false") }
            if isUnique { keywords.append(.uniqueItems) }
        }
        if let count = try reader.count("minProperties") { keywords.append(.minProperties(count)) }
        if let count = try reader.count("maxProperties") { keywords.append(.maxProperties(count)) }
        if let value = reader.object["required"] {
            keywords.append(.required(try reader.names(value, "required")))
        }
        if let value = reader.object["dependentRequired"] {
            guard case .object(let map) = value else { throw reader.bad("dependentRequired", "lists of names by name") }
            var pairs: [(key: String, names: [String])] = []
            for (key, names) in map {
                pairs.append((key, try reader.names(names, "dependentRequired")))
            }
            keywords.append(.dependentRequired(pairs))
        }
        return keywords
    }

    private func pattern(
        _ text: String, _ reader: KeywordReader, keyword: String
    ) throws(SchemaProblem) -> Pattern {
        do {
            return try Pattern(text)
        } catch {
            throw reader.problem(.badPattern(text, reason: error.description), keyword)
        }
    }

    private func format(_ reader: KeywordReader, _ dialect: Dialect) throws(SchemaProblem) -> Format? {
        guard let name = try reader.string("format") else { return nil }
        let format = Format(rawValue: name)
        if format == nil, unknownKeywords == .refuse, !Format.uncheckedNames.contains(name) {
            let nearest = nearestName(to: name, among: Format.allCases.map(\.rawValue))
            throw reader.problem(.unknownFormat(name, nearest: nearest), "format")
        }
        return formats == .assert || dialect.assertsFormat ? format : nil
    }

    private mutating func references(_ reader: KeywordReader, _ next: Pending) throws(SchemaProblem) -> [Keyword] {
        var keywords: [Keyword] = []
        if let reference = try reader.string("$ref") {
            references[next.node] = reference
            let (site, value) = try resolve(reference, from: reader.uri, at: reader.location.appending("$ref"))
            keywords.append(.reference(try node(for: value, at: site)))
        }
        if let reference = try reader.string("$dynamicRef") {
            let (site, value) = try resolve(reference, from: reader.uri, at: reader.location.appending("$dynamicRef"))
            let target = try node(for: value, at: site)
            // It is dynamic only if its fragment names a dynamic anchor.
            let name = URIReference(reference).fragment.flatMap { URIReference.unescaped($0) } ?? ""
            let anchors = program.resources[program.nodes[target].resource].dynamicAnchors
            keywords.append(.dynamicReference(target, anchor: anchors[name] == target ? name : nil))
        }
        return keywords
    }

    private mutating func applicators(_ reader: KeywordReader, _ next: Pending) throws(SchemaProblem) -> [Keyword] {
        var keywords: [Keyword] = []
        if let nodes = try list("allOf", reader, next) { keywords.append(.allOf(nodes)) }
        if let table = try propertyTable(reader, next) { keywords.append(.properties(table)) }
        if let node = try single("propertyNames", reader, next) { keywords.append(.propertyNames(node)) }
        let prefix = try list("prefixItems", reader, next)
        let rest = try single("items", reader, next)
        if prefix != nil || rest != nil { keywords.append(.items(prefix: prefix ?? [], rest: rest)) }
        let min = try reader.count("minContains")
        let max = try reader.count("maxContains")
        if let node = try single("contains", reader, next) { keywords.append(.contains(node, min: min ?? 1, max: max)) }
        if let nodes = try list("anyOf", reader, next) { keywords.append(.anyOf(nodes, nil)) }
        if let nodes = try list("oneOf", reader, next) { keywords.append(.oneOf(nodes, nil)) }
        if let node = try single("not", reader, next) { keywords.append(.not(node)) }
        let then = try single("then", reader, next)
        let otherwise = try single("else", reader, next)
        if let test = try single("if", reader, next) {
            keywords.append(.condition(test: test, then: then, otherwise: otherwise))
        }
        if let pairs = try map("dependentSchemas", reader, next) {
            keywords.append(.dependentSchemas(keyword: "dependentSchemas", pairs))
        }
        if unknownKeywords == .ignore { keywords += try dependencies(reader, next) }
        return keywords
    }

    /// The old keyword `dependencies`, which the specification permits for compatibility.
    private mutating func dependencies(_ reader: KeywordReader, _ next: Pending) throws(SchemaProblem) -> [Keyword] {
        guard case .object(let map) = reader.object["dependencies"] else { return [] }
        var names: [(key: String, names: [String])] = []
        var schemas: [(key: String, node: Int)] = []
        for (key, value) in map {
            if case .array = value {
                names.append((key, try reader.names(value, "dependencies")))
            } else {
                schemas.append((key, try child(value, ["dependencies", key], next)))
            }
        }
        return [.dependentRequired(names), .dependentSchemas(keyword: "dependencies", schemas)]
    }

    private mutating func propertyTable(
        _ reader: KeywordReader, _ next: Pending
    ) throws(SchemaProblem) -> PropertyTable? {
        let properties = try map("properties", reader, next)
        let patterns = try map("patternProperties", reader, next)
        let additional = try single("additionalProperties", reader, next)
        guard properties != nil || patterns != nil || additional != nil else { return nil }
        var table = PropertyTable()
        for (name, node) in properties ?? [] {
            table.names[ExactString(name)] = node
            table.order.append(name)
        }
        for (text, node) in patterns ?? [] {
            table.patterns.append((try pattern(text, reader, keyword: "patternProperties"), node))
        }
        table.additional = additional
        return table
    }

    private mutating func unevaluated(_ reader: KeywordReader, _ next: Pending) throws(SchemaProblem) -> [Keyword] {
        var keywords: [Keyword] = []
        if let node = try single("unevaluatedItems", reader, next) { keywords.append(.unevaluatedItems(node)) }
        if let node = try single("unevaluatedProperties", reader, next) {
            keywords.append(.unevaluatedProperties(node))
        }
        return keywords
    }

    private mutating func single(
        _ keyword: String, _ reader: KeywordReader, _ next: Pending
    ) throws(SchemaProblem) -> Int? {
        guard let value = reader.object[keyword] else { return nil }
        return try child(value, [keyword], next)
    }

    private mutating func list(
        _ keyword: String, _ reader: KeywordReader, _ next: Pending
    ) throws(SchemaProblem) -> [Int]? {
        guard let value = reader.object[keyword] else { return nil }
        guard case .array(let values) = value, !values.isEmpty else {
            throw reader.bad(keyword, "a list of at least one schema")
        }
        var nodes: [Int] = []
        for (index, value) in values.enumerated() {
            nodes.append(try child(value, [keyword, String(index)], next))
        }
        return nodes
    }

    private mutating func map(
        _ keyword: String, _ reader: KeywordReader, _ next: Pending
    ) throws(SchemaProblem) -> [(key: String, node: Int)]? {
        guard let value = reader.object[keyword] else { return nil }
        guard case .object(let object) = value else { throw reader.bad(keyword, "schemas by name") }
        var nodes: [(key: String, node: Int)] = []
        for (key, value) in object {
            nodes.append((key, try child(value, [keyword, key], next)))
        }
        return nodes
    }

    private mutating func child(
        _ value: JSONValue, _ tokens: [String], _ next: Pending
    ) throws(SchemaProblem) -> Int {
        let pointer = JSONPointer(tokens: next.site.pointer.tokens + tokens)
        let owner = registry.resource(of: next.site.pointer, in: next.site.document)
        return try node(for: value, at: Site(document: next.site.document, pointer: pointer), inside: owner)
    }
}
