/// UUIDs of RFC 4122, of any version.
enum UUIDFormat {
    static func accepts(_ bytes: UnsafeBufferPointer<UInt8>) -> Bool {
        guard bytes.count == 36, bytes[8] == UInt8(ascii: "-"), bytes[13] == UInt8(ascii: "-"),
            bytes[18] == UInt8(ascii: "-"), bytes[23] == UInt8(ascii: "-")
        else { return false }
        let raw = UnsafeRawBufferPointer(bytes)
        // Eight bytes, or twice four; every offset plus its length is at most 36.
        func eight(_ offset: Int) -> UInt64 { raw.loadUnaligned(fromByteOffset: offset, as: UInt64.self) }
        func four(_ offset: Int) -> UInt64 { UInt64(raw.loadUnaligned(fromByteOffset: offset, as: UInt32.self)) }
        let words = (eight(0), four(9) << 32 | four(14), four(19) << 32 | four(24), eight(28))
        let highs: UInt64 = 0x8080_8080_8080_8080
        return (words.0 | words.1 | words.2 | words.3) & highs == 0
            && hexDigits(words.0) & hexDigits(words.1) & hexDigits(words.2) & hexDigits(words.3) & highs == highs
    }

    /// Sets the high bit of every byte that is a hexadecimal digit; the other bits are arbitrary.
    ///
    /// If all bytes are ASCII, no sum overflows its byte, so its high bit is the result of a comparison.
    @inline(__always)
    private static func hexDigits(_ word: UInt64) -> UInt64 {
        let ones: UInt64 = 0x0101_0101_0101_0101
        let folded = word | ones &* 0x20
        let isDigit = (word &+ ones &* (0x80 - 0x30)) & ~(word &+ ones &* (0x80 - 0x3A))
        let isLetter = (folded &+ ones &* (0x80 - 0x61)) & ~(folded &+ ones &* (0x80 - 0x67))
        return isDigit | isLetter
    }
}
