import HoldfastJSON
import HoldfastJSONSchema
import Testing

struct `Alternatives` {
    private static let message: JSONValue = [
        "oneOf": [["$ref": "#/$defs/chat"], ["$ref": "#/$defs/done"], ["$ref": "#/$defs/sync"]],
        "$defs": [
            "envelope": ["type": "object", "required": ["type"], "properties": ["type": ["type": "string"]]],
            "chat": [
                "allOf": [["$ref": "#/$defs/envelope"]], "required": ["text"],
                "properties": ["type": ["const": "chat"], "text": ["type": "string"]], "unevaluatedProperties": false,
            ],
            "done": [
                "allOf": [["$ref": "#/$defs/envelope"]], "required": ["sessionId"],
                "properties": ["type": ["const": "done"], "sessionId": ["type": "string"]],
                "unevaluatedProperties": false,
            ],
            "sync": [
                "allOf": [["$ref": "#/$defs/envelope"]], "properties": ["type": ["enum": ["sync", "resync"]]],
            ],
        ],
    ]

    @Test(
        arguments: [
            (["type": "chat"], ["the value: missing 'text' (expected the member 'text')"]),
            (
                ["type": "done", "sesionId": "s"],
                [
                    "/sesionId: 'sesionId' is not a known property; did you mean 'sessionId'? (expected one of type, sessionId)"
                ]
            ),
            (
                ["type": "dnoe", "sessionId": "s"],
                ["/type: 'dnoe' is not a known value; did you mean 'done'? (expected one of chat, done, sync, resync)"]
            ),
            (["type": 7], ["/type: 7 is not a known value (expected one of chat, done, sync, resync)"]),
            ([:], ["the value: missing 'type' (expected 'type' with one of chat, done, sync, resync)"]),
            ("chat", ["the value: found string instead of object (expected object)"]),
            (["type": "resync", "more": 1], []),
        ] as [(JSONValue, [String])])
    func `a discriminator names the one branch that is told`(value: JSONValue, words: [String]) throws {
        #expect(try faults(Self.message, value) == words)
    }

    @Test func `the branch of the right type is told`() throws {
        let content: JSONValue = [
            "anyOf": [["type": "string"], ["type": "array", "items": ["type": "object", "required": ["text"]]]]
        ]
        #expect(try faults(content, [["text": ""], [:]]) == ["/1: missing 'text' (expected the member 'text')"])
        #expect(
            try faults(content, 5) == ["the value: found number instead of array or string (expected array or string)"])
    }

    @Test func `the branch whose fixed value fits is told`() throws {
        let schema: JSONValue = [
            "anyOf": [
                ["properties": ["v": ["const": 1], "a": ["type": "string"]], "required": ["v"]],
                ["properties": ["v": ["const": 2], "b": ["type": "string"]], "required": ["v"]],
            ]
        ]
        #expect(try faults(schema, ["v": 2, "b": 0]) == ["/b: found number instead of string (expected string)"])
    }

    @Test func `alternatives that cannot be told apart are summed up in one line`() throws {
        #expect(
            try faults(["anyOf": [["minLength": 3], ["pattern": "^x"]]], "ab") == [
                "the value: matches none of 2 alternatives (expected at least 3 characters — or — text that matches ^x)"
            ])
    }

    @Test func `several matches are told by number`() throws {
        #expect(
            try faults(["oneOf": [["minimum": 1], ["type": "string"], ["maximum": 5]]], 3) == [
                "the value: matches alternatives 0 and 2 at once (expected exactly one of 3 alternatives)"
            ])
    }

    @Test func `a failed alternative does not make members unknown`() throws {
        let schema: JSONValue = [
            "oneOf": [
                ["properties": ["a": ["const": 1]], "required": ["a"]],
                ["properties": ["b": ["const": 1]], "required": ["b"]],
            ],
            "unevaluatedProperties": false,
        ]
        #expect(try faults(schema, ["a": 2]).count == 1)
    }
}
