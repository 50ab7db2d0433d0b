import HoldfastJSON
import HoldfastJSONSchema

extension Keyword {
    var word: String {
        switch self {
        case .type: "type"
        case .const: "const"
        case .enumeration: "enum"
        case .minimum: "minimum"
        case .maximum: "maximum"
        case .exclusiveMinimum: "exclusiveMinimum"
        case .exclusiveMaximum: "exclusiveMaximum"
        case .multipleOf: "multipleOf"
        case .minLength: "minLength"
        case .maxLength: "maxLength"
        case .pattern: "pattern"
        case .format: "format"
        case .minItems: "minItems"
        case .maxItems: "maxItems"
        case .uniqueItems: "uniqueItems"
        case .minProperties: "minProperties"
        case .maxProperties: "maxProperties"
        case .required: "required"
        case .dependentRequired: "dependentRequired"
        case .dependentSchemas: "dependentSchemas"
        case .reference: "$ref"
        case .dynamicReference: "$dynamicRef"
        case .allOf: "allOf"
        case .anyOf: "anyOf"
        case .oneOf: "oneOf"
        case .not: "not"
        case .condition: "if"
        case .properties: "properties"
        case .propertyNames: "propertyNames"
        case .items: "items"
        case .contains: "contains"
        case .unevaluatedProperties: "unevaluatedProperties"
        case .unevaluatedItems: "unevaluatedItems"
        }
    }

    /// The values that `enum` or `const` allows; nil for other keywords.
    var fixedValues: [JSONValue]? {
        switch self {
        case .enumeration(let values): values
        case .const(let value): [value]
        default: nil
        }
    }
}
