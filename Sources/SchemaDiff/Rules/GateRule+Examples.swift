extension GateRule {
    /// An edit that falls under the rule, as the two texts of a schema.
    package var example: String {
        if let (old, new) = Self.examples[id] { return "\(old)  →  \(new)" }
        guard case .rule(let other) = mirror, let (old, new) = Self.examples[other] else { return "" }
        return "\(new)  →  \(old)"
    }

    /// Examples; a rule that stands against another one has that one's, backwards.
    private static let examples: [String: (old: String, new: String)] = [
        "message-added": ("no typing.json", "typing.json"),
        "message-direction-changed": (#""x-direction": "client""#, #""x-direction": "server""#),
        "discriminator-property-changed": (#""type": {"const": "chat"}"#, #""kind": {"const": "chat"}"#),
        "discriminator-value-changed": (#""type": {"const": "chat"}"#, #""type": {"const": "ask"}"#),
        "message-renamed": ("rest/chatResponse.json", "rest/chatAnswer.json"),
        "message-stability-lowered": (#""x-stability": "stable""#, #""x-stability": "beta""#),
        "property-added-required": (#""required": ["text"]"#, #""required": ["text", "lang"], "lang" is new"#),
        "property-added-optional": (#""properties": {}"#, #""properties": {"lang": {}}"#),
        "property-added-default": (#""properties": {}"#, #""properties": {"lang": {"default": "en"}}"#),
        "property-became-required": (#""required": []"#, #""required": ["lang"]"#),
        "property-renamed": (#""text": {}"#, #""body": {}"#),
        "property-type-reused": (#""x-reserved": ["lang"]"#, #""properties": {"lang": {}}"#),
        "reserved-name-released": (#""x-reserved": ["lang"]"#, #""x-reserved": []"#),
        "dependent-required-added": ("{}", #""dependentRequired": {"a": ["b"]}"#),
        "dependent-schemas-changed": (
            #""dependentSchemas": {"a": {}}"#, #""dependentSchemas": {"a": {"required": ["b"]}}"#
        ),
        "pattern-properties-added": ("{}", #""patternProperties": {"^x-": {"type": "string"}}"#),
        "property-names-added": ("{}", #""propertyNames": {"pattern": "^[a-z]+$"}"#),
        "additional-properties-closed": ("{}", #""additionalProperties": false"#),
        "additional-properties-narrowed": (
            #""additionalProperties": true"#, #""additionalProperties": {"type": "string"}"#
        ),
        "unevaluated-properties-closed": ("{}", #""unevaluatedProperties": false"#),
        "unevaluated-properties-narrowed": (
            #""unevaluatedProperties": true"#, #""unevaluatedProperties": {"type": "string"}"#
        ),
        "type-narrowed": (#""type": ["string", "integer"]"#, #""type": "string""#),
        "type-changed": (#""type": "string""#, #""type": "integer""#),
        "became-not-nullable": (#""type": ["string", "null"]"#, #""type": "string""#),
        "enum-value-removed": (#""enum": ["up", "down"]"#, #""enum": ["up"]"#),
        "enum-introduced": ("{}", #""enum": ["up", "down"]"#),
        "const-introduced": ("{}", #""const": 1"#),
        "const-changed": (#""const": 1"#, #""const": 2"#),
        "format-introduced": ("{}", #""format": "email""#),
        "format-changed": (#""format": "email""#, #""format": "uri""#),
        "pattern-introduced": ("{}", #""pattern": "^[a-z]+$""#),
        "pattern-changed": (#""pattern": "^[a-z]{1,9}$""#, #""pattern": "^[a-z]{1,5}$""#),
        "content-changed": (#""contentEncoding": "base64""#, #""contentEncoding": "base16""#),
        "default-changed": (#""default": 1"#, #""default": 2"#),
        "limit-tightened": (#""maxLength": 80"#, #""maxLength": 40"#),
        "multiple-of-tightened": (#""multipleOf": 1"#, #""multipleOf": 2"#),
        "multiple-of-changed": (#""multipleOf": 2"#, #""multipleOf": 3"#),
        "unique-items-on": ("{}", #""uniqueItems": true"#),
        "items-closed": (#""prefixItems": [{}]"#, #""prefixItems": [{}], "items": false"#),
        "items-narrowed": (#""items": {}"#, #""items": {"type": "string"}"#),
        "unevaluated-items-closed": ("{}", #""unevaluatedItems": false"#),
        "unevaluated-items-narrowed": (#""unevaluatedItems": true"#, #""unevaluatedItems": {"type": "string"}"#),
        "prefix-items-changed": (#""prefixItems": [{}]"#, #""prefixItems": [{}, {"type": "string"}]"#),
        "contains-added": ("{}", #""contains": {"const": "user"}"#),
        "contains-changed": (#""contains": {"const": "user"}"#, #""contains": {"const": "system"}"#),
        "payload-union-overlap": (
            #""oneOf": [{"type": "string"}, {"type": "null"}]"#, #""oneOf": [{"type": "string"}, {}]"#
        ),
        "branch-removed": (#""anyOf": [{"type": "string"}, {"type": "array"}]"#, #""anyOf": [{"type": "string"}]"#),
        "alternatives-introduced": ("{}", #""anyOf": [{"type": "string"}, {"type": "array"}]"#),
        "all-of-member-added": ("{}", #""allOf": [{"required": ["lang"]}]"#),
        "condition-changed": (#""if": {"required": ["a"]}"#, #""if": {"required": ["b"]}"#),
        "not-changed": ("{}", #""not": {"required": ["debug"]}"#),
        "schema-changed": ("{}", "false"),
        "reference-changed": (##""$dynamicRef": "#a""##, ##""$dynamicRef": "#b""##),
        "not-proven": ("a pattern", "another pattern, so large that no proof was found within its bound"),
        "dialect-changed": (#""$schema": "…/2020-12/schema""#, #""$schema": "…/draft-07/schema""#),
        "schema-id-changed": (#""$id": "…/chat.json""#, #""$id": "…/ask.json""#),
        "unknown-keyword": (#""maxLength": 9"#, #""maxLenght": 9"#),
        "annotation-changed": (#""description": "Says.""#, #""description": "Tells.""#),
        "deprecation-withdrawn": (#""deprecated": true"#, "{}"),
    ]
}
