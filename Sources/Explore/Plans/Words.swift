/// Texts that are carried, cut, counted and compared.
enum Words {
    static let all = [
        "yes", "one\ntwo\n\nthree", " ", "é and e\u{301}", "👩‍👩‍👧‍👦🏳️‍🌈", "שלום مرحبا", "\u{2028}\u{FEFF}end", "a\u{0}b",
        #"quotes " and \ and \u0041"#, "<b>&amp;</b>", "{not json", "null", "0", "𝄞𐍈", "한국어 日本語",
        String(repeating: "word ", count: 60), String(repeating: "👍🏽", count: 210), String(repeating: "ß", count: 3000),
    ]

    /// What people say more than once.
    static let usual = "the same again"

    static let tools = ["webFetch", "calculator", "名前", "a tool with spaces"]
}
