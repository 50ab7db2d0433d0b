/// The tokens of one sound text, for as long as text and tape stay where they are.
package struct TapeView {
    package let tokens: UnsafePointer<TapeToken>
    package let text: UnsafePointer<UInt8>
    package let textEnd: UnsafePointer<UInt8>
    package let annex: UnsafePointer<UInt8>

    init(
        tokens: UnsafePointer<TapeToken>, text: UnsafePointer<UInt8>, textEnd: UnsafePointer<UInt8>,
        annex: UnsafeBufferPointer<UInt8>
    ) {
        self.tokens = tokens
        self.text = text
        self.textEnd = textEnd
        // An annex without memory is empty, and no token points into it.
        self.annex = annex.baseAddress ?? text
    }

    /// The bytes of a string or number as they stand in the text; of a key, unescaped.
    package func bytes(_ token: TapeToken) -> UnsafeBufferPointer<UInt8> {
        UnsafeBufferPointer(start: (token.isInAnnex ? annex : text) + Int(token.start), count: Int(token.length))
    }

    /// The value of a member of the outermost object, if that is one and has it.
    package func member(_ name: String) -> Int? {
        guard tokens[0].kind == .object else { return nil }
        var key = 1
        for _ in 0..<tokens[0].length {
            if name.utf8.elementsEqual(bytes(tokens[key])) { return key + 1 }
            key = Int(tokens[key + 1].link)
        }
        return nil
    }

    /// Whether a whole number is spelled with a point or an exponent somewhere, such as `1.0`.
    package var hasFractionToken: Bool {
        // The first token ends where all tokens end.
        let end = tokens[0].kind == .array || tokens[0].kind == .object ? Int(tokens[0].link) : 1
        return (0..<end).contains { index in
            let token = tokens[index]
            return token.kind == .number && !token.isPlain && number(token).isInteger
        }
    }

    /// The text of a string token without its escapes.
    package func string(_ token: TapeToken) -> String {
        guard token.isEscaped else { return String(decoding: bytes(token), as: UTF8.self) }
        var unescaped: [UInt8] = []
        TapeEscapes.append(bytes(token), to: &unescaped)
        return String(decoding: unescaped, as: UTF8.self)
    }

    /// The value of a number token.
    package func number(_ token: TapeToken) -> JSONNumber {
        JSONNumber(checked: String(decoding: bytes(token), as: UTF8.self))
    }

    /// The value at a token, with all that it holds; the depth of a tape is bounded, and so is the recursion.
    package func value(at index: Int = 0) -> JSONValue {
        let token = tokens[index]
        switch token.kind {
        case .null: return .null
        case .no: return .bool(false)
        case .yes: return .bool(true)
        case .number: return .number(number(token))
        case .string: return .string(string(token))
        case .array:
            var values: [JSONValue] = []
            values.reserveCapacity(Int(token.length))
            var next = index + 1
            for _ in 0..<token.length {
                values.append(value(at: next))
                next = Int(tokens[next].link)
            }
            return .array(values)
        case .object:
            var object = JSONObject()
            var next = index + 1
            for _ in 0..<token.length {
                object.set(value(at: next + 1), for: string(tokens[next]))
                next = Int(tokens[next + 1].link)
            }
            return .object(object)
        }
    }
}

/// Undoes escapes that have been checked before.
package enum TapeEscapes {
    /// Appends the text of a sound string token, unescaped.
    package static func append(_ raw: UnsafeBufferPointer<UInt8>, to buffer: inout [UInt8]) {
        var position = 0
        while position < raw.count {
            let byte = raw[position]
            position += 1
            guard byte == UInt8(ascii: "\\"), position < raw.count else {
                buffer.append(byte)
                continue
            }
            let escape = raw[position]
            position += 1
            switch escape {
            case UInt8(ascii: "b"): buffer.append(0x08)
            case UInt8(ascii: "f"): buffer.append(0x0C)
            case UInt8(ascii: "n"): buffer.append(0x0A)
            case UInt8(ascii: "r"): buffer.append(0x0D)
            case UInt8(ascii: "t"): buffer.append(0x09)
            case UInt8(ascii: "u"):
                var value = unit(raw, position)
                position += 4
                if (0xD800..<0xDC00).contains(value) {
                    value = 0x10000 + (value - 0xD800) << 10 + (unit(raw, position + 2) &- 0xDC00)
                    position += 6
                }
                let scalar = Unicode.Scalar(value) ?? "\u{FFFD}"
                buffer.append(contentsOf: UTF8.encode(scalar) ?? UTF8.encodedReplacementCharacter)
            default: buffer.append(escape)
            }
        }
    }

    private static func unit(_ raw: UnsafeBufferPointer<UInt8>, _ position: Int) -> UInt32 {
        guard position + 4 <= raw.count else { return 0 }
        return raw[position..<(position + 4)].reduce(0) { $0 << 4 | hexValue($1) }
    }

    /// The value of a hexadecimal digit; 16 for every other byte.
    @inline(__always)
    static func hexValue(_ byte: UInt8) -> UInt32 {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): UInt32(byte - UInt8(ascii: "0"))
        case UInt8(ascii: "a")...UInt8(ascii: "f"): UInt32(byte - UInt8(ascii: "a") + 10)
        case UInt8(ascii: "A")...UInt8(ascii: "F"): UInt32(byte - UInt8(ascii: "A") + 10)
        default: 16
        }
    }
}
