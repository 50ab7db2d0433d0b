import HoldfastJSON
import HoldfastJSONSchema
import Testing

struct `Schema problems` {
    private func problem(_ schema: JSONValue) -> String {
        do {
            _ = try Schema(schema)
            return "accepted"
        } catch {
            return error.description
        }
    }

    @Test(
        arguments: [
            (
                ["propertys": [:]],
                "#/propertys: unknown keyword 'propertys'; expected a keyword of draft 2020-12 or a name that starts "
                    + "with 'x-'; did you mean 'properties'?"
            ),
            (
                ["properties": ["a": ["format": "datetime"]]],
                "#/properties/a/format: unknown format 'datetime'; expected a format of draft 2020-12; did you mean 'date-time'?"
            ),
            (["minLength": "5"], "#/minLength: 'minLength' is \"5\"; expected a whole number from 0"),
            (["minLength": -1], "#/minLength: 'minLength' is -1; expected a whole number from 0"),
            (["multipleOf": 0], "#/multipleOf: 'multipleOf' is 0; expected a number above 0"),
            (
                ["type": "int"],
                "#/type: 'type' is \"int\"; expected one of null, boolean, object, array, number, integer, string, or a list "
                    + "of them"
            ),
            (
                ["required": ["a", "a"]],
                "#/required: 'required' is [\"a\",\"a\"]; expected a list of names that are all different"
            ),
            (["allOf": []], "#/allOf: 'allOf' is []; expected a list of at least one schema"),
            (["items": 5], "#/items: 5 is not a schema; expected an object or a boolean"),
            (["pattern": "^(a"], "#/pattern: the pattern '^(a' cannot be used: character 4: a group is not closed"),
            (
                ["pattern": "(a)\\1"],
                "#/pattern: the pattern '(a)\\1' cannot be used: back-references cannot be matched in bounded time"
            ),
            (["$ref": "#/$defs/x"], "#/$ref: '#/$defs/x' leads nowhere: there is nothing at '/$defs/x'"),
            (["$ref": "#x"], "#/$ref: '#x' leads nowhere: there is no anchor 'x'"),
            (
                ["$ref": "https://example.org/other"],
                "#/$ref: 'https://example.org/other' leads nowhere: no schema is registered as 'https://example.org/other'"
            ),
            (
                ["$defs": ["a": ["$ref": "#/$defs/b"], "b": ["allOf": [["$ref": "#/$defs/a"]]]], "$ref": "#/$defs/a"],
                "#/$defs/b/allOf/0: '#/$defs/a' leads back to itself at the same place of the instance; expected an end"
            ),
            (["$ref": "#"], "#: '#' leads back to itself at the same place of the instance; expected an end"),
            (
                ["$schema": "http://json-schema.org/draft-07/schema#"],
                "#/$schema: the dialect 'http://json-schema.org/draft-07/schema' is not known; expected draft 2020-12 or a "
                    + "registered metaschema"
            ),
            (
                ["$defs": ["a": ["$anchor": "x"], "b": ["$anchor": "x"]]],
                "#/$defs/a: '#x' names two schemas; expected one"
            ),
            (
                ["$id": "https://example.org/a#b"],
                "#/$id: 'https://example.org/a#b' cannot name a schema; expected a URI reference without fragment; '$anchor' "
                    + "names a place"
            ),
            ("text", "#: \"text\" is not a schema; expected an object or a boolean"),
        ] as [(JSONValue, String)])
    func `a schema that cannot be used says why and where`(schema: JSONValue, words: String) {
        #expect(problem(schema) == words)
    }

    @Test func `own keywords start with x-, and others can be tolerated`() throws {
        #expect(try Schema(["x-clause": "TURN-1"]).isValid(1))
        #expect(try Schema(["whatever": 1, "format": "color"], unknownKeywords: .ignore).isValid("x"))
    }
}
