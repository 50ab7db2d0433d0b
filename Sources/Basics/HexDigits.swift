package func hexDigits(_ bytes: some Sequence<UInt8>, uppercase: Bool = false) -> String {
    bytes.reduce(into: "") { text, byte in
        text += (byte < 16 ? "0" : "") + String(byte, radix: 16, uppercase: uppercase)
    }
}

/// The bytes that pairs of hex digits stand for; nil when the text is anything else.
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

/// The text with each byte outside letters, digits and `-._~` as `%XX` (RFC 3986, section 2.3).
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

/// The text with `%xx` replaced by the bytes they stand for; what is no escape stays as it is.
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
