/// Walks over JSON tokens; knows the grammar of strings, numbers and words, not of containers.
struct ByteReader {
    let bytes: [UInt8]
    var position = 0

    init(_ bytes: [UInt8]) {
        self.bytes = bytes
    }

    /// The byte at the position, or nil at the end.
    var current: UInt8? {
        position < bytes.count ? bytes[position] : nil
    }

    mutating func skipSpace() {
        while position < bytes.count {
            switch bytes[position] {
            case 0x20, 0x0A, 0x0D, 0x09: position += 1
            default: return
            }
        }
    }

    /// Takes one byte if it is the one given.
    mutating func take(_ byte: UInt8) -> Bool {
        guard current == byte else { return false }
        position += 1
        return true
    }

    func problem(_ kind: JSONProblem.Kind, at offset: Int) -> JSONProblem {
        JSONProblem(kind, at: JSONLocation.start.advanced(to: offset, in: bytes))
    }

    /// The complaint about whatever stands at the position.
    func unexpected(_ expected: String) -> JSONProblem {
        let count = UTF8Check.length(in: bytes, at: position)
        if position < bytes.count, count == 0 {
            return problem(.utf8(found: UTF8Check.hexadecimal(in: bytes, at: position)), at: position)
        }
        return problem(.unexpected(found: found, expected: expected), at: position)
    }

    /// What stands at the position, in words.
    var found: String {
        guard position < bytes.count else { return "the end of the text" }
        let count = UTF8Check.length(in: bytes, at: position)
        let text = String(decoding: bytes[position..<(position + max(1, count))], as: UTF8.self)
        return text.unicodeScalars.first.map { JSONProblem.name(of: $0) } ?? "nothing"
    }

    mutating func word(_ word: StaticString) throws(JSONProblem) {
        let start = position
        let matches = word.withUTF8Buffer { letters in
            bytes.count - start >= letters.count && bytes[start..<(start + letters.count)].elementsEqual(letters)
        }
        guard matches else { throw unexpected("a value") }
        position += word.utf8CodeUnitCount
    }

    mutating func number() throws(JSONProblem) -> JSONNumber {
        switch NumberGrammar.scan(bytes, from: position) {
        case .complete(let end):
            defer { position = end }
            return JSONNumber(checked: String(decoding: bytes[position..<end], as: UTF8.self))
        case .broken(let offset, let expected):
            position = offset
            throw unexpected(expected)
        }
    }
}
