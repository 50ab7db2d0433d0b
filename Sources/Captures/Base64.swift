/// Base64 of RFC 4648.
enum Base64 {
    /// The bytes of a text, in either alphabet and with or without padding; nil if it is not Base64.
    static func bytes(_ text: String) -> [UInt8]? {
        let digits = text.utf8.filter { $0 != 0x0A && $0 != 0x0D }
        let plain = digits.prefix { $0 != UInt8(ascii: "=") }
        let padding = digits[plain.endIndex...]
        guard plain.count % 4 != 1, padding.count <= 2, padding.allSatisfy({ $0 == UInt8(ascii: "=") }) else {
            return nil
        }
        var bytes: [UInt8] = []
        var (bits, count): (UInt32, Int) = (0, 0)
        for digit in plain {
            let value: UInt8
            switch digit {
            case 0x41...0x5A: value = digit - 0x41
            case 0x61...0x7A: value = digit - 0x61 + 26
            case 0x30...0x39: value = digit - 0x30 + 52
            case UInt8(ascii: "+"), UInt8(ascii: "-"): value = 62
            case UInt8(ascii: "/"), UInt8(ascii: "_"): value = 63
            default: return nil
            }
            (bits, count) = (bits << 6 | UInt32(value), count + 6)
            guard count >= 8 else { continue }
            count -= 8
            bytes.append(UInt8(truncatingIfNeeded: bits >> UInt32(count)))
        }
        return bytes
    }
}
