/// CRC-32 as in IEEE 802.3: tells a whole record from one that a crash cut short.
enum Checksum {
    private static let table: [UInt32] = (0..<256).map { start in
        (0..<8).reduce(UInt32(start)) { value, _ in value & 1 == 1 ? 0xEDB8_8320 ^ (value >> 1) : value >> 1 }
    }

    /// The checksum of some bytes, as eight hexadecimal digits.
    static func text(of bytes: some Sequence<UInt8>) -> String {
        let sum = ~bytes.reduce(~UInt32(0)) { value, byte in table[Int((value ^ UInt32(byte)) & 0xFF)] ^ (value >> 8) }
        let digits = String(sum, radix: 16)
        return String(repeating: "0", count: 8 - digits.count) + digits
    }
}
