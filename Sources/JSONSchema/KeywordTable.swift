import HoldfastJSON

/// The keywords of draft 2020-12.
package enum KeywordTable {
    /// The places of schemas in a keyword's value.
    package enum Shape {
        case schema
        case schemas
        case schemaMap
        /// No schema.
        case plain

        package func schemas(
            in value: JSONValue, at location: JSONPointer
        ) -> [(schema: JSONValue, location: JSONPointer)] {
            switch (self, value) {
            case (.schema, _): [(value, location)]
            case (.schemas, .array(let values)): values.enumerated().map { ($1, location.appending($0)) }
            case (.schemaMap, .object(let map)): map.map { ($0.value, location.appending($0.key)) }
            default: []
            }
        }
    }

    package static let all: [String: Shape] = {
        let names: [(Shape, String)] = [
            (.schemaMap, "$defs properties patternProperties dependentSchemas"),
            (.schemas, "prefixItems allOf anyOf oneOf"),
            (.schema, "items contains additionalProperties propertyNames if then else not"),
            (.schema, "unevaluatedItems unevaluatedProperties contentSchema"),
            (.plain, "$schema $id $anchor $ref $dynamicRef $dynamicAnchor $vocabulary $comment"),
            (.plain, "type const enum multipleOf maximum minimum exclusiveMaximum exclusiveMinimum"),
            (.plain, "maxLength minLength pattern maxItems minItems uniqueItems maxContains minContains"),
            (.plain, "maxProperties minProperties required dependentRequired"),
            (.plain, "title description default deprecated readOnly writeOnly examples"),
            (.plain, "format contentEncoding contentMediaType"),
        ]
        let shapes = names.flatMap { shape, names in names.split(separator: " ").map { (String($0), shape) } }
        return Dictionary(uniqueKeysWithValues: shapes)
    }()
}
