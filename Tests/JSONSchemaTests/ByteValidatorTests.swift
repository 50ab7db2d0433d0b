import HoldfastJSON
import HoldfastJSONSchema
import Testing

struct `Byte validator` {
    /// Schemas with texts that are valid, and texts that are not.
    static let cases: [(schema: String, valid: [String], invalid: [String])] = [
        (#"{"const":1}"#, ["1", "1.0", "1e0", "10e-1", " 1 "], ["2", "1.5", "true", "\"1\"", "-1"]),
        (
            #"{"enum":[1,"a",null,[1],{"a":1.0}]}"#, ["1.0", "\"\\u0061\"", "null", "[1e0]", "{\"a\":1}"],
            ["2", "\"b\"", "[2]"]
        ),
        (
            #"{"type":"integer","minimum":-3,"exclusiveMaximum":5}"#, ["-3", "4", "-3.0", "4e0"],
            ["-4", "5", "5.0", "4.5", "1e1"]
        ),
        (#"{"minimum":0.5,"maximum":9007199254740993}"#, ["0.5", "9007199254740993"], ["0.4", "9007199254740994"]),
        (#"{"type":"integer"}"#, ["0", "-3", "3.0", "1e2"], ["3.5", "1e-1", "\"3\""]),
        (#"{"type":"integer","minimum":0}"#, ["0", "-0", "-0.0", "7", "10e-1"], ["-1", "0.5", "-0.5", "-1e0"]),
        (#"{"type":["integer","null"],"exclusiveMinimum":0}"#, ["1", "null", "1.0"], ["0", "-0", "0.0", "0.5", "-1"]),
        (#"{"exclusiveMinimum":-1}"#, ["-0.5", "-0.999999999999999999999"], ["-1", "-1.5", "-1.0"]),
        (#"{"multipleOf":0.01}"#, ["0.07", "19.99", "1e3"], ["0.005"]),
        (
            #"{"minLength":2,"maxLength":3}"#, ["\"ab\"", "\"äöü\"", "\"\\ud83d\\ude00x\"", "1"],
            ["\"a\"", "\"äöüß\"", "\"\\n\""]
        ),
        (
            #"{"pattern":"^[a-z]{2,3}$"}"#, ["\"ab\"", "\"\\u0061b\"", "7"],
            ["\"a\"", "\"abcd\"", "\"ab\\n\"", "\"aé\""]
        ),
        (#"{"pattern":"é+$"}"#, ["\"xé\"", "\"éé\""], ["\"e\"", "\"éx\""]),
        (#"{"pattern":"a|^$"}"#, ["\"\"", "\"xax\"", "\"éa\""], ["\"x\"", "\"é\""]),
        (
            #"{"uniqueItems":true}"#, ["[]", "[1,\"1\",[1],{\"a\":1}]"],
            ["[1,1.0]", "[\"a\",\"\\u0061\"]", "[{\"a\":1,\"b\":2},{\"b\":2,\"a\":1}]"]
        ),
        (
            #"{"prefixItems":[{"type":"null"}],"items":{"type":"string"}}"#, ["[]", "[null]", "[null,\"a\"]"],
            ["[1]", "[null,1]"]
        ),
        (#"{"contains":{"const":1},"minContains":2,"maxContains":3}"#, ["[1,1]", "[1,1,1,2]"], ["[1]", "[1,1,1,1]"]),
        (
            #"{"properties":{"":{"type":"null"}},"additionalProperties":false}"#, ["{\"\":null}", "{}"],
            ["{\"\":1}", "{\"a\":1}"]
        ),
        (#"{"properties":{"a":true},"additionalProperties":false}"#, ["{\"\\u0061\":1}"], ["{\"\":1}", "{\"b\":1}"]),
        (
            #"{"patternProperties":{"^x-":{"type":"string"}},"additionalProperties":{"type":"null"}}"#,
            ["{\"x-a\":\"b\",\"y\":null}"], ["{\"x-a\":1}", "{\"y\":1}"]
        ),
        (
            #"{"propertyNames":{"maxLength":2},"maxProperties":2}"#, ["{\"ab\":1}"],
            ["{\"abc\":1}", "{\"a\":1,\"b\":2,\"c\":3}"]
        ),
        (
            #"{"dependentRequired":{"a":["b"]},"dependentSchemas":{"c":{"required":["d"]}}}"#,
            ["{\"a\":1,\"b\":2}", "{\"c\":1,\"d\":2}"], ["{\"a\":1}", "{\"c\":1}"]
        ),
        (
            #"{"if":{"required":["a"]},"then":{"required":["b"]},"else":{"maxProperties":1}}"#,
            ["{\"a\":1,\"b\":1}", "{\"c\":1}"], ["{\"a\":1}", "{\"c\":1,\"d\":1}"]
        ),
        (
            #"{"allOf":[{"properties":{"a":true}}],"properties":{"b":true},"unevaluatedProperties":false}"#,
            ["{\"a\":1,\"b\":1}"], ["{\"c\":1}"]
        ),
        (
            #"{"anyOf":[{"properties":{"a":true},"required":["a"]},{"type":"object"}],"unevaluatedProperties":false}"#,
            ["{\"a\":1}", "{}"], ["{\"c\":1}"]
        ),
        (
            ##"{"$defs":{"list":{"properties":{"next":{"$ref":"#/$defs/list"}},"additionalProperties":false}},"$ref":"#/$defs/list"}"##,
            ["{\"next\":{\"next\":{}}}"], ["{\"next\":{\"prev\":{}}}"]
        ),
        (
            #"{"oneOf":[{"required":["t"],"properties":{"t":{"const":"a"},"n":{"type":"null"}}},{"required":["t"],"properties":{"t":{"enum":["b","c"]}}}]}"#,
            ["{\"t\":\"b\",\"n\":1}", "{\"n\":null,\"t\":\"a\"}"], ["{\"t\":\"a\",\"n\":1}", "{}", "{\"t\":1}", "1"]
        ),
    ]

    @Test(arguments: cases)
    func `bytes are judged as their value is`(_ schema: String, _ valid: [String], _ invalid: [String]) throws {
        let schema = try Schema(JSONParser.value(schema))
        var validator = ByteValidator(schema)
        for (texts, isValid) in [(valid, true), (invalid, false)] {
            for text in texts {
                let asBytes = validator.isValid(Array(text.utf8))
                #expect(asBytes == isValid, "\(text)")
                #expect(schema.isValid(try JSONParser.value(text)) == isValid, "\(text)")
            }
        }
    }

    @Test func `a flaw makes a text not valid, whatever its value is`() throws {
        let schema = try Schema(true)
        #expect(schema.isValid(bytes: Array(#"{"a":1}"#.utf8)))
        #expect(!schema.isValid(bytes: Array(#"{"a":1,"a":1}"#.utf8)))
        #expect(!schema.isValid(bytes: Array(#"["\ud800"]"#.utf8)))
        #expect(!schema.isValid(bytes: Array("{".utf8)))
        #expect(!schema.isValid(bytes: []))
    }

    @Test func `more names can be required than a word has bits`() throws {
        let names = (0..<100).map { "name\($0)" }
        let schema = try Schema([
            "required": .array(names.map { .string($0) }), "properties": ["name99": ["type": "null"]],
        ])
        var object = JSONObject(names.map { (key: $0, value: .null) })
        #expect(schema.isValid(bytes: Array(JSONValue.object(object).text().utf8)))
        for name in ["name0", "name63", "name64", "name99"] {
            object[name] = nil
            #expect(!schema.isValid(bytes: Array(JSONValue.object(object).text().utf8)))
            object[name] = .null
        }
    }
}
