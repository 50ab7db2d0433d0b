import HoldfastJSON

/// The keywords that a schema resource understands, from the vocabularies of its metaschema.
struct Dialect: Sendable, Hashable {
    var applicator = true
    var unevaluated = true
    var validation = true
    /// Whether `format` is an assertion, whatever the caller requested.
    var assertsFormat = false

    static let standard = Dialect()

    private static let prefix = "https://json-schema.org/draft/2020-12/vocab/"

    /// Reads the `$vocabulary` of a metaschema; without one, all standard vocabularies apply.
    init(metaschema: JSONValue, uri: String) throws(SchemaProblem) {
        guard let vocabularies = metaschema["$vocabulary"]?.objectValue else {
            self = .standard
            return
        }
        applicator = false
        unevaluated = false
        validation = false
        for (name, isRequired) in vocabularies {
            switch name {
            case Self.prefix + "applicator": applicator = true
            case Self.prefix + "unevaluated": unevaluated = true
            case Self.prefix + "validation": validation = true
            case Self.prefix + "format-assertion": assertsFormat = true
            case Self.prefix + "core", Self.prefix + "meta-data", Self.prefix + "format-annotation",
                Self.prefix + "content":
                break
            default:
                if isRequired.boolValue == true {
                    throw SchemaProblem(.unknownVocabulary(name), in: uri, at: JSONPointer(tokens: ["$vocabulary"]))
                }
            }
        }
    }

    private init() {}
}
