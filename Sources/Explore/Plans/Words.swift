import HoldfastJSON

/// Texts that are difficult to carry, cut, count and compare.
enum Words {
    static let all = [
        "yes", "one\ntwo\n\nthree", " ", "é and e\u{301}", "👩‍👩‍👧‍👦🏳️‍🌈", "שלום مرحبا", "\u{2028}\u{FEFF}end", "a\u{0}b",
        #"quotes " and \ and \u0041"#, "<b>&amp;</b>", "{not json", "null", "0", "𝄞𐍈", "한국어 日本語",
        String(repeating: "word ", count: 60), String(repeating: "👍🏽", count: 210), String(repeating: "ß", count: 3000),
    ]

    /// Those with visible characters.
    static let said = all.filter { $0.contains { !$0.isWhitespace } }

    /// A text that is typed more than once.
    static let repeated = "the same again"

    static let context: JSONValue = [["role": "system", "content": "Be brief."]]
    static let extra: JSONValue = ["locale": "de", "Type": "sync", "unknown": [1, nil]]

    /// Members that no version defines.
    static let newer: JSONValue = ["mood": "fine", "since": 7, "nested": ["type": "error", "list": [1, ["a": nil]]]]

    static let tools = ["webFetch", "calculator", "名前", "a tool with spaces"]
}
