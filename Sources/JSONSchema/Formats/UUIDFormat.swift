/// UUIDs of RFC 4122, of any version.
enum UUIDFormat {
    static func accepts(_ bytes: UnsafeBufferPointer<UInt8>) -> Bool {
        guard bytes.count == 36, bytes[8] == UInt8(ascii: "-"), bytes[13] == UInt8(ascii: "-"),
            bytes[18] == UInt8(ascii: "-"), bytes[23] == UInt8(ascii: "-")
        else { return false }
        var digits = 0
        for byte in bytes where CharacterTests.isHexDigit(byte) { digits += 1 }
        return digits == 32
    }
}
