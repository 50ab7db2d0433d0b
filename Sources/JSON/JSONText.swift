/// The bytes of a text being read, and the messages for problems at a position.
///
/// Callers compare a position with `end` before they read it.
struct JSONText {
    typealias Position = UnsafePointer<UInt8>

    let start: Position
    let end: Position

    @inline(__always)
    func skipSpace(_ position: Position) -> Position {
        var position = position
        // Most texts have no space between tokens, so this is usually one comparison.
        while position < end, position.pointee <= 0x20 {
            switch position.pointee {
            case 0x20, 0x0A, 0x0D, 0x09: position += 1
            default: return position
            }
        }
        return position
    }

    @inline(__always)
    func has(_ byte: Unicode.Scalar, at position: Position) -> Bool {
        position < end && position.pointee == UInt8(ascii: byte)
    }

    /// The length of a well-formed UTF-8 sequence beyond ASCII (Unicode, table 3-7), or 0.
    @inline(__always)
    func sequenceLength(_ position: Position) -> Int {
        let left = end - position
        let lead = position[0]
        guard left >= 2, Self.isContinuation(position[1]) else { return 0 }
        if lead < 0xE0 { return lead >= 0xC2 ? 2 : 0 }
        guard left >= 3, Self.isContinuation(position[2]) else { return 0 }
        if lead < 0xF0 {
            // No overlong form, and no surrogate.
            if lead == 0xE0 { return position[1] >= 0xA0 ? 3 : 0 }
            return lead == 0xED && position[1] >= 0xA0 ? 0 : 3
        }
        guard left >= 4, Self.isContinuation(position[3]) else { return 0 }
        // No overlong form, and nothing above U+10FFFF.
        if lead == 0xF0 { return position[1] >= 0x90 ? 4 : 0 }
        return lead < 0xF4 || (lead == 0xF4 && position[1] < 0x90) ? 4 : 0
    }

    @inline(__always)
    private static func isContinuation(_ byte: UInt8) -> Bool { byte & 0xC0 == 0x80 }
}

extension JSONText {
    @inline(never)
    func problem(_ kind: JSONProblem.Kind, at position: Position) -> JSONProblem {
        JSONProblem(kind, at: location(position - start))
    }

    /// The error for unexpected bytes at a position, in an escape or elsewhere.
    @inline(never)
    func unexpected(_ expected: String, at position: Position) -> JSONProblem {
        brokenEncoding(at: position)
            ?? problem(.unexpected(found: found(at: position), expected: expected), at: position)
    }

    /// The error for bytes that are not UTF-8, if there are such at a position.
    func brokenEncoding(at position: Position) -> JSONProblem? {
        guard position < end, position.pointee >= 0x80, sequenceLength(position) == 0 else { return nil }
        // Only the part that could belong to the sequence: the lead byte and its continuations.
        let rest = UnsafeBufferPointer(start: position + 1, count: min(3, end - position - 1))
        let bytes = [position.pointee] + rest.prefix(while: Self.isContinuation)
        let found = bytes.map { String($0, radix: 16, uppercase: true) }.joined(separator: " ")
        return problem(.utf8(found: found), at: position)
    }

    func found(at position: Position) -> String {
        guard position < end else { return "the end of the text" }
        let length = position.pointee < 0x80 ? 1 : sequenceLength(position)
        let text = String(decoding: UnsafeBufferPointer(start: position, count: length), as: UTF8.self)
        return text.unicodeScalars.first.map { JSONProblem.name(of: $0) } ?? "nothing"
    }

    /// The location of an offset, counted from a known one.
    func location(_ offset: Int, from known: JSONLocation = .start) -> JSONLocation {
        var line = known.line
        var column = known.column
        for position in start + known.byteOffset..<start + max(offset, known.byteOffset) {
            if position.pointee == UInt8(ascii: "\n") {
                line += 1
                column = 1
            } else if !Self.isContinuation(position.pointee) {
                column += 1
            }
        }
        return JSONLocation(byteOffset: offset, line: line, column: column)
    }
}
