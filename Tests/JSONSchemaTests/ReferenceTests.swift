import HoldfastJSON
import HoldfastJSONSchema
import Testing

struct `References` {
    private static func registry() throws -> SchemaRegistry {
        var registry = SchemaRegistry()
        try registry.add(
            [
                "$id": "https://example.org/schemas/common",
                "$defs": [
                    "id": ["$anchor": "identifier", "type": "string"],
                    "part": ["$id": "parts/text", "type": "object", "required": ["text"]],
                ],
            ], at: "file:///common.json")
        return registry
    }

    @Test(arguments: [
        "https://example.org/schemas/common#/$defs/id", "https://example.org/schemas/common#identifier",
        "file:///common.json#identifier", "file:///common.json#/%24defs/id",
    ])
    func `a part of a registered schema is compiled by its URI`(uri: String) throws {
        let schema = try Schema(uri: uri, registry: Self.registry())
        #expect(schema.isValid("s"))
        #expect(!schema.isValid(1))
    }

    @Test func `relative references start from the nearest identifier`() throws {
        let schema = try Schema(
            ["properties": ["p": ["$ref": "schemas/parts/text"], "i": ["$ref": "schemas/common#identifier"]]],
            baseURI: "https://example.org/root.json", registry: Self.registry())
        #expect(schema.isValid(["p": ["text": ""], "i": "x"]))
        let violations = schema.violations(in: ["p": [:], "i": 1])
        #expect(
            violations.map(\.schemaURI) == [
                "https://example.org/schemas/parts/text", "https://example.org/schemas/common",
            ])
        #expect(
            violations.map(\.keywordLocation.description) == ["/properties/p/$ref/required", "/properties/i/$ref/type"])
    }

    @Test func `a registry refuses what is ambiguous`() throws {
        var registry = try Self.registry()
        #expect(throws: SchemaProblem.self) { try registry.add(true, at: "file:///common.json") }
        #expect(throws: SchemaProblem.self) { try registry.add(true, at: "common.json") }
        #expect(throws: SchemaProblem.self) { try registry.add(true, at: "file:///a.json#b") }
        #expect(registry.uris.contains("https://example.org/schemas/parts/text"))
    }

    @Test func `a tree is checked to any depth, and an extended one by its extension`() throws {
        var registry = SchemaRegistry()
        try registry.add(
            [
                "$id": "https://example.org/tree", "$dynamicAnchor": "node", "type": "object",
                "properties": ["data": true, "children": ["type": "array", "items": ["$dynamicRef": "#node"]]],
            ], at: "https://example.org/tree")
        let strict: JSONValue = [
            "$id": "https://example.org/strict", "$dynamicAnchor": "node", "$ref": "tree",
            "unevaluatedProperties": false,
        ]
        let value: JSONValue = ["children": [["children": [["daat": 1]]]]]
        #expect(try Schema(uri: "https://example.org/tree", registry: registry).isValid(value))
        #expect(
            try Schema(strict, registry: registry).violations(in: value).map(\.description) == [
                "/children/0/children/0/daat: 'daat' is not a known property; did you mean 'data'? "
                    + "(expected one of data, children)"
            ])
    }

    @Test func `the metaschema is there and finds faults in schemas`() throws {
        let metaschema = try Schema(
            uri: "https://json-schema.org/draft/2020-12/schema", registry: SchemaRegistry(), unknownKeywords: .ignore)
        #expect(metaschema.isValid(["type": "object", "properties": ["a": ["minLength": 1]]]))
        #expect(
            metaschema.violations(in: ["properties": ["a": ["minLength": -1]]]).map(\.description) == [
                "/properties/a/minLength: -1 is too small (expected at least 0)"
            ])
    }
}
