import HoldfastJSON

/// A schema with its own URI: the root of a document, or a part with an `$id`.
struct SchemaResource: Sendable {
    /// All its URIs; the first one is its base URI.
    var uris: [String]
    /// Its document, as an index of the registry.
    let document: Int
    /// Its start in the document.
    let root: JSONPointer
    /// Its `$schema`, possibly inherited from the resource around it.
    var dialect: String
    /// Places in the document by anchor name, dynamic or not.
    var anchors: [String: JSONPointer] = [:]
    var dynamicAnchors: Set<String> = []

    var uri: String { uris[0] }
}

/// Finds the resources and anchors of a document by visiting only the places of schemas: an `$id` inside `const` or an
/// unknown keyword is data.
struct ResourceScan {
    let document: Int
    private(set) var resources: [SchemaResource]

    init(document: Int, base: String) {
        self.document = document
        resources = [
            SchemaResource(uris: [base], document: document, root: JSONPointer(), dialect: Metaschemas.standard)
        ]
    }

    mutating func walk(_ root: JSONValue) throws(SchemaProblem) {
        var pending = [(schema: root, site: JSONPointer(), resource: 0)]
        while let next = pending.popLast() {
            guard case .object(let object) = next.schema else { continue }
            let resource = try enter(object, at: next.site, from: next.resource)
            for (keyword, value) in object {
                guard let shape = KeywordTable.all[keyword] ?? Self.legacyShapes[keyword] else { continue }
                let schemas = shape.schemas(in: value, at: next.site.appending(keyword))
                pending += schemas.map { ($0.schema, $0.location, resource) }
            }
        }
    }

    /// Keywords of earlier drafts that still contain schemas if unknown keywords are ignored.
    private static let legacyShapes: [String: KeywordTable.Shape] = [
        "definitions": .schemaMap, "dependencies": .schemaMap,
    ]

    /// Registers the identifiers of one schema; returns its resource.
    private mutating func enter(
        _ object: JSONObject, at site: JSONPointer, from outer: Int
    ) throws(SchemaProblem) -> Int {
        var resource = outer
        if case .string(let id) = object["$id"] {
            resource = try identify(id, at: site, from: outer)
        }
        if case .string(let dialect) = object["$schema"] {
            resources[resource].dialect = SchemaRegistry.withoutFragment(dialect)
        }
        for keyword in ["$anchor", "$dynamicAnchor"] {
            guard case .string(let name) = object[keyword] else { continue }
            if let taken = resources[resource].anchors.updateValue(site, forKey: name), taken != site {
                throw SchemaProblem(.duplicate("#" + name), in: resources[resource].uri, at: site)
            }
            if keyword == "$dynamicAnchor" { resources[resource].dynamicAnchors.insert(name) }
        }
        return resource
    }

    private mutating func identify(
        _ id: String, at site: JSONPointer, from outer: Int
    ) throws(SchemaProblem) -> Int {
        let reference = URIReference(id)
        guard (reference.fragment ?? "").isEmpty else {
            throw SchemaProblem(
                .badURI(id, expected: "a URI reference without fragment; '$anchor' names a place"),
                in: resources[outer].uri, at: site.appending("$id"))
        }
        var resolved = reference.resolved(against: URIReference(resources[outer].uri))
        resolved.fragment = nil
        let uri = resolved.text
        if site.isRoot {
            // The document keeps its retrieval URI as a second name.
            if resources[0].uris[0] != uri { resources[0].uris.insert(uri, at: 0) }
            return 0
        }
        guard !resources.contains(where: { $0.uris.contains(uri) }) else {
            throw SchemaProblem(.duplicate(uri), in: resources[outer].uri, at: site)
        }
        resources.append(
            SchemaResource(uris: [uri], document: document, root: site, dialect: resources[outer].dialect))
        return resources.count - 1
    }
}
