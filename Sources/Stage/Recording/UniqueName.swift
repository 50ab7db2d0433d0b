import HoldfastBasics

/// Names that no earlier scenario or run has used.
enum UniqueName {
    /// Sixteen random bytes, spelled as a UUID of version 4.
    static func uuid() -> String {
        var bytes = (0..<16).map { _ in UInt8.random(in: .min ... .max) }
        bytes[6] = bytes[6] & 0x0F | 0x40
        bytes[8] = bytes[8] & 0x3F | 0x80
        let digits = hexDigits(bytes)
        var parts: [Substring] = []
        var rest = digits[...]
        for length in [8, 4, 4, 4, 12] {
            parts.append(rest.prefix(length))
            rest = rest.dropFirst(length)
        }
        return parts.joined(separator: "-")
    }

    /// Eight random digits, for texts that people read.
    static func short() -> String {
        hexDigits((0..<4).map { _ in UInt8.random(in: .min ... .max) })
    }
}
