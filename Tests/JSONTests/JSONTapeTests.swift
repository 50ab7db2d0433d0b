import Testing

@testable import HoldfastJSON

struct `JSON tape` {
    /// The tape's answer, and the value it holds when the answer is yes.
    static func read(_ bytes: [UInt8], _ tape: inout JSONTape) -> JSONValue? {
        bytes.withUnsafeBufferPointer { bytes in
            tape.withTokens(of: bytes) { $0?.value() }
        }
    }

    static func isSound(_ bytes: [UInt8], _ tape: inout JSONTape) -> Bool {
        tape.isSound(bytes)
    }

    @Test(arguments: [
        "{}", "[]", " [ ] ", "{ \"a\" : [ 1 , -2.5e+3 , true,false ,null ] }\n", "\"\"", "0", "-0", "1e5",
        #"{"a":{"b":[{},[],{"c":"\ud83d\ude00\u00e9\n\/"}]},"":"","é":"日本語🙂"}"#, #"{"\u0061":1,"b":2}"#,
        "\"1234567\"", "\"12345678\"", "\"123456789012345é\"", "[[[[[[[[]]]]]]]]",
    ])
    func `a sound text gives the same value as the parser`(_ text: String) throws {
        var tape = JSONTape()
        #expect(Self.read(Array(text.utf8), &tape) == (try JSONParser.value(text)))
    }

    @Test(arguments: [
        "", " ", "{", "[", "]", "[1,]", "{\"a\"}", "{\"a\":}", "{\"a\":1,}", "{,}", "[1 2]", "01", "-", "1.", "1e",
        ".5",
        "+1", "tru", "nul", "\"", "\"\\x\"", "\"\\u12g4\"", "\"\\", "\"\t\"", "[1}", "{\"a\":1]", "1 1", "\u{FEFF}1",
        #"{"a":1,"a":2}"#, #"{"a":1,"\u0061":2}"#, #"{"a":1,"b":{"c":1,"d":2,"c":3}}"#, #""\ud800""#, #""\udc00""#,
        #""\ud800\ud800""#, #""\ud83d\u0041""#, #"{"\ud800":1}"#, "{1:2}", "[\"a\":1]",
    ])
    func `a text with a problem or a flaw is not sound`(_ text: String) {
        var tape = JSONTape()
        #expect(!Self.isSound(Array(text.utf8), &tape))
        #expect(throws: JSONProblem.self) { try JSONParser.value(text) }
    }

    @Test func `limits hold as they do for the parser`() {
        var tape = JSONTape(limits: JSONLimits(maxDepth: 3, maxBytes: 20))
        #expect(Self.isSound(Array("[[[1]]]".utf8), &tape))
        #expect(!Self.isSound(Array("[[[[]]]]".utf8), &tape))
        #expect(!Self.isSound(Array("[[[{}]]]".utf8), &tape))
        #expect(Self.isSound(Array("\"123456789012345678\"".utf8), &tape))
        #expect(!Self.isSound(Array("\"1234567890123456789\"".utf8), &tape))
    }

    @Test(arguments: [10, 32, 33, 64, 1_000])
    func `a name that comes twice is found among any number of names`(_ count: Int) {
        var tape = JSONTape()
        let names = (0..<count).map { "\"name-\($0)-of-some-length\":\($0)" }
        #expect(Self.isSound(Array("{\(names.joined(separator: ","))}".utf8), &tape))
        for position in [0, count / 2, count - 1] {
            let twice = names + ["\"name-\(position)-of-some-length\":null"]
            #expect(!Self.isSound(Array("{\(twice.joined(separator: ","))}".utf8), &tape))
        }
        // Names that differ only in the middle hash alike.
        let alike = (0..<count).map { "\"12345678-\($0 + 1_000)-87654321\":0" }
        #expect(Self.isSound(Array("{\(alike.joined(separator: ","))}".utf8), &tape))
        #expect(!Self.isSound(Array("{\((alike + [alike[0]]).joined(separator: ","))}".utf8), &tape))
    }

    @Test func `every prefix and every broken byte is judged as the parser judges it`() {
        let text =
            #"{"type":"done","naïve":[1,-2.5e3,"a\n\ud83d\ude00é🙂",null,true,{"b":{},"c":[[]]}],"long":"0123456789é"}"#
        var tape = JSONTape()
        let bytes = Array(text.utf8)
        for length in 0...bytes.count {
            let prefix = Array(bytes.prefix(length))
            let value = try? JSONParser.value(bytes: prefix)
            #expect(Self.read(prefix, &tape) == value)
        }
        for position in bytes.indices {
            for byte in [0x00, 0x1F, 0x22, 0x5C, 0x7F, 0x80, 0xC0, 0xE0, 0xED, 0xF0, 0xF4, 0xFF] as [UInt8] {
                var broken = bytes
                broken[position] = byte
                let value = try? JSONParser.value(bytes: broken)
                if Self.read(broken, &tape) != value { Issue.record("byte \(byte) at \(position)") }
            }
        }
    }
}
