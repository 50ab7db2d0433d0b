/// A short name for a finding that stays the same when lines move.
enum GateFingerprint {
    /// Sixteen hexadecimal digits, by FNV-1a over the parts with their lengths.
    static func of(_ parts: [String]) -> String {
        var hash: UInt64 = 0xcbf2_9ce4_8422_2325
        func take(_ byte: UInt8) {
            hash = (hash ^ UInt64(byte)) &* 0x100_0000_01b3
        }
        for part in parts {
            for byte in "\(part.utf8.count):".utf8 { take(byte) }
            for byte in part.utf8 { take(byte) }
        }
        let digits = String(hash, radix: 16)
        return String(repeating: "0", count: 16 - digits.count) + digits
    }
}
