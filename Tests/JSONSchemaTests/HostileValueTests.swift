import HoldfastJSON
import HoldfastJSONSchema
import Testing

struct `Hostile values` {
    private func nested(_ depth: Int) throws -> JSONValue {
        try JSONParser.value(
            String(repeating: "[", count: depth) + String(repeating: "]", count: depth),
            limits: JSONLimits(maxDepth: depth))
    }

    @Test func `a deep value is looked at as long as the stack surely holds`() throws {
        let schema = try Schema(["type": "array", "items": ["$ref": "#"]])
        #expect(try schema.isValid(nested(250)))
        #expect(try !schema.isValid(nested(1024)))
        #expect(try schema.violations(in: nested(1024)).map(\.message) == ["nested too deeply to be checked"])
        #expect(try Schema(["type": "array"]).isValid(nested(1024)))
    }

    @Test func `a dynamic reference that comes back to itself is a violation`() throws {
        var registry = SchemaRegistry()
        try registry.add(
            ["$id": "https://example.org/inner", "$dynamicRef": "#a", "$defs": ["a": ["$dynamicAnchor": "a"]]],
            at: "https://example.org/inner")
        let schema = try Schema(
            ["$id": "https://example.org/outer", "$dynamicAnchor": "a", "$ref": "inner"], registry: registry)
        #expect(schema.violations(in: 1).map(\.message) == ["the schema refers to itself without end here"])
    }

    @Test func `large arrays and objects are looked at once`() throws {
        let schema = try Schema([
            "type": "object", "unevaluatedProperties": ["uniqueItems": true, "contains": ["const": 7]],
            "propertyNames": ["pattern": "^k\\d+$"],
        ])
        let list = JSONValue.array((0..<20_000).map { JSONValue($0) })
        let object = JSONObject((0..<2_000).map { ("k\($0)", JSONValue.array([7])) } + [("k99999", list)])
        #expect(schema.isValid(.object(object)))
    }

    @Test func `numbers of any length are compared exactly`() throws {
        #expect(try !Schema(["maximum": 9_007_199_254_740_992]).isValid(JSONParser.value("9007199254740993")))
        #expect(try Schema(["type": "integer"]).isValid(JSONParser.value("1.0e400")))
        #expect(try Schema(["multipleOf": 0.0001]).isValid(JSONParser.value("0.0075")))
        #expect(try !Schema(["const": 1]).isValid(JSONParser.value("1.00000000000000000000000001")))
        #expect(try Schema(["minLength": 2, "maxLength": 2]).isValid("e\u{301}"))
        #expect(try Schema(["maxLength": 1]).isValid("😀"))
        #expect(try !Schema(["const": "é"]).isValid("e\u{301}"))
        #expect(try Schema(["maxLength": JSONParser.value("1e30")]).isValid("x"))
        #expect(try !Schema(["minLength": JSONParser.value("1e30")]).isValid("x"))
    }
}
