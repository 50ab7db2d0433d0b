/// UUIDs of RFC 4122, of any version.
enum UUIDFormat {
    static func accepts(_ string: String) -> Bool {
        let bytes = Array(string.utf8)
        return bytes.count == 36
            && bytes.enumerated().allSatisfy { position, byte in
                [8, 13, 18, 23].contains(position) ? byte == UInt8(ascii: "-") : CharacterTests.isHexDigit(byte)
            }
    }
}
