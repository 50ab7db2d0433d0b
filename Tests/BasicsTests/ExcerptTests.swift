import HoldfastBasics
import Testing

@Suite struct ExcerptTests {
    @Test(arguments: [
        ("a\u{85}b", #"a\u{85}b"#), ("a\u{2028}b\u{2029}", #"a\u{2028}b\u{2029}"#),
        ("a\u{200B}b\u{200C}c\u{2060}d\u{FEFF}", #"a\u{200b}b\u{200c}c\u{2060}d\u{feff}"#),
        ("a\u{200D}b", #"a\u{200d}b"#), ("\u{202E}evil", #"\u{202e}evil"#), ("é and e\u{301}", "é and e\u{301}"),
        ("👩\u{200D}👧", "👩\u{200D}👧"),
    ])
    func `what has no shape is shown by its number`(text: String, shown: String) {
        #expect(visible(text).unicodeScalars.elementsEqual(shown.unicodeScalars))
    }

    @Test func `what is to be kept is kept`() {
        #expect(visible("a\nb\tc", keeping: ["\n"]) == "a\nb\\u{9}c")
    }
}
