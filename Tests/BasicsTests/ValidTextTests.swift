import HoldfastBasics
import Testing

@Suite struct ValidTextTests {
    @Test(arguments: ["", "a", "longer than fifteen bytes", "é and 👩\u{200D}👧", "\u{FFFD}", "\0"])
    func `a text is read`(text: String) {
        #expect(String(utf8: Array(text.utf8)) == text)
        #expect(String(utf8: [Array(text.utf8), []].joined()) == text)
    }

    // Of these, the first three are mended to as many bytes as they have.
    @Test(arguments: [
        [0xF0, 0x9F, 0x92], [0xE2, 0x82, 0x41, 0x41, 0xC3], [0xED, 0xA0, 0x80], [0xFF], [0xC0, 0x80], [0x61, 0xC3],
        [0xF4, 0x90, 0x80, 0x80],
    ])
    func `what is no text is refused`(bytes: [UInt8]) {
        #expect(String(utf8: bytes) == nil)
        #expect(String(utf8: bytes.map { [$0] }.joined()) == nil)
    }
}
