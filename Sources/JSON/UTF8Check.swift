/// The well-formed UTF-8 sequences of Unicode, table 3-7: no overlong form, no surrogate, nothing above U+10FFFF.
enum UTF8Check {
    /// The length of the well-formed sequence at an offset, or 0 when there is none.
    static func length(in bytes: [UInt8], at offset: Int) -> Int {
        guard offset < bytes.count else { return 0 }
        let lead = bytes[offset]
        let count: Int
        var second: ClosedRange<UInt8> = 0x80...0xBF
        switch lead {
        case 0x00...0x7F: return 1
        case 0xC2...0xDF: count = 2
        case 0xE0:
            count = 3
            second = 0xA0...0xBF
        case 0xED:
            count = 3
            second = 0x80...0x9F
        case 0xE1...0xEF: count = 3
        case 0xF0:
            count = 4
            second = 0x90...0xBF
        case 0xF1...0xF3: count = 4
        case 0xF4:
            count = 4
            second = 0x80...0x8F
        default: return 0
        }
        guard offset + count <= bytes.count, second.contains(bytes[offset + 1]) else { return 0 }
        for next in bytes[(offset + 2)..<max(offset + 2, offset + count)] where next & 0xC0 != 0x80 {
            return 0
        }
        return count
    }

    /// Up to four bytes at an offset, as in `ED A0 80`.
    static func hexadecimal(in bytes: [UInt8], at offset: Int) -> String {
        // Only what could have belonged to the sequence: the lead byte and the continuations behind it.
        let rest = bytes.dropFirst(offset + 1).prefix(3).prefix { $0 & 0xC0 == 0x80 }
        return (bytes.dropFirst(offset).prefix(1) + rest).map { byte in
            let digits = String(byte, radix: 16, uppercase: true)
            return digits.count == 1 ? "0" + digits : digits
        }.joined(separator: " ")
    }
}
