/// The number grammar of RFC 8259, section 6.
enum NumberGrammar {
    typealias Position = JSONText.Position

    static func isDigit(_ byte: UInt8) -> Bool { byte >= UInt8(ascii: "0") && byte <= UInt8(ascii: "9") }

    static func accepts(_ text: String) -> Bool {
        var text = text
        return text.withUTF8 { bytes in
            guard let start = bytes.baseAddress else { return false }
            var isPlain = true
            let text = JSONText(start: start, end: start + bytes.count)
            return (try? skip(start, text, &isPlain)) == text.end
        }
    }

    /// Returns the end of the longest number at a position; clears `isPlain` if it has a fraction or an exponent.
    @inline(__always)
    static func skip(_ first: Position, _ text: JSONText, _ isPlain: inout Bool) throws(JSONProblem) -> Position {
        var position = first
        if text.has("-", at: position) { position += 1 }
        if text.has("0", at: position) {
            position += 1
            if position < text.end, isDigit(position.pointee) {
                throw text.unexpected("no digit after a leading zero", at: position)
            }
        } else {
            position = try skipDigits(position, text, "a digit")
        }
        if text.has(".", at: position) {
            isPlain = false
            position = try skipDigits(position + 1, text, "a digit after the decimal point")
        }
        if position < text.end, position.pointee | 0x20 == UInt8(ascii: "e") {
            isPlain = false
            position += 1
            if text.has("+", at: position) || text.has("-", at: position) { position += 1 }
            position = try skipDigits(position, text, "a digit in the exponent")
        }
        return position
    }

    @inline(__always)
    private static func skipDigits(
        _ first: Position, _ text: JSONText, _ expected: StaticString
    ) throws(JSONProblem) -> Position {
        var position = first
        while position < text.end, position.pointee &- UInt8(ascii: "0") < 10 { position += 1 }
        guard position > first else { throw text.unexpected("\(expected)", at: position) }
        return position
    }
}
