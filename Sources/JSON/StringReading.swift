extension ByteReader {
    /// A string token, unescaped, and the offsets of lone surrogates in it.
    struct StringToken {
        var text: String
        var loneSurrogates: [Int] = []
    }

    /// Reads the string at the position, which is at its opening quote.
    mutating func string() throws(JSONProblem) -> StringToken {
        position += 1
        let start = position
        try skipPlain()
        if current == UInt8(ascii: "\"") {
            defer { position += 1 }
            return StringToken(text: String(decoding: bytes[start..<position], as: UTF8.self))
        }
        var buffer = Array(bytes[start..<position])
        var loneSurrogates: [Int] = []
        while true {
            guard let byte = current else { throw problem(.unterminatedString, at: start - 1) }
            if byte == UInt8(ascii: "\"") {
                position += 1
                return StringToken(text: String(decoding: buffer, as: UTF8.self), loneSurrogates: loneSurrogates)
            }
            if byte == UInt8(ascii: "\\") {
                let offset = position
                if try !escape(into: &buffer) { loneSurrogates.append(offset) }
            } else {
                let plain = position
                try skipPlain()
                if current == nil { throw problem(.unterminatedString, at: start - 1) }
                buffer.append(contentsOf: bytes[plain..<position])
            }
        }
    }

    /// Skips to the next quote, backslash or the end, checking UTF-8 and control characters.
    private mutating func skipPlain() throws(JSONProblem) {
        while position < bytes.count {
            let byte = bytes[position]
            if byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\") { return }
            if byte < 0x20 { throw problem(.controlCharacter(byte), at: position) }
            if byte < 0x80 {
                position += 1
            } else {
                let length = UTF8Check.length(in: bytes, at: position)
                guard length > 0 else {
                    throw problem(.utf8(found: UTF8Check.hexadecimal(in: bytes, at: position)), at: position)
                }
                position += length
            }
        }
    }

    /// Reads one escape; false when it was half a surrogate pair, which is replaced by U+FFFD.
    private mutating func escape(into buffer: inout [UInt8]) throws(JSONProblem) -> Bool {
        position += 1
        switch current {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"):
            buffer.append(bytes[position])
        case UInt8(ascii: "b"): buffer.append(0x08)
        case UInt8(ascii: "f"): buffer.append(0x0C)
        case UInt8(ascii: "n"): buffer.append(0x0A)
        case UInt8(ascii: "r"): buffer.append(0x0D)
        case UInt8(ascii: "t"): buffer.append(0x09)
        case UInt8(ascii: "u"):
            position += 1
            return try unicodeEscape(into: &buffer)
        default:
            throw broken("one of \" \\ / b f n r t u")
        }
        position += 1
        return true
    }

    /// Reads the digits behind `\u`, and a second escape when the first is half of a pair.
    private mutating func unicodeEscape(into buffer: inout [UInt8]) throws(JSONProblem) -> Bool {
        let unit = try fourDigits()
        var scalar = Unicode.Scalar(unit)
        if scalar == nil, unit < 0xDC00, position + 1 < bytes.count,
            bytes[position] == UInt8(ascii: "\\"), bytes[position + 1] == UInt8(ascii: "u")
        {
            let afterFirst = position
            position += 2
            let second = try fourDigits()
            if (0xDC00...0xDFFF).contains(second) {
                scalar = Unicode.Scalar(0x10000 + (unit - 0xD800) << 10 + (second - 0xDC00))
            } else {
                // The second escape stands for itself and is read next.
                position = afterFirst
            }
        }
        buffer.append(contentsOf: UTF8.encode(scalar ?? "\u{FFFD}") ?? UTF8.encodedReplacementCharacter)
        return scalar != nil
    }

    private mutating func fourDigits() throws(JSONProblem) -> UInt32 {
        var value: UInt32 = 0
        for _ in 0..<4 {
            switch current {
            case .some(let byte) where NumberGrammar.isDigit(byte):
                value = value << 4 | UInt32(byte - UInt8(ascii: "0"))
            case .some(let byte) where (UInt8(ascii: "a")...UInt8(ascii: "f")).contains(byte | 0x20):
                value = value << 4 | UInt32((byte | 0x20) - UInt8(ascii: "a") + 10)
            default: throw broken("four hexadecimal digits after \\u")
            }
            position += 1
        }
        return value
    }

    private func broken(_ expected: String) -> JSONProblem {
        guard position < bytes.count else { return problem(.unterminatedString, at: position) }
        if UTF8Check.length(in: bytes, at: position) == 0 { return unexpected(expected) }
        return problem(.escape(found: found, expected: expected), at: position)
    }
}
