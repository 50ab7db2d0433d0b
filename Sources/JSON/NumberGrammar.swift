/// The number grammar of RFC 8259, section 6.
enum NumberGrammar {
    typealias Place = JSONText.Place

    static func isDigit(_ byte: UInt8) -> Bool {
        byte >= UInt8(ascii: "0") && byte <= UInt8(ascii: "9")
    }

    static func accepts(_ text: String) -> Bool {
        var text = text
        return text.withUTF8 { bytes in
            guard let start = bytes.baseAddress else { return false }
            var isPlain = true
            let text = JSONText(start: start, end: start + bytes.count)
            return (try? skip(start, text, &isPlain)) == text.end
        }
    }

    /// Skips the longest number that starts at a place; tells whether it has neither fraction nor exponent.
    @inline(__always)
    static func skip(_ first: Place, _ text: JSONText, _ isPlain: inout Bool) throws(JSONProblem) -> Place {
        var place = first
        if text.has("-", at: place) { place += 1 }
        if text.has("0", at: place) {
            place += 1
            if place < text.end, isDigit(place.pointee) {
                throw text.unexpected("no digit after a leading zero", at: place)
            }
        } else {
            place = try skipDigits(place, text, "a digit")
        }
        if text.has(".", at: place) {
            isPlain = false
            place = try skipDigits(place + 1, text, "a digit after the decimal point")
        }
        if place < text.end, place.pointee | 0x20 == UInt8(ascii: "e") {
            isPlain = false
            place += 1
            if text.has("+", at: place) || text.has("-", at: place) { place += 1 }
            place = try skipDigits(place, text, "a digit in the exponent")
        }
        return place
    }

    /// Skips at least one digit.
    @inline(__always)
    private static func skipDigits(
        _ first: Place, _ text: JSONText, _ expected: StaticString
    ) throws(JSONProblem) -> Place {
        var place = first
        while place < text.end, place.pointee &- UInt8(ascii: "0") < 10 { place += 1 }
        guard place > first else { throw text.unexpected("\(expected)", at: place) }
        return place
    }
}
