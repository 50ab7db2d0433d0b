import HoldfastJSON
import Testing

struct `JSON parser` {
    /// The words of the problem a text has.
    private func problem(_ text: String, limits: JSONLimits = .standard) -> String {
        do {
            return "accepted as \(try JSONParser.value(text, limits: limits))"
        } catch {
            return error.description
        }
    }

    private func problem(bytes: [UInt8]) -> String {
        do {
            return "accepted as \(try JSONParser.value(bytes: bytes))"
        } catch {
            return error.description
        }
    }

    @Test(arguments: [
        ("", "1:1: nothing but white space; expected a value"),
        (" \n ", "1:1: nothing but white space; expected a value"),
        ("[1,]", "1:4: found ']'; expected a value"),
        ("[", "1:2: found the end of the text; expected a value or ']'"),
        ("[}", "1:2: found '}'; expected a value or ']'"),
        ("[1 2]", "1:4: found '2'; expected ',' or ']'"),
        ("{", "1:2: found the end of the text; expected a key in quotes or '}'"),
        ("{a:1}", "1:2: found 'a'; expected a key in quotes or '}'"),
        ("{\"a\" 1}", "1:6: found '1'; expected ':'"),
        ("{\"a\":1,}", "1:8: found '}'; expected a key in quotes"),
        ("{\"a\":1", "1:7: found the end of the text; expected ',' or '}'"),
        ("{\"a\":}", "1:6: found '}'; expected a value"),
        ("nul", "1:1: found 'n'; expected a value"),
        ("NaN", "1:1: found 'N'; expected a value"),
        ("01", "1:2: found '1'; expected no digit after a leading zero"),
        ("-", "1:2: found the end of the text; expected a digit"),
        ("+1", "1:1: found '+'; expected a value"),
        ("1.", "1:3: found the end of the text; expected a digit after the decimal point"),
        ("1e+", "1:4: found the end of the text; expected a digit in the exponent"),
        ("1 x", "1:3: found 'x' after the value; expected the end of the text"),
        ("\n\n  tru", "3:3: found 't'; expected a value"),
        ("\"é🙂\" x", "1:6: found 'x' after the value; expected the end of the text"),
        ("\"abc", "1:1: the string is not closed; expected '\"' before the end of the text"),
        ("\"a\tb\"", "1:3: a bare control character U+0009 in a string; expected its escape, \\t"),
        ("\"\u{1}\"", "1:2: a bare control character U+0001 in a string; expected its escape, \\u0001"),
        ("\"\\x\"", "1:3: found 'x' in an escape; expected one of \" \\ / b f n r t u"),
        ("\"\\u12g4\"", "1:6: found 'g' in an escape; expected four hexadecimal digits after \\u"),
        ("\u{FEFF}1", "1:1: a byte order mark; expected the value to start at once"),
        ("\u{2060}1", "1:1: found U+2060; expected a value"),
        ("{\"a\":1,\n \"a\":2}", "2:2: the key 'a' comes twice in one object; expected each key once"),
        (
            "[\"\\ud800\"]",
            "1:3: an unpaired surrogate escape; expected a pair such as \\ud83d\\ude00"
        ),
    ])
    func `a problem names place, finding and expectation`(text: String, words: String) {
        #expect(problem(text) == words)
    }

    @Test(
        arguments: [
            ([0x22, 0xED, 0xA0, 0x80, 0x22], "1:2: the bytes ED A0 80 are not UTF-8; expected UTF-8 throughout"),
            ([0x22, 0xC0, 0x80, 0x22], "1:2: the bytes C0 80 are not UTF-8; expected UTF-8 throughout"),
            (
                [0x22, 0xF4, 0x90, 0x80, 0x80, 0x22],
                "1:2: the bytes F4 90 80 80 are not UTF-8; expected UTF-8 throughout"
            ),
            ([0x22, 0xE2, 0x82, 0x22], "1:2: the bytes E2 82 are not UTF-8; expected UTF-8 throughout"),
            ([0xFF], "1:1: the bytes FF are not UTF-8; expected UTF-8 throughout"),
            ([0x5B, 0x31, 0xFF], "1:3: the bytes FF are not UTF-8; expected UTF-8 throughout"),
            ([0x31, 0x20, 0xFF], "1:3: the bytes FF are not UTF-8; expected UTF-8 throughout"),
        ] as [([UInt8], String)])
    func `bytes that are no UTF-8 are refused`(bytes: [UInt8], words: String) {
        #expect(problem(bytes: bytes) == words)
    }

    @Test func `depth and size have limits`() {
        let nest = { (depth: Int) in String(repeating: "[", count: depth) + String(repeating: "]", count: depth) }
        #expect((try? JSONParser.value(nest(512))) != nil)
        #expect(
            problem(nest(513))
                == "1:513: more than 512 arrays and objects inside one another; expected at most 512")
        #expect((try? JSONParser.value(nest(1024), limits: JSONLimits(maxDepth: .max))) != nil)
        #expect((try? JSONParser.value(nest(1025), limits: JSONLimits(maxDepth: .max))) == nil)
        #expect((try? JSONParser.value(String(repeating: "{\"a\":", count: 1_000_000))) == nil)
        #expect(
            problem("[1,2]", limits: JSONLimits(maxBytes: 4))
                == "1:1: the text is longer than 4 bytes; expected at most 4 bytes")
        #expect(throws: JSONProblem.self) {
            try JSONParser.document(
                bytes: repeatElement(UInt8(ascii: " "), count: 100), limits: JSONLimits(maxBytes: 4))
        }
    }

    @Test func `strings keep every scalar`() throws {
        let text = "\"e\\u0301 é \\ud83d\\ude00 \\u0000 \u{FEFF}\u{FFFF}\""
        let value = try #require(try JSONParser.value(text).stringValue)
        #expect(Array(value.unicodeScalars) == Array("e\u{301} é 😀 \0 \u{FEFF}\u{FFFF}".unicodeScalars))
        let twoKeys = try JSONParser.value("{\"é\":1,\"e\\u0301\":2}")
        #expect(twoKeys["é"] == 1)
        #expect(twoKeys["e\u{301}"] == 2)
    }

    @Test func `flaws are listed with place and pointer, and do not stop a document`() throws {
        let text = """
            {"a": [1, {"b": 1, "b": 2}],
             "t": "x\\udc00\\ud83dy\\ud83d\\ude00",
             "k\\ud800": 0, "a": 3}
            """
        let document = try JSONParser.document(text)
        #expect(
            document.flaws.map { "\($0.pointer.description) \($0.description)" } == [
                "/a/1/b 1:20: the key 'b' comes twice in one object; expected each key once",
                "/t 2:9: an unpaired surrogate escape; expected a pair such as \\ud83d\\ude00",
                "/t 2:15: an unpaired surrogate escape; expected a pair such as \\ud83d\\ude00",
                " 3:4: an unpaired surrogate escape; expected a pair such as \\ud83d\\ude00",
                "/a 3:16: the key 'a' comes twice in one object; expected each key once",
            ])
        #expect(document.root == ["a": 3, "t": "x\u{FFFD}\u{FFFD}y😀", "k\u{FFFD}": 0])
        #expect(document.root.objectValue?.keys == ["a", "t", "k\u{FFFD}"])
    }

    @Test func `flaws are counted up to a limit`() throws {
        let text = "[" + Array(repeating: "\"\\ud800\"", count: 5000).joined(separator: ",") + "]"
        #expect(try JSONParser.document(text).flaws.count == 100)
        #expect(throws: JSONProblem.self) { try JSONParser.value(text, limits: JSONLimits(maxFlaws: 0)) }
    }

    @Test func `an object of many keys is read in bounded time`() throws {
        let members = (0..<100_000).map { "\"key\($0)\":\($0)" }.joined(separator: ",")
        let value = try JSONParser.value("{\(members)}")
        #expect(value["key99999"] == 99999)
        #expect(value.objectValue?.count == 100_000)
    }

    @Test(arguments: [
        ("", "1:3"), ("/a", "1:9"), ("/a/0", "2:3"), ("/a/1", "2:9"), ("/a/1/x~1y", "2:17"), ("/é", "3:7"),
        ("/d", "3:15"),
        ("/a/2", "none"), ("/a/01", "none"), ("/b", "none"), ("/a/0/0", "none"),
    ])
    func `a pointer is found in the text`(pointer: String, place: String) throws {
        let text = "  {\"a\": [\n  \"]}\", {\"x/y\": 5} ],\n \"é\": 1, \"d\": 2}"
        let parsed = try JSONPointer(parsing: pointer)
        #expect((JSONParser.location(of: parsed, in: text)?.description ?? "none") == place)
    }

    @Test func `the last of two members of one name is located`() {
        #expect(JSONParser.location(of: JSONPointer(tokens: ["a"]), in: "{\"a\":1,\"a\":2}")?.column == 12)
        #expect(JSONParser.location(of: JSONPointer(tokens: ["a"]), in: "{\"a\":1")?.column == 6)
        #expect(JSONParser.location(of: JSONPointer(tokens: ["0"]), in: "[") == nil)
    }
}
