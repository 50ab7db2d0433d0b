/// Strings of a tape, eight bytes at a time.
extension JSONTape {
    /// Reads a string from behind its quote, and gives the place of the quote that ends it.
    @inline(__always)
    mutating func readString(_ first: Bytes, _ start: Bytes, _ end: Bytes) -> Bytes? {
        var isEscaped = false
        var isASCII = true
        guard let close = Self.skipString(first, end, &isEscaped, &isASCII) else { return nil }
        append(.string, start: first - start, length: close - first, isPlain: isASCII && !isEscaped, isEscaped)
        return close
    }

    /// Finds the end of a string, checking escapes, control characters and UTF-8 on the way.
    @inline(__always)
    private static func skipString(
        _ first: Bytes, _ end: Bytes, _ isEscaped: inout Bool, _ isASCII: inout Bool
    ) -> Bytes? {
        var place = first
        while true {
            while end - place >= 8 {
                let special = specialBytes(word(place))
                if special != 0 {
                    place += special.trailingZeroBitCount >> 3
                    break
                }
                place += 8
            }
            guard place < end else { return nil }
            let byte = place.pointee
            if byte == UInt8(ascii: "\"") { return place }
            if byte >= 0x80 {
                isASCII = false
                let length = sequenceLength(place, end)
                guard length > 0 else { return nil }
                place += length
            } else if byte == UInt8(ascii: "\\") {
                isEscaped = true
                guard let next = skipEscape(place, end) else { return nil }
                place = next
            } else {
                guard byte >= 0x20 else { return nil }
                place += 1
            }
        }
    }

    /// The eight bytes at a place, the first one lowest.
    @inline(__always)
    private static func word(_ place: Bytes) -> UInt64 {
        UnsafeRawPointer(place).loadUnaligned(as: UInt64.self).littleEndian
    }

    /// The high bit of every byte that is a quote, a backslash, a control character or beyond ASCII.
    ///
    /// A subtraction may borrow from the byte above a hit, so only the lowest bit is to be trusted.
    @inline(__always)
    private static func specialBytes(_ word: UInt64) -> UInt64 {
        let ones: UInt64 = 0x0101_0101_0101_0101
        let quote = (word ^ (ones &* 0x22)) &- ones
        let backslash = (word ^ (ones &* 0x5C)) &- ones
        let control = word &- (ones &* 0x20)
        return (quote | backslash | control | word) & (ones &* 0x80)
    }

    /// The length of a well-formed sequence beyond ASCII (Unicode, table 3-7), or 0.
    @inline(__always)
    static func sequenceLength(_ place: Bytes, _ end: Bytes) -> Int {
        let left = end - place
        let lead = place[0]
        guard left >= 2, isContinuation(place[1]) else { return 0 }
        if lead < 0xE0 { return lead >= 0xC2 ? 2 : 0 }
        guard left >= 3, isContinuation(place[2]) else { return 0 }
        if lead < 0xF0 {
            // No overlong form, and no surrogate.
            if lead == 0xE0 { return place[1] >= 0xA0 ? 3 : 0 }
            return lead == 0xED && place[1] >= 0xA0 ? 0 : 3
        }
        guard left >= 4, isContinuation(place[3]) else { return 0 }
        // No overlong form, and nothing above U+10FFFF.
        if lead == 0xF0 { return place[1] >= 0x90 ? 4 : 0 }
        return lead < 0xF4 || (lead == 0xF4 && place[1] < 0x90) ? 4 : 0
    }

    @inline(__always)
    private static func isContinuation(_ byte: UInt8) -> Bool {
        byte & 0xC0 == 0x80
    }

    /// Skips one escape, or the two of a surrogate pair; nil when it is broken or half a pair.
    @inline(__always)
    private static func skipEscape(_ place: Bytes, _ end: Bytes) -> Bytes? {
        guard end - place >= 2 else { return nil }
        switch place[1] {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"), UInt8(ascii: "b"), UInt8(ascii: "f"),
            UInt8(ascii: "n"), UInt8(ascii: "r"), UInt8(ascii: "t"):
            return place + 2
        case UInt8(ascii: "u"): return skipUnicodeEscape(place, end)
        default: return nil
        }
    }

    @inline(never)
    private static func skipUnicodeEscape(_ place: Bytes, _ end: Bytes) -> Bytes? {
        guard let unit = unit(place, end) else { return nil }
        guard (0xD800...0xDFFF).contains(unit) else { return place + 6 }
        guard unit < 0xDC00, let low = self.unit(place + 6, end), (0xDC00...0xDFFF).contains(low) else { return nil }
        return place + 12
    }

    /// The code unit of an escape that starts at `place`, if one does.
    private static func unit(_ place: Bytes, _ end: Bytes) -> UInt32? {
        guard end - place >= 6, place[0] == UInt8(ascii: "\\"), place[1] == UInt8(ascii: "u") else { return nil }
        var value: UInt32 = 0
        for index in 2..<6 {
            let digit = TapeEscapes.hexValue(place[index])
            guard digit < 16 else { return nil }
            value = value << 4 | digit
        }
        return value
    }
}
