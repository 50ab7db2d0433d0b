import HoldfastJSON

/// The schemas that describe JSON Schema 2020-12 itself, as published by the JSON Schema organisation.
enum Metaschemas {
    /// The dialect every schema has that names no other.
    static let standard = "https://json-schema.org/draft/2020-12/schema"

    /// All of them, parsed once.
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
