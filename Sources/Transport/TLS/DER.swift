import HoldfastBasics

/// Values in the distinguished encoding of ASN.1 (X.690): a tag, a length, the content.
enum DER {
    static func value(_ tag: UInt8, _ content: [UInt8]) -> [UInt8] {
        var length: [UInt8] = []
        if content.count < 0x80 {
            length = [UInt8(content.count)]
        } else {
            var rest = content.count
            while rest > 0 {
                length.insert(UInt8(truncatingIfNeeded: rest), at: 0)
                rest >>= 8
            }
            length.insert(0x80 | UInt8(length.count), at: 0)
        }
        return [tag] + length + content
    }

    static func sequence(_ parts: [UInt8]...) -> [UInt8] { value(0x30, parts.flatMap(\.self)) }
    static func set(_ parts: [UInt8]...) -> [UInt8] { value(0x31, parts.flatMap(\.self)) }
    /// A value with a context tag such as `[0]`.
    static func tagged(_ number: UInt8, _ content: [UInt8]) -> [UInt8] { value(0xA0 | number, content) }
    static func boolean(_ value: Bool) -> [UInt8] { self.value(0x01, [value ? 0xFF : 0]) }
    static func octetString(_ bytes: [UInt8]) -> [UInt8] { value(0x04, bytes) }
    static func utf8String(_ text: String) -> [UInt8] { value(0x0C, Array(text.utf8)) }

    static func bitString(_ bytes: [UInt8], unusedBits: UInt8 = 0) -> [UInt8] { value(0x03, [unusedBits] + bytes) }

    /// A nonnegative number, most significant byte first.
    static func integer(_ bytes: [UInt8]) -> [UInt8] {
        let digits = Array(bytes.drop { $0 == 0 })
        return value(0x02, digits.first.map { $0 & 0x80 == 0 } ?? false ? digits : [0] + digits)
    }

    /// An object identifier of at least two numbers.
    static func identifier(_ numbers: Int...) -> [UInt8] {
        let merged = [numbers[0] * 40 + numbers[1]] + numbers[2...]
        return value(
            0x06,
            merged.flatMap { number in
                var bytes = [UInt8(number & 0x7F)]
                var rest = number >> 7
                while rest > 0 {
                    bytes.insert(UInt8(rest & 0x7F) | 0x80, at: 0)
                    rest >>= 7
                }
                return bytes
            })
    }

    /// The text form of RFC 7468.
    static func pem(_ label: String, _ bytes: [UInt8]) -> String {
        var text = "-----BEGIN \(label)-----\n"
        var rest = base64(bytes)[...]
        while !rest.isEmpty {
            text += rest.prefix(64) + "\n"
            rest = rest.dropFirst(64)
        }
        return text + "-----END \(label)-----"
    }
}
