/// UUIDs of RFC 4122, of any version.
enum UUIDFormat {
    static func accepts(_ bytes: UnsafeBufferPointer<UInt8>) -> Bool {
        guard bytes.count == 36, bytes[8] == UInt8(ascii: "-"), bytes[13] == UInt8(ascii: "-"),
            bytes[18] == UInt8(ascii: "-"), bytes[23] == UInt8(ascii: "-")
        else { return false }
        let raw = UnsafeRawBufferPointer(bytes)
        // Eight bytes, or twice four of them; every offset plus its length is at most 36.
        func eight(_ offset: Int) -> UInt64 {
            raw.loadUnaligned(fromByteOffset: offset, as: UInt64.self)
        }
        func four(_ offset: Int) -> UInt64 {
            UInt64(raw.loadUnaligned(fromByteOffset: offset, as: UInt32.self))
        }
        return areHexDigits(eight(0)) && areHexDigits(four(9) << 32 | four(14))
            && areHexDigits(four(19) << 32 | four(24))
            && areHexDigits(eight(28))
    }

    /// Whether all eight bytes of a word are hexadecimal digits.
    ///
    /// No byte of the sums overflows, because bytes beyond ASCII are refused first; the high bit of each tells how it compares.
    @inline(__always)
    private static func areHexDigits(_ word: UInt64) -> Bool {
        let ones: UInt64 = 0x0101_0101_0101_0101
        let highs = ones &* 0x80
        let folded = word | ones &* 0x20
        let isDigit = (word &+ ones &* (0x80 - 0x30)) & ~(word &+ ones &* (0x80 - 0x3A))
        let isLetter = (folded &+ ones &* (0x80 - 0x61)) & ~(folded &+ ones &* (0x80 - 0x67))
        return word & highs == 0 && (isDigit | isLetter) & highs == highs
    }
}
