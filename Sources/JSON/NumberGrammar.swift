/// The number grammar of RFC 8259, section 6.
enum NumberGrammar {
    static func isDigit(_ byte: UInt8) -> Bool {
        byte >= UInt8(ascii: "0") && byte <= UInt8(ascii: "9")
    }

    /// What a scan of a number came to: where it ended, and what was missing there.
    enum Scan {
        case complete(end: Int)
        case broken(at: Int, expected: String)
    }

    static func accepts(_ text: String.UTF8View) -> Bool {
        let bytes = Array(text)
        guard case .complete(let end) = scan(bytes, from: 0) else { return false }
        return end == bytes.count
    }

    /// Scans the longest number that starts at `start`.
    static func scan(_ bytes: [UInt8], from start: Int) -> Scan {
        var position = start
        func digits() -> Bool {
            let first = position
            while position < bytes.count, isDigit(bytes[position]) { position += 1 }
            return position > first
        }
        if position < bytes.count, bytes[position] == UInt8(ascii: "-") { position += 1 }
        let first = position
        guard digits() else { return .broken(at: position, expected: "a digit") }
        if bytes[first] == UInt8(ascii: "0"), position > first + 1 {
            return .broken(at: first + 1, expected: "no digit after a leading zero")
        }
        if position < bytes.count, bytes[position] == UInt8(ascii: ".") {
            position += 1
            guard digits() else { return .broken(at: position, expected: "a digit after the decimal point") }
        }
        if position < bytes.count, bytes[position] | 0x20 == UInt8(ascii: "e") {
            position += 1
            if position < bytes.count, bytes[position] == UInt8(ascii: "+") || bytes[position] == UInt8(ascii: "-") {
                position += 1
            }
            guard digits() else { return .broken(at: position, expected: "a digit in the exponent") }
        }
        return .complete(end: position)
    }
}
