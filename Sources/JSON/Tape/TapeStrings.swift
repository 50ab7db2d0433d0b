/// Strings of a tape, eight bytes at a time.
extension JSONTape {
    /// Reads a string after its quote, and returns the position of the closing quote.
    @inline(__always)
    mutating func readString(_ first: Position, _ text: JSONText) throws(JSONProblem) -> Position {
        var isASCII = true
        var nowhere = annex.start
        let position = try Self.skipPlain(first, text, opening: first - 1, &isASCII, &nowhere, copies: false)
        guard position.pointee == UInt8(ascii: "\"") else { return try readEscaped(first, position, text, isASCII) }
        append(.string, start: first - text.start, length: position - first, isPlain: isASCII)
        return position
    }

    /// Skips to the next quote or backslash, checking control characters and UTF-8.
    ///
    /// If it copies the text, it may write up to eight extra bytes.
    @inline(__always)
    private static func skipPlain(
        _ first: Position, _ text: JSONText, opening: Position, _ isASCII: inout Bool, _ copy: inout CopyPosition,
        copies: Bool
    ) throws(JSONProblem) -> Position {
        var position = first
        while true {
            while text.end - position >= 8 {
                let word = UnsafeRawPointer(position).loadUnaligned(as: UInt64.self)
                if copies { UnsafeMutableRawPointer(copy).storeBytes(of: word, as: UInt64.self) }
                let special = specialBytes(word.littleEndian)
                let length = special == 0 ? 8 : special.trailingZeroBitCount >> 3
                position += length
                if copies { copy += length }
                if special != 0 { break }
            }
            guard position < text.end else { throw text.problem(.unterminatedString, at: opening) }
            let byte = position.pointee
            if byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\") { return position }
            var length = 1
            if byte >= 0x80 {
                isASCII = false
                length = text.sequenceLength(position)
                if length == 0, let problem = text.brokenEncoding(at: position) { throw problem }
            } else if byte < 0x20 {
                throw text.problem(.controlCharacter(byte), at: position)
            }
            if copies {
                // Usually two or three bytes: writing four is faster than a loop.
                for offset in 0..<4 where offset < length { copy[offset] = position[offset] }
                copy += length
            }
            position += length
        }
    }

    /// Sets the high bit of every byte that is a quote, a backslash, a control character or beyond ASCII.
    ///
    /// A subtraction may borrow from the byte after a hit, so only the lowest bit is reliable.
    @inline(__always)
    private static func specialBytes(_ word: UInt64) -> UInt64 {
        let ones: UInt64 = 0x0101_0101_0101_0101
        let quote = (word ^ (ones &* 0x22)) &- ones
        let backslash = (word ^ (ones &* 0x5C)) &- ones
        let control = word &- (ones &* 0x20)
        return (quote | backslash | control | word) & (ones &* 0x80)
    }
}

/// Strings with escapes: the annex has their decoded text, after their offset in the input.
extension JSONTape {
    typealias CopyPosition = UnsafeMutablePointer<UInt8>

    /// Reads a string whose first escape is at `escape`.
    @inline(never)
    private mutating func readEscaped(
        _ first: Position, _ escape: Position, _ text: JSONText, _ isASCII: Bool
    ) throws(JSONProblem) -> Position {
        var isASCII = isASCII
        // No escape is shorter than its decoded text; the extra bytes are for the offset and the last copied word.
        annex.reserve(text.end - first + 4 + 8)
        annex.append(offset: first - text.start)
        let start = annex.count
        annex.append(first, escape - first)
        var copy = annex.start + annex.count
        var position = escape
        let meanings = Self.meanings
        while position.pointee == UInt8(ascii: "\\") {
            position += 1
            let meaning = position < text.end ? meanings[Int(position.pointee)] : 0
            if meaning != 0 {
                copy.pointee = meaning
                copy += 1
                position += 1
            } else {
                position = try readUnicodeEscape(position, text, &copy, &isASCII)
            }
            position = try Self.skipPlain(position, text, opening: first - 1, &isASCII, &copy, copies: true)
        }
        annex.count = copy - annex.start
        append(.string, start: start, length: annex.count - start, isPlain: isASCII, isInAnnex: true)
        return position
    }

    /// The decoded escape by the byte after the backslash; 0 if it is longer or invalid.
    private static let meanings: [UInt8] = {
        var table = [UInt8](repeating: 0, count: 256)
        for (letter, meaning) in zip("\"\\/bfnrt".utf8, "\"\\/\u{8}\u{C}\n\r\t".utf8) { table[Int(letter)] = meaning }
        return table
    }()

    /// Reads the escape of a code unit, and a second one if the first is half of a pair; returns the position after it.
    @inline(never)
    private mutating func readUnicodeEscape(
        _ letter: Position, _ text: JSONText, _ copy: inout CopyPosition, _ isASCII: inout Bool
    ) throws(JSONProblem) -> Position {
        guard text.has("u", at: letter) else { throw Self.brokenEscape("one of \" \\ / b f n r t u", at: letter, text) }
        let unit = try Self.unit(letter + 1, text)
        var position = letter + 5
        var scalar = Unicode.Scalar(unit)
        if scalar == nil, unit < 0xDC00, text.has("\\", at: position), text.has("u", at: position + 1) {
            let second = try Self.unit(position + 2, text)
            // A second escape that does not complete the pair is read separately.
            if (0xDC00...0xDFFF).contains(second) {
                scalar = Unicode.Scalar(0x10000 + (unit - 0xD800) << 10 + (second - 0xDC00))
                position += 6
            }
        }
        if scalar == nil {
            isFlawed = true
            loneSurrogates.append((token: count, offset: letter - 1 - text.start))
        }
        isASCII = isASCII && unit < 0x80
        for byte in UTF8.encode(scalar ?? "\u{FFFD}") ?? UTF8.encodedReplacementCharacter {
            copy.pointee = byte
            copy += 1
        }
        return position
    }

    private static func unit(_ digits: Position, _ text: JSONText) throws(JSONProblem) -> UInt32 {
        var value: UInt32 = 0
        for position in digits..<digits + 4 {
            let byte = position < text.end ? position.pointee : 0
            switch byte | 0x20 {
            case UInt8(ascii: "0")...UInt8(ascii: "9") where NumberGrammar.isDigit(byte):
                value = value << 4 | UInt32(byte - UInt8(ascii: "0"))
            case UInt8(ascii: "a")...UInt8(ascii: "f"):
                value = value << 4 | UInt32(byte | 0x20 - UInt8(ascii: "a") + 10)
            default: throw brokenEscape("four hexadecimal digits after \\u", at: position, text)
            }
        }
        return value
    }

    private static func brokenEscape(_ expected: String, at position: Position, _ text: JSONText) -> JSONProblem {
        guard position < text.end else { return text.problem(.unterminatedString, at: position) }
        return text.brokenEncoding(at: position)
            ?? text.problem(.escape(found: text.found(at: position), expected: expected), at: position)
    }
}
