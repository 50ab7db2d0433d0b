import HoldfastJSON

/// Compiles schemas into a ``Program``; resolves all references and checks all keywords, so that nothing fails later.
struct SchemaCompiler {
    struct Site: Hashable {
        let document: Int
        let pointer: JSONPointer
    }

    /// A schema that has a node but is not read yet.
    struct Pending {
        let node: Int
        let value: JSONValue
        let site: Site
    }

    var registry: SchemaRegistry
    let formats: FormatMode
    let unknownKeywords: UnknownKeywordMode
    var program = Program()
    /// References by their node, for problem messages.
    var references: [Int: String] = [:]
    private var nodeBySite: [Site: Int] = [:]
    private var pending: [Pending] = []
    private var resourceByIndex: [Int: Int] = [:]
    private var dialects: [String: Dialect] = [Metaschemas.standard: .standard]

    init(registry: SchemaRegistry, formats: FormatMode, unknownKeywords: UnknownKeywordMode) {
        (self.registry, self.formats, self.unknownKeywords) = (registry, formats, unknownKeywords)
    }

    mutating func compile(_ uri: String) throws(SchemaProblem) -> Program {
        let (site, value) = try resolve(uri, from: nil, at: JSONPointer())
        program.root = try node(for: value, at: site)
        // An explicit stack: schemas may be deep, and chains of references long.
        while let next = pending.popLast() {
            try read(next)
        }
        try refuseEndlessReferences()
        findDiscriminators()
        return program
    }

    /// The node of a schema, created if it is new.
    mutating func node(for value: JSONValue, at site: Site, inside resource: Int? = nil) throws(SchemaProblem) -> Int {
        if let known = nodeBySite[site] { return known }
        // Inside a resource, only a schema with an identifier can start another one.
        let owner: Int
        if let resource, value["$id"] == nil {
            owner = resource
        } else {
            owner = registry.resource(of: site.pointer, in: site.document) ?? 0
        }
        let resource = try enter(owner)
        // Entering the resource may have created this node through its dynamic anchor.
        if let known = nodeBySite[site] { return known }
        let root = registry.resources[owner].root
        let location = JSONPointer(tokens: Array(site.pointer.tokens.dropFirst(root.tokens.count)))
        let node = program.nodes.count
        program.nodes.append(Program.Node(resource: resource, location: location))
        nodeBySite[site] = node
        switch value {
        case .bool(let verdict): program.nodes[node].verdict = verdict
        case .object: pending.append(Pending(node: node, value: value, site: site))
        default:
            throw SchemaProblem(
                .notASchema(found: Excerpt.of(value)), in: program.resources[resource].uri, at: location)
        }
        return node
    }

    /// Adds a resource to the program, with all its dynamic anchors, since any of them may be in scope later.
    private mutating func enter(_ index: Int) throws(SchemaProblem) -> Int {
        if let known = resourceByIndex[index] { return known }
        let resource = registry.resources[index]
        let position = program.resources.count
        program.resources.append(Program.Resource(uri: resource.uri))
        resourceByIndex[index] = position
        for name in resource.dynamicAnchors.sorted() {
            guard let pointer = resource.anchors[name], let value = registry.documents[resource.document][pointer]
            else { continue }
            let site = Site(document: resource.document, pointer: pointer)
            program.resources[position].dynamicAnchors[name] = try node(for: value, at: site)
        }
        return position
    }

    func resolve(
        _ reference: String, from uri: String?, at location: JSONPointer
    ) throws(SchemaProblem) -> (Site, JSONValue) {
        var target = URIReference(reference)
        if let uri { target = target.resolved(against: URIReference(uri)) }
        let fragment = target.fragment ?? ""
        target.fragment = nil
        func problem(_ reason: String) -> SchemaProblem {
            SchemaProblem(.unresolved(reference, reason: reason), in: uri ?? "", at: location)
        }
        guard let index = registry.resource(at: target.text) else {
            throw problem("no schema is registered as '\(target.text)'")
        }
        let resource = registry.resources[index]
        guard let name = URIReference.unescaped(fragment) else {
            throw problem("its fragment has a broken percent escape")
        }
        var pointer = resource.root
        if name.hasPrefix("/") {
            guard let path = JSONPointer(name) else { throw problem("its fragment is not a JSON pointer") }
            pointer = pointer.appending(path)
        } else if !name.isEmpty {
            guard let anchor = resource.anchors[name] else { throw problem("there is no anchor '\(name)'") }
            pointer = anchor
        }
        guard let value = registry.documents[resource.document][pointer] else {
            throw problem("there is nothing at '\(name)'")
        }
        return (Site(document: resource.document, pointer: pointer), value)
    }

    mutating func dialect(of site: Site) throws(SchemaProblem) -> Dialect {
        guard let index = registry.resource(of: site.pointer, in: site.document) else { return .standard }
        let resource = registry.resources[index]
        if let known = dialects[resource.dialect] { return known }
        guard let position = registry.resource(at: resource.dialect) else {
            throw SchemaProblem(
                .unknownDialect(resource.dialect), in: resource.uri, at: JSONPointer(tokens: ["$schema"]))
        }
        let metaschema = registry.resources[position]
        let value = registry.documents[metaschema.document][metaschema.root] ?? .bool(true)
        let dialect = try Dialect(metaschema: value, uri: metaschema.uri)
        dialects[resource.dialect] = dialect
        return dialect
    }

    /// Rejects cycles of schemas that all apply to the same place of the instance.
    private func refuseEndlessReferences() throws(SchemaProblem) {
        let edges = program.nodes.map { $0.keywords.flatMap(\.inPlace) }
        var isDone = [Bool](repeating: false, count: edges.count)
        var isOpen = isDone
        for start in edges.indices where !isDone[start] {
            var path = [(node: start, next: 0)]
            isOpen[start] = true
            while let top = path.last {
                guard top.next < edges[top.node].count else {
                    isOpen[top.node] = false
                    isDone[top.node] = true
                    path.removeLast()
                    continue
                }
                path[path.count - 1].next += 1
                let target = edges[top.node][top.next]
                if isOpen[target] {
                    let node = path.last { references[$0.node] != nil }?.node ?? target
                    throw SchemaProblem(
                        .endless(references[node] ?? ""), in: program.resources[program.nodes[node].resource].uri,
                        at: program.nodes[node].location)
                }
                guard !isDone[target] else { continue }
                isOpen[target] = true
                path.append((target, 0))
            }
        }
    }
}
