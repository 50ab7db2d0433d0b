/// Bytes in base64 (RFC 4648, section 4).
package func base64(_ bytes: [UInt8]) -> String {
    let digits = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)
    var text: [UInt8] = []
    for start in stride(from: 0, to: bytes.count, by: 3) {
        let group = bytes[start..<min(start + 3, bytes.count)]
        let value = (0..<3).reduce(0) { $0 << 8 | ($1 < group.count ? Int(group[start + $1]) : 0) }
        for index in 0..<4 {
            text.append(index <= group.count ? digits[value >> (18 - 6 * index) & 63] : UInt8(ascii: "="))
        }
    }
    return String(decoding: text, as: UTF8.self)
}
