import HoldfastJSON

/// The schemas that may be referenced, by URI; it always includes the metaschemas of draft 2020-12.
public struct SchemaRegistry: Sendable {
    /// Whole documents, as added.
    private(set) var documents: [JSONValue] = []
    /// Schema resources: documents, and parts of them with their own `$id`.
    private(set) var resources: [SchemaResource] = []
    private var resourceByURI: [String: Int] = [:]

    /// The registry that every other one starts from.
    private static let metaschemas: SchemaRegistry = {
        var registry = SchemaRegistry(empty: ())
        for schema in Metaschemas.all {
            // If a metaschema could not be read, it would be reported by name as an unresolved reference.
            _ = try? registry.include(schema, at: schema["$id"]?.stringValue ?? "")
        }
        return registry
    }()

    /// A registry with only the metaschemas.
    public init() { self = Self.metaschemas }

    private init(empty: ()) {}

    /// Adds a schema under its retrieval URI; references also find it, and its parts, by `$id`.
    ///
    /// Adding an equal schema again changes nothing.
    /// - Throws: ``SchemaProblem`` if the URI is relative or has a fragment, is taken by a different schema, or the
    ///   schema's own identifiers contradict each other.
    public mutating func add(_ schema: JSONValue, at uri: String) throws(SchemaProblem) {
        let reference = URIReference(uri)
        guard reference.scheme != nil, (reference.fragment ?? "").isEmpty else {
            throw SchemaProblem(.badURI(uri, expected: "an absolute URI without fragment"), in: uri)
        }
        try include(schema, at: uri)
    }

    /// The URIs of all resources, sorted.
    public var uris: [String] { resourceByURI.keys.sorted() }

    /// Adds a document under any URI, even a relative one; returns its root resource.
    @discardableResult
    mutating func include(_ schema: JSONValue, at uri: String) throws(SchemaProblem) -> Int {
        let base = Self.withoutFragment(uri)
        if let known = resourceByURI[base] {
            let resource = resources[known]
            guard resource.root.isRoot, documents[resource.document] == schema else {
                throw SchemaProblem(.duplicate(uri), in: uri)
            }
            return known
        }
        var scan = ResourceScan(document: documents.count, base: base)
        try scan.walk(schema)
        documents.append(schema)
        let first = resources.count
        for resource in scan.resources {
            for name in resource.uris {
                guard resourceByURI.updateValue(resources.count, forKey: name) == nil else {
                    throw SchemaProblem(.duplicate(name), in: uri, at: resource.root)
                }
            }
            resources.append(resource)
        }
        return first
    }

    /// The resource with a URI without fragment.
    func resource(at uri: String) -> Int? { resourceByURI[uri] }

    /// The innermost resource that contains a place in a document.
    func resource(of pointer: JSONPointer, in document: Int) -> Int? {
        resources.indices
            .filter { resources[$0].document == document && pointer.starts(with: resources[$0].root) }
            .max { resources[$0].root.tokens.count < resources[$1].root.tokens.count }
    }

    static func withoutFragment(_ uri: String) -> String {
        var reference = URIReference(uri)
        reference.fragment = nil
        return reference.text
    }
}

/// The metaschemas of JSON Schema 2020-12, as published by the JSON Schema organization.
enum Metaschemas {
    /// The default dialect.
    static let standard = "https://json-schema.org/draft/2020-12/schema"

    static let all: [JSONValue] = [
        PackageResources.schema_json,
        PackageResources.applicator_json,
        PackageResources.content_json,
        PackageResources.core_json,
        PackageResources.format_annotation_json,
        PackageResources.format_assertion_json,
        PackageResources.meta_data_json,
        PackageResources.unevaluated_json,
        PackageResources.validation_json,
    ].compactMap { try? JSONParser.value(bytes: $0) }
}
