/// UUIDs of RFC 4122, of any version.
enum UUIDFormat {
    static func accepts(_ bytes: UnsafeBufferPointer<UInt8>) -> Bool {
        guard bytes.count == 36 else { return false }
        for position in 0..<36 {
            switch position {
            case 8, 13, 18, 23: if bytes[position] != UInt8(ascii: "-") { return false }
            default: if !CharacterTests.isHexDigit(bytes[position]) { return false }
            }
        }
        return true
    }
}
