import HoldfastJSON
import Testing

@testable import HoldfastGate
@testable import HoldfastSchemaDiff

/// An edit that a rule is about, and one that only looks like it.
struct RuleCase: Sendable, CustomTestStringConvertible {
    let rule: String
    let old: JSONValue
    let new: JSONValue
    /// How much it weighs in both directions; nil when it is silent.
    let toServer: GateSeverity?
    let toClient: GateSeverity?
    /// Two schemas between which the rule does not apply.
    let nearMiss: (old: JSONValue, new: JSONValue)

    var testDescription: String { rule }

    init(
        _ rule: String, _ old: JSONValue, _ new: JSONValue, _ toServer: GateSeverity?, _ toClient: GateSeverity?,
        near: (JSONValue, JSONValue)
    ) {
        self.rule = rule
        self.old = old
        self.new = new
        self.toServer = toServer
        self.toClient = toClient
        nearMiss = near
    }

    /// Compares two schemas of one message that travels both ways.
    static func findings(
        _ old: JSONValue, _ new: JSONValue, policy: ComparisonPolicy = ComparisonPolicy(), travel: MessageTravel = .both
    ) throws -> [GateFinding] {
        compareSchemas(old: try set([("thing", old, travel)]), new: try set([("thing", new, travel)]), policy: policy)
    }

    /// A set of messages, each with a schema of its own.
    static func set(_ messages: [(name: String, schema: JSONValue, travel: MessageTravel)]) throws -> MessageSchemaSet {
        func uri(_ name: String) -> String { "https://rules.example/\(name).json" }
        return try MessageSchemaSet(
            documents: messages.map {
                .init(file: "\($0.name).json", uri: uri($0.name), text: $0.schema.text(pretty: true))
            },
            messages: messages.map { .init(name: $0.name, travel: $0.travel, uri: uri($0.name)) })
    }

    private static func open(_ properties: JSONValue, _ more: JSONValue = [:]) -> JSONValue {
        var schema: JSONValue = ["type": "object", "properties": properties]
        for (key, value) in more.objectValue ?? [:] { schema[key] = value }
        return schema
    }

    private static func closed(_ properties: JSONValue, _ more: JSONValue = [:]) -> JSONValue {
        var schema = open(properties, more)
        schema["additionalProperties"] = false
        return schema
    }

    /// One case for each rule about a single message.
    static let all: [RuleCase] = {
        let text: JSONValue = ["type": "string"]
        let count: JSONValue = ["type": "integer"]
        let tagged: JSONValue = closed(["type": ["const": "thing"]], ["required": ["type"]])
        var cases: [RuleCase] = []
        func one(
            _ rule: String, _ old: JSONValue, _ new: JSONValue, _ toServer: GateSeverity?, _ toClient: GateSeverity?,
            near: (JSONValue, JSONValue)
        ) { cases.append(RuleCase(rule, old, new, toServer, toClient, near: near)) }
        /// A rule that breaks servers, and its mirror, which breaks clients.
        func pair(
            _ narrow: String, _ widen: String, _ wide: JSONValue, _ tight: JSONValue, near: (JSONValue, JSONValue)
        ) {
            one(narrow, wide, tight, .error, .information, near: near)
            one(widen, tight, wide, .information, .error, near: (near.1, near.0))
        }

        one(
            "discriminator-property-changed", closed(["type": ["const": "a"]], ["required": ["type"]]),
            closed(["kind": ["const": "a"]], ["required": ["kind"]]), .error, .error,
            near: (closed(["type": text]), closed(["kind": text])))
        one(
            "discriminator-value-changed", tagged, closed(["type": ["const": "other"]], ["required": ["type"]]), .error,
            .error,
            near: (closed(["type": ["const": "a"]]), closed(["type": ["const": "b"]])))
        one(
            "property-added-required", closed(["a": text]), closed(["a": text, "b": count], ["required": ["b"]]),
            .error, .error,
            near: (closed(["a": text, "b": count]), closed(["a": text, "b": count], ["required": ["b"]])))
        one(
            "property-added-optional", closed(["a": text]), closed(["a": text, "b": count]), .information, .error,
            near: (closed(["a": text]), closed(["a": text, "b": false])))
        one(
            "property-added-default", closed(["a": text]), closed(["a": text, "b": ["default": 1]]), .error, .error,
            near: (closed(["a": text]), closed(["a": text, "b": count])))
        one(
            "property-removed-required", closed(["a": text, "b": count], ["required": ["b"]]), closed(["a": text]),
            .error, .error,
            near: (closed(["b": count], ["required": ["b"]]), closed(["b": count])))
        one(
            "property-removed-optional", closed(["a": text, "b": count]), closed(["a": text]), .error, .warning,
            near: (closed(["a": text]), closed(["b": text])))
        pair(
            "property-became-required", "property-became-optional", closed(["a": text]),
            closed(["a": text], ["required": ["a"]]),
            near: (
                closed(["a": text], ["not": ["enum": [[:]]]]),
                closed(["a": text], ["not": ["enum": [[:]]], "required": ["a"]])
            ))
        one(
            "property-renamed", closed(["a": text]), closed(["b": text]), .error, .error,
            near: (closed(["a": text]), closed(["b": count])))
        pair(
            "dependent-required-added", "dependent-required-removed", open(["a": text, "b": text]),
            open(["a": text, "b": text], ["dependentRequired": ["a": ["b"]]]),
            near: (
                open(["a": text], ["required": ["b"]]),
                open(["a": text], ["required": ["b"], "dependentRequired": ["a": ["b"]]])
            ))

        pair(
            "type-narrowed", "type-widened", ["type": ["string", "integer"]], text,
            near: (["type": "integer"], ["type": ["integer"]]))
        one("type-changed", text, count, .error, .error, near: (text, ["type": ["string", "integer"]]))
        pair(
            "became-not-nullable", "became-nullable", ["type": ["string", "null"]], text,
            near: (["type": ["string", "integer"]], text))
        pair(
            "enum-value-removed", "enum-value-added", ["enum": ["a", "b"]], ["enum": ["a"]],
            near: (["enum": ["a", "b"]], ["enum": ["b", "a"]]))
        pair(
            "enum-introduced", "enum-dropped", text, ["type": "string", "enum": ["a", "b"]],
            near: (["enum": ["a"]], ["const": "a"]))
        pair(
            "const-introduced", "const-dropped", text, ["type": "string", "const": "a"],
            near: (["enum": ["a"]], ["const": "a"]))
        one("const-changed", ["const": 1], ["const": 2], .error, .error, near: (["const": 1], ["const": 1.0]))
        one(
            "format-changed", ["type": "string", "format": "date"], ["type": "string", "format": "uri"], .error,
            .error,
            near: (["format": "date"], ["format": "date", "title": "x"]))
        one(
            "content-changed", ["contentEncoding": "base64"], ["contentEncoding": "base32"], .error, .error,
            near: (["title": "a"], ["title": "b"]))
        one(
            "default-changed", ["default": 1], ["default": 2], .error, .error,
            near: (["default": 1], ["default": 1.0]))

        pair(
            "limit-tightened", "limit-loosened", ["type": "string", "maxLength": 9],
            ["type": "string", "maxLength": 8],
            near: (["type": "integer", "minimum": 1], ["type": "integer", "exclusiveMinimum": 0]))
        one(
            "multiple-of-changed", ["type": "integer", "multipleOf": 2], ["type": "integer", "multipleOf": 3], .error,
            .error,
            near: (["multipleOf": 2], ["multipleOf": 2.0]))
        pair(
            "unique-items-on", "unique-items-off", ["type": "array"], ["type": "array", "uniqueItems": true],
            near: (["type": "array", "maxItems": 1], ["type": "array", "maxItems": 1, "uniqueItems": true]))
        pair(
            "pattern-introduced", "pattern-dropped", text, ["type": "string", "pattern": "^a"],
            near: (text, ["type": "string", "pattern": "^"]))
        one(
            "pattern-changed", ["type": "string", "pattern": "^a+$"], ["type": "string", "pattern": "^b+$"], .error,
            .error,
            near: (["type": "string", "pattern": "^aa*$"], ["type": "string", "pattern": "^a+$"]))

        pair(
            "additional-properties-closed", "additional-properties-opened", open(["a": text]), closed(["a": text]),
            near: (open(["a": text], ["enum": [[:]]]), closed(["a": text], ["enum": [[:]]])))
        pair(
            "additional-properties-narrowed", "additional-properties-widened", open(["a": text]),
            open(["a": text], ["additionalProperties": text]),
            near: (open(["a": text]), open(["a": text], ["additionalProperties": true])))
        one(
            "unevaluated-properties-changed", open(["a": text]), open(["a": text], ["unevaluatedProperties": false]),
            .error, .error, near: (open(["a": text]), closed(["a": text])))
        pair(
            "items-closed", "items-opened", ["type": "array"], ["type": "array", "items": false],
            near: (["type": "array", "maxItems": 0], ["type": "array", "maxItems": 0, "items": false]))
        pair(
            "items-narrowed", "items-widened", ["type": "array"], ["type": "array", "items": text],
            near: (["type": "array"], ["type": "array", "items": true]))
        one(
            "unevaluated-items-changed", ["type": "array", "prefixItems": [text]],
            ["type": "array", "prefixItems": [text], "unevaluatedItems": false], .error, .error,
            near: (["type": "array", "unevaluatedItems": text], ["unevaluatedItems": text, "type": "array"]))
        one(
            "prefix-items-changed", ["type": "array", "prefixItems": [text]],
            ["type": "array", "prefixItems": [text, count]], .error, .error,
            near: (["type": "array", "prefixItems": [text]], ["prefixItems": [text], "type": "array"]))
        one(
            "pattern-properties-changed", ["type": "object"],
            ["type": "object", "patternProperties": ["^a": text]], .error, .error,
            near: (["type": "object"], ["type": "object", "properties": ["^a": text]]))
        one(
            "property-names-changed", ["type": "object"], ["type": "object", "propertyNames": ["maxLength": 3]],
            .error, .error, near: (["type": "object"], ["type": "object", "properties": ["abcd": false]]))
        one(
            "limit-changed", ["type": "object"], ["type": "object", "minProperties": 1], .error, .error,
            near: (["type": "object"], ["type": "object", "required": ["a"]]))
        pair(
            "contains-added", "contains-removed", ["type": "array"], ["type": "array", "contains": text],
            near: (
                ["type": "array", "items": text, "minItems": 1],
                ["type": "array", "items": text, "minItems": 1, "contains": text]
            ))
        one(
            "contains-changed", ["type": "array", "contains": text], ["type": "array", "contains": count], .error,
            .error,
            near: (["type": "array", "contains": text], ["type": "array", "contains": ["type": ["string"]]]))
        one(
            "alternatives-changed", ["anyOf": [text, count]], ["anyOf": [text, ["type": "null"]]], .error, .error,
            near: (["anyOf": [text, count]], ["oneOf": [count, text]]))
        pair(
            "all-of-member-added", "all-of-member-removed", text,
            ["type": "string", "allOf": [["minLength": 2, "pattern": "^a"]]],
            near: (["type": "string", "minLength": 2], ["type": "string", "allOf": [["minLength": 2]]]))
        one(
            "condition-changed", ["type": "string"],
            ["type": "string", "if": ["maxLength": 3], "then": ["pattern": "^a"]], .error,
            .information, near: (["type": "string"], ["type": "string", "if": ["maxLength": 3], "then": true]))
        one(
            "not-changed", ["type": "string", "not": ["const": "a"]], ["type": "string", "not": ["const": "b"]], .error,
            .error,
            near: (["type": "string"], ["type": "string", "not": ["type": "integer"]]))
        one(
            "dependent-schemas-changed", open(["a": text]),
            open(["a": text], ["dependentSchemas": ["a": ["required": ["b"]]]]), .error, .error,
            near: (open(["a": text]), open(["a": text], ["dependentRequired": ["a": ["b"]]])))
        one(
            "dialect-changed", ["$schema": "https://json-schema.org/draft/2020-12/schema"], [:], .error, .error,
            near: (["title": "a"], ["title": "b"]))
        one(
            "schema-id-changed", ["$id": "https://rules.example/a.json"], ["$id": "https://rules.example/b.json"],
            .information, .information,
            near: (["$id": "https://rules.example/a.json"], ["$id": "https://rules.example/a.json", "title": "b"]))
        one(
            "unknown-keyword", ["type": "string"], ["type": "string", "maxLenght": 3], .error, .error,
            near: (["type": "string"], ["type": "string", "x-maxLenght": 3]))
        one(
            "annotation-changed", ["title": "a"], ["title": "b"], .information, .information,
            near: (["title": "a"], ["title": "a"]))
        one("deprecation-withdrawn", ["deprecated": true], [:], .warning, .warning, near: ([:], ["deprecated": true]))
        one(
            "schema-changed", open(["a": text]), open(["a": false]), .error, .information,
            near: (["not": true], ["not": [:]]))
        one(
            "not-proven", ["type": "string", "pattern": "^\\p{Lu}$"], ["type": "string", "pattern": "^\\p{L}$"], .error,
            nil,
            near: (["type": "string", "pattern": "^[A-F]$"], ["type": "string", "pattern": "^[A-Z]$"]))
        one(
            "reference-changed", [:],
            ["$dynamicRef": "#text", "$defs": ["text": ["$dynamicAnchor": "text", "type": "string"]]], .error, .error,
            near: ([:], ["$ref": "#/$defs/text", "$defs": ["text": ["type": "string"]]]))
        return cases
    }()
}
