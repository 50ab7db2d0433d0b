/// The properties of every keyword of draft 2020-12.
package enum KeywordTable {
    /// Where a keyword's value contains schemas.
    package enum Shape {
        case schema
        case schemas
        case schemaMap
        /// No schema.
        case plain
    }

    /// The vocabulary of a keyword, if it can be switched off.
    package enum Vocabulary {
        case core, applicator, unevaluated, validation, annotation
    }

    package static let all: [String: (shape: Shape, vocabulary: Vocabulary)] = [
        "$schema": (.plain, .core), "$id": (.plain, .core), "$anchor": (.plain, .core), "$ref": (.plain, .core),
        "$dynamicRef": (.plain, .core), "$dynamicAnchor": (.plain, .core), "$vocabulary": (.plain, .core),
        "$comment": (.plain, .core), "$defs": (.schemaMap, .core),
        "prefixItems": (.schemas, .applicator), "items": (.schema, .applicator), "contains": (.schema, .applicator),
        "properties": (.schemaMap, .applicator), "patternProperties": (.schemaMap, .applicator),
        "additionalProperties": (.schema, .applicator), "propertyNames": (.schema, .applicator),
        "dependentSchemas": (.schemaMap, .applicator), "if": (.schema, .applicator), "then": (.schema, .applicator),
        "else": (.schema, .applicator), "allOf": (.schemas, .applicator), "anyOf": (.schemas, .applicator),
        "oneOf": (.schemas, .applicator), "not": (.schema, .applicator),
        "unevaluatedItems": (.schema, .unevaluated), "unevaluatedProperties": (.schema, .unevaluated),
        "type": (.plain, .validation), "const": (.plain, .validation), "enum": (.plain, .validation),
        "multipleOf": (.plain, .validation), "maximum": (.plain, .validation), "minimum": (.plain, .validation),
        "exclusiveMaximum": (.plain, .validation), "exclusiveMinimum": (.plain, .validation),
        "maxLength": (.plain, .validation), "minLength": (.plain, .validation), "pattern": (.plain, .validation),
        "maxItems": (.plain, .validation), "minItems": (.plain, .validation), "uniqueItems": (.plain, .validation),
        "maxContains": (.plain, .validation), "minContains": (.plain, .validation),
        "maxProperties": (.plain, .validation), "minProperties": (.plain, .validation),
        "required": (.plain, .validation), "dependentRequired": (.plain, .validation),
        "title": (.plain, .annotation), "description": (.plain, .annotation), "default": (.plain, .annotation),
        "deprecated": (.plain, .annotation), "readOnly": (.plain, .annotation), "writeOnly": (.plain, .annotation),
        "examples": (.plain, .annotation), "format": (.plain, .annotation),
        "contentEncoding": (.plain, .annotation), "contentMediaType": (.plain, .annotation),
        "contentSchema": (.schema, .annotation),
    ]
}
