import HoldfastPlatform

package func hexDigits(_ bytes: some Sequence<UInt8>, uppercase: Bool = false) -> String {
    bytes.reduce(into: "") { text, byte in
        text += (byte < 16 ? "0" : "") + String(byte, radix: 16, uppercase: uppercase)
    }
}

/// The bytes in pairs of hex digits; nil for any other text.
package func bytes(ofHexDigits text: some StringProtocol) -> [UInt8]? {
    let digits = text.unicodeScalars.map { $0.isASCII ? Character($0).hexDigitValue : nil }
    guard digits.count.isMultiple(of: 2) else { return nil }
    var bytes: [UInt8] = []
    for index in stride(from: 0, to: digits.count, by: 2) {
        guard let high = digits[index], let low = digits[index + 1] else { return nil }
        bytes.append(UInt8(high << 4 | low))
    }
    return bytes
}

/// Escapes each byte as `%XX`, except letters, digits, `-._~` (RFC 3986, section 2.3) and the bytes of `kept`.
package func percentEncoded(_ text: String, keeping kept: String = "") -> String {
    let kept = Set(("-._~" + kept).utf8)
    return text.utf8.reduce(into: "") { encoded, byte in
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"),
            _ where kept.contains(byte):
            encoded.unicodeScalars.append(Unicode.Scalar(byte))
        default: encoded += "%" + hexDigits([byte], uppercase: true)
        }
    }
}

/// Decodes `%xx` escapes; anything else stays unchanged.
package func percentDecoded(_ text: String) -> String {
    var decoded: [UInt8] = []
    var rest = Array(text.utf8)[...]
    while let byte = rest.popFirst() {
        if byte == UInt8(ascii: "%"), rest.count >= 2,
            let value = bytes(ofHexDigits: String(decoding: rest.prefix(2), as: UTF8.self))?.first
        {
            decoded.append(value)
            rest = rest.dropFirst(2)
        } else {
            decoded.append(byte)
        }
    }
    return String(decoding: decoded, as: UTF8.self)
}

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

/// Escapes a text for HTML or XML content and for attributes in double quotes; content needs no escaped quotes.
package func escapedForMarkup(_ text: some StringProtocol, quotes: Bool = true) -> String {
    var safe: [UInt8] = []
    safe.reserveCapacity(text.utf8.count)
    for byte in text.utf8 {
        switch byte {
        case UInt8(ascii: "&"): safe += "&amp;".utf8
        case UInt8(ascii: "<"): safe += "&lt;".utf8
        case UInt8(ascii: ">"): safe += "&gt;".utf8
        case UInt8(ascii: "\"") where quotes: safe += "&quot;".utf8
        case UInt8(ascii: "'") where quotes: safe += "&#39;".utf8
        default: safe.append(byte)
        }
    }
    return String(decoding: safe, as: UTF8.self)
}

extension String {
    /// The text of UTF-8 bytes, or nil: a substitute for `String(validating:as:)`, which needs macOS 15 or iOS 18.
    package init?(utf8 bytes: some Collection<UInt8>) {
        var text = String(decoding: bytes, as: UTF8.self)
        // Decoding repairs invalid UTF-8, which changes the bytes.
        let isUnchanged = text.withUTF8 { text in
            bytes.withContiguousStorageIfAvailable { isSame(UnsafeRawBufferPointer($0), UnsafeRawBufferPointer(text)) }
                ?? text.elementsEqual(bytes)
        }
        guard isUnchanged else { return nil }
        self = text
    }
}
