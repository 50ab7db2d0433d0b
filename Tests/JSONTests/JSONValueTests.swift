import HoldfastJSON
import Testing

struct `JSON values` {
    @Test func `every character survives at every index of a string`() throws {
        for scalar in (0...0x82).compactMap(Unicode.Scalar.init) {
            for before in 0...17 {
                let text = String(repeating: "a", count: before) + String(Character(scalar)) + "bcdefghij"
                let written = JSONValue.string(text).text()
                #expect(try JSONParser.document(written).root.stringValue == text)
                #expect(written.utf8.allSatisfy { $0 >= 0x20 })
            }
        }
    }

    @Test func `equality is JSON's, not Swift's`() throws {
        #expect(try JSONParser.value("[1, 2.50]") == [1.0, 2.5])
        #expect(try JSONParser.value("{\"a\":1,\"b\":[]}") == ["b": [], "a": 1])
        #expect(JSONValue.string("é") != .string("e\u{301}"))
        #expect(JSONValue.bool(true) != 1)
        #expect(JSONValue.null != false)
        #expect(Set<JSONValue>([1, 1.0, "1", ["a": 1, "b": 2], ["b": 2.0, "a": 1]]).count == 3)
        #expect(Set<JSONValue>(["é", "e\u{301}"]).count == 2)
    }

    @Test func `accessors give nil for what is not there`() {
        let value: JSONValue = ["list": [1, "two", nil, true], "object": ["deep": 1e3], "pi": 3.5]
        #expect(value["list"]?[1]?.stringValue == "two")
        #expect(value["list"]?[2]?.isNull == true)
        #expect(value["list"]?[3]?.boolValue == true)
        #expect(value["list"]?[4] == nil)
        #expect(value["list"]?[-1] == nil)
        #expect(value["object"]?["deep"]?.intValue == 1000)
        #expect(value["pi"]?.intValue == nil)
        #expect(value["pi"]?.doubleValue == 3.5)
        #expect(value["nothing"] == nil)
        #expect(value[0] == nil)
        #expect(value["list"]?["a"] == nil)
        #expect(value["list"]?.arrayValue?.count == 4)
        #expect(value[JSONPointer(tokens: ["object", "deep"])] == 1000)
        #expect(value[JSONPointer(tokens: ["list", "-"])] == nil)
        #expect(value[JSONPointer(tokens: ["list", "00"])] == nil)
    }

    @Test func `members can be set, replaced and removed`() {
        var value: JSONValue = [:]
        value["b"] = 1
        value["a"] = ["x": 1]
        value["b"] = 2
        #expect(value.text() == #"{"b":2,"a":{"x":1}}"#)
        value["b"] = nil
        #expect(value.text() == #"{"a":{"x":1}}"#)
        var object = JSONObject((0..<20).map { ("k\($0)", JSONValue($0)) })
        object["k3"] = nil
        #expect(object.count == 19)
        #expect(object["k19"] == 19)
        #expect(object["k3"] == nil)
        #expect(object.keys.first == "k0")
        object["new"] = "last"
        #expect(object.keys.last == "new")
        #expect(object.contains("k7"))
    }

    @Test func `the writer keeps numbers, order and characters`() throws {
        let text = #"{"z":1.50,"a":[1E2,-0,{}],"s":"/\u0001\t\"\\é😀 "}"#
        #expect(try JSONParser.value(text).text() == text)
        #expect(
            try JSONParser.value(text).text(pretty: true, sortedKeys: true) == #"""
                {
                  "a": [
                    1E2,
                    -0,
                    {}
                  ],
                  "s": "/\u0001\t\"\\é😀 ",
                  "z": 1.50
                }
                """#)
        #expect(JSONValue.string("\u{8}\u{C}\n\r\u{7F}").text() == "\"\\b\\f\\n\\r\u{7F}\"")
    }

    @Test(arguments: [
        ("abc", 5, "\"abc\"", true), ("abcd", 5, "\"abcd", false), ("", 2, "\"\"", true), ("\n\n", 6, #""\n\n""#, true),
        ("\n\nx", 6, #""\n\nx"#, false), (String(repeating: "é", count: 1000), 3, "\"éé", false),
        (String(repeating: "\u{1}", count: 1000), 8, #""\u0001\"#, false),
    ])
    func `a text that is cut is the beginning of the whole`(string: String, limit: Int, text: String, isWhole: Bool) {
        let cut = JSONValue.string(string).text(limit: limit)
        #expect(cut.text == text)
        #expect(cut.isWhole == isWhole)
    }

    @Test func `type names are those of JSON Schema`() {
        let values: [JSONValue] = [nil, true, 1, "s", [], [:]]
        #expect(values.map(\.typeName) == ["null", "boolean", "number", "string", "array", "object"])
    }
}

struct `JSON pointers` {
    @Test(arguments: ["", "/", "/a/0", "/a~1b/m~0n", "/ /é", "//"])
    func `text is read and written back`(text: String) throws {
        #expect(try JSONPointer(parsing: text).description == text)
    }

    @Test(arguments: [
        ("a", "1:1: the pointer starts with 'a'; expected '/', or nothing at all"),
        ("/é~2", "1:4: found '2' after '~' in a pointer; expected ~0 for '~' or ~1 for '/'"),
        ("/a~", "1:4: found the end after '~' in a pointer; expected ~0 for '~' or ~1 for '/'"),
    ])
    func `what is no pointer is refused with its place`(text: String, words: String) {
        #expect(JSONPointer(text) == nil)
        do {
            _ = try JSONPointer(parsing: text)
        } catch {
            #expect(error.description == words)
        }
    }

    @Test func `pointers are built and taken apart`() {
        let pointer = JSONPointer().appending("a/b").appending(3)
        #expect(pointer.description == "/a~1b/3")
        #expect(pointer.parent?.description == "/a~1b")
        #expect(pointer.lastToken == "3")
        #expect(JSONPointer().parent == nil)
        #expect(pointer.starts(with: JSONPointer(tokens: ["a/b"])))
        #expect(!pointer.starts(with: JSONPointer(tokens: ["a"])))
        #expect(JSONPointer(tokens: ["é"]) != JSONPointer(tokens: ["e\u{301}"]))
    }
}
