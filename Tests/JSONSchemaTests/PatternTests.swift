import HoldfastJSON
import HoldfastJSONSchema
import Testing

struct `Patterns` {
    @Test(
        arguments: [
            ("^a|b$", ["a", "xb", "ax"], ["xa", "bx"]),
            ("^(?:ab){2,3}$", ["abab", "ababab"], ["ab", "abababab"]),
            ("^a{2,}$", ["aa", "aaaa"], ["a"]),
            ("^[^\\d\\s]+$", ["a-b"], ["a1", "a b", ""]),
            ("^[\\w-]+$", ["a-b_1"], ["é", ""]),
            ("^[a\\-z]$", ["-", "a", "z"], ["b"]),
            ("^.$", ["é", "😀"], ["\n", "ab", "e\u{301}"]),
            ("^(?<year>\\d{4})-(?:0[1-9]|1[0-2])$", ["2026-12"], ["2026-13"]),
            ("^\\p{Lu}\\P{L}$", ["A1"], ["a1", "AB"]),
            ("^\\u{1F600}\\uD83D\\uDE00\\x41\\cJ\\0$", ["😀😀A\n\0"], []),
            ("^(a*)*$", ["", "aaa"], ["b"]),
            ("^(|a)+b$", ["b", "aab"], ["a"]),
            ("", ["", "x"], []),
            ("[]", [], ["", "x"]),
            ("^[^]$", ["\n"], [""]),
            ("^\\S+@\\S+\\.\\S+$", ["a@b.c"], ["a@b"]),
        ] as [(String, [String], [String])])
    func `a pattern takes what ECMA-262 says`(pattern: String, taken: [String], refused: [String]) throws {
        let schema = try Schema(["pattern": .string(pattern)])
        for text in taken { #expect(schema.isValid(.string(text)), "\(text)") }
        for text in refused { #expect(!schema.isValid(.string(text)), "\(text)") }
    }

    @Test(arguments: [
        "(", ")", "[", "a{2", "a{3,2}", "*", "a**", "\\", "\\a", "\\Z", "\\-", "(?i)a", "(?P<n>a)", "(?<n>a)(?<n>b)",
        "\\k<n>", "\\2", "[z-a]", "[\\d-z]", "\\p{Nope}", "\\u{110000}", "\\u12", "]", "{", "\\01", "(?<=a)*",
    ])
    func `what is no pattern is refused`(pattern: String) {
        #expect(throws: SchemaProblem.self) { try Schema(["pattern": .string(pattern)]) }
    }

    @Test(arguments: ["(a)\\1", "(?<n>a)\\k<n>", "\\p{Script=Greek}", "\\bcat", "a(?=b)", "(?<!a)b"])
    func `what cannot be run here is refused with a reason`(pattern: String) {
        #expect(throws: SchemaProblem.self) { try Schema(["pattern": .string(pattern)]) }
    }

    @Test func `no text makes a pattern run away`() throws {
        for pattern in ["^(a+)+$", "^(a|aa)*$", "(x+x+)+y", "^(?:(?:a?){30})a{30}$"] {
            let schema = try Schema(["pattern": .string(pattern)])
            #expect(!schema.isValid(.string(String(repeating: "a", count: 20_000) + "!")))
        }
        #expect(throws: SchemaProblem.self) { try Schema(["pattern": "((a{1000}){1000}){1000}"]) }
        #expect(throws: SchemaProblem.self) { try Schema(["pattern": "(?:){9999999999}a{9999999999}"]) }
        #expect(throws: SchemaProblem.self) {
            try Schema(["pattern": .string(String(repeating: "(", count: 100_000))])
        }
    }
}
