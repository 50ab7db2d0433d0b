import HoldfastJSON
import HoldfastJSONSchema
import Testing

/// What a schema says about a value, one line for each violation.
func faults(_ schema: JSONValue, _ value: JSONValue) throws -> [String] {
    let schema = try Schema(schema)
    let violations = schema.violations(in: value)
    #expect(schema.isValid(value) == violations.isEmpty)
    return violations.map(\.description)
}

struct `Schema violations` {
    @Test(
        arguments: [
            (["type": "string"], 1, "the value: found number instead of string (expected string)"),
            (
                ["type": ["string", "null", "array"]], true,
                "the value: found boolean instead of null, array or string (expected null, array or string)"
            ),
            (
                ["type": "integer"], 1.5,
                "the value: found a number with a fraction instead of integer (expected integer)"
            ),
            (["const": ["a": 1]], ["a": 2], #"the value: {"a":2} is not the one allowed value (expected {"a":1})"#),
            (
                ["enum": ["started", "finished", "failed"]], "finishd",
                "the value: 'finishd' is not one of the allowed values; did you mean 'finished'? "
                    + #"(expected "started", "finished", "failed")"#
            ),
            (["minimum": 0], -1, "the value: -1 is too small (expected at least 0)"),
            (["exclusiveMaximum": 10], 10.0, "the value: 10.0 is too large (expected below 10)"),
            (["multipleOf": 0.01], 0.075, "the value: 0.075 is not a multiple of 0.01 (expected a multiple of 0.01)"),
            (["minLength": 1], "", "the value: it is empty (expected at least 1 character)"),
            (["maxLength": 2], "abc", "the value: 3 characters are too many (expected at most 2 characters)"),
            (
                ["pattern": "^[a-z]+$"], "A1",
                "the value: 'A1' does not match the pattern (expected text that matches ^[a-z]+$)"
            ),
            (
                ["format": "date-time"], "2026-02-30T00:00:00Z",
                "the value: '2026-02-30T00:00:00Z' is not a date-time "
                    + "(expected a date-time such as 2026-03-01T09:30:00Z (RFC 3339))"
            ),
            (["minItems": 2], [1], "the value: 1 element is too few (expected at least 2 elements)"),
            (
                ["uniqueItems": true], [1, 2, 1.0],
                "the value: elements 0 and 2 are equal (expected elements that are all different)"
            ),
            (["maxProperties": 0], ["a": 1], "the value: 1 member is too many (expected at most 0 members)"),
            (
                ["contains": ["type": "null"]], [1],
                "the value: 0 matching elements are too few (expected at least 1 matching element)"
            ),
            (
                ["prefixItems": [true], "items": false], [1, 2],
                "/1: element 1 is one too many (expected at most 1 element)"
            ),
            (
                ["not": ["type": "null"]], nil,
                "the value: null is what the schema under 'not' forbids (expected anything else)"
            ),
            (["required": ["sessionId"]], [:], "the value: missing 'sessionId' (expected the member 'sessionId')"),
            (
                ["dependentRequired": ["a": ["b"]]], ["a": 1],
                "the value: missing 'b', which 'a' requires (expected the member 'b')"
            ),
            (["properties": ["a": false]], ["a": 1], "/a: 'a' is not allowed here (expected no member of that name)"),
            (
                ["propertyNames": ["maxLength": 1]], ["ab": 1],
                "/ab: the name 'ab' is not allowed: 2 characters are too many (expected another name)"
            ),
            (
                ["not": ["required": ["seq"]]], ["seq": 1],
                "the value: 'seq' is not allowed here (expected no member of that name)"
            ),
            (
                ["not": ["required": ["a", "b"]]], ["a": 1, "b": 2],
                "the value: 'a' and 'b' are not allowed together (expected not all of them)"
            ),
            (
                ["not": ["enum": ["ack", 1]]], "ack",
                "the value: 'ack' is not allowed here (expected anything but \"ack\", 1)"
            ),
            (
                ["maxLength": 1], "a\n\u{1B}[31m\u{202E}",
                "the value: 8 characters are too many (expected at most 1 character)"
            ),
            (
                ["const": ""], "a\n\u{1B}[31m\u{202E}",
                "the value: 'a\\u{a}\\u{1b}[31m\\u{202e}' is not the one allowed value (expected \"\")"
            ),
            (false, 1, "the value: no value is allowed here (expected nothing)"),
        ] as [(JSONValue, JSONValue, String)])
    func `each keyword has its words`(schema: JSONValue, value: JSONValue, words: String) throws {
        #expect(try faults(schema, value) == [words])
    }

    @Test func `a misspelled name is one fault, not an unknown and a missing one`() throws {
        let closed: JSONValue = [
            "type": "object", "required": ["text", "sessionId"],
            "properties": ["text": ["type": "string"], "sessionId": ["type": "string"]], "additionalProperties": false,
        ]
        #expect(
            try faults(closed, ["text": "", "sesionId": "s1"]) == [
                "/sesionId: 'sesionId' is not a known property; did you mean 'sessionId'? (expected one of text, sessionId)"
            ])
        #expect(
            try faults(closed, ["text": "", "zebra": 1]) == [
                "the value: missing 'sessionId' (expected the member 'sessionId')",
                "/zebra: 'zebra' is not a known property (expected one of text, sessionId)",
            ])
    }

    @Test func `a value of the wrong kind is one fault`() throws {
        #expect(
            try faults(["type": "string", "enum": ["a", "b"], "minLength": 1, "pattern": "^a"], 5) == [
                "the value: found number instead of string (expected string)"
            ])
        #expect(
            try faults(["allOf": [["$ref": "#/$defs/a"], ["$ref": "#/$defs/a"]], "$defs": ["a": ["type": "null"]]], 5)
                == [
                    "the value: found number instead of null (expected null)"
                ])
    }

    @Test func `a member that fails inside is not called unknown as well`() throws {
        let schema: JSONValue = [
            "allOf": [["properties": ["a": ["type": "string"]]], ["properties": ["b": ["type": "string"]]]],
            "unevaluatedProperties": false,
        ]
        #expect(try faults(schema, ["a": 1, "b": "x"]) == ["/a: found number instead of string (expected string)"])
        #expect(
            try faults(schema, ["a": "", "d": 1]) == [
                "/d: 'd' is not a known property; did you mean 'a'? (expected one of a, b)"
            ])
    }

    @Test func `a violation knows where it is in value and schema`() throws {
        let schema = try Schema(
            [
                "$id": "https://example.org/list", "items": ["$ref": "#/$defs/turn"],
                "$defs": ["turn": ["x-clause": "TURN-1", "properties": ["id": ["type": "string"]]]],
            ])
        let violation = try #require(schema.violations(in: [["id": "a"], ["id": 7]]).first)
        #expect(violation.instanceLocation.description == "/1/id")
        #expect(violation.keywordLocation.description == "/items/$ref/properties/id/type")
        #expect(violation.schemaURI == "https://example.org/list")
        #expect(violation.schemaLocation.description == "/$defs/turn/properties/id/type")
        #expect(violation.keyword == "type")
        #expect(violation.actual == "7")
        #expect(schema.value(of: "x-clause", near: violation) == "TURN-1")
        #expect(schema.value(of: "x-other", near: violation) == nil)
        #expect(schema.schemaValue(at: violation.schemaURI, violation.schemaLocation) == "string")
    }

    @Test func `long values are cut and their size is given`() throws {
        let schema = try Schema(["maxLength": 3])
        let text = String(repeating: "x", count: 500)
        let violation = try #require(schema.violations(in: .string(text)).first)
        #expect(violation.actual == "\"" + String(repeating: "x", count: 119) + "… (500 characters)")
        let list = try #require(
            try Schema(["maxItems": 3]).violations(in: .array(Array(repeating: 7, count: 1000))).first)
        #expect(list.actual.hasSuffix(",7… (1000 elements)"))
        #expect(list.actual.unicodeScalars.count < 150)
    }

    @Test func `violations are counted up to a limit`() throws {
        let schema = try Schema(["items": ["type": "string"]])
        let value = JSONValue.array((0..<1000).map { JSONValue($0) })
        #expect(schema.violations(in: value).count == 100)
        #expect(schema.violations(in: value, limit: 3).count == 3)
        #expect(schema.violations(in: value, limit: 0).count == 1)
    }
}
