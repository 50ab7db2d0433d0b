/// Converts times in database format, `2026-11-20 21:08:37` in UTC, from and to RFC 3339.
enum SpacedTime {
    /// The RFC 3339 form; nil for other texts.
    static func decoded(_ text: String) -> String? {
        let bytes = Array(text.utf8)
        guard bytes.count == 19, hasShape(bytes, separator: UInt8(ascii: " ")) else { return nil }
        return text.prefix(10) + "T" + text.dropFirst(11) + "Z"
    }

    /// The database format of a UTC time, without its fraction; nil for other texts.
    static func encoded(_ text: String) -> String? {
        let bytes = Array(text.utf8)
        guard bytes.count >= 20, bytes.last == UInt8(ascii: "Z"),
            hasShape(Array(bytes.prefix(19)), separator: UInt8(ascii: "T"))
        else { return nil }
        return text.prefix(10) + " " + text.dropFirst(11).prefix(8)
    }

    private static func hasShape(_ bytes: [UInt8], separator: UInt8) -> Bool {
        bytes.enumerated().allSatisfy { index, byte in
            switch index {
            case 4, 7: byte == UInt8(ascii: "-")
            case 10: byte == separator
            case 13, 16: byte == UInt8(ascii: ":")
            default: (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
            }
        }
    }
}
