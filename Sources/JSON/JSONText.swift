/// The bytes of a text that is read, and the words for what is wrong at a place in it.
///
/// Whoever reads a byte has compared its place with `end` before.
struct JSONText {
    typealias Place = UnsafePointer<UInt8>

    let start: Place
    let end: Place

    @inline(__always)
    func skipSpace(_ place: Place) -> Place {
        var place = place
        // Most texts have no space at all between tokens: one comparison tells.
        while place < end, place.pointee <= 0x20 {
            switch place.pointee {
            case 0x20, 0x0A, 0x0D, 0x09: place += 1
            default: return place
            }
        }
        return place
    }

    @inline(__always)
    func has(_ byte: Unicode.Scalar, at place: Place) -> Bool {
        place < end && place.pointee == UInt8(ascii: byte)
    }

    /// The length of a well-formed UTF-8 sequence beyond ASCII (Unicode, table 3-7), or 0.
    @inline(__always)
    func sequenceLength(_ place: Place) -> Int {
        let left = end - place
        let lead = place[0]
        guard left >= 2, Self.isContinuation(place[1]) else { return 0 }
        if lead < 0xE0 { return lead >= 0xC2 ? 2 : 0 }
        guard left >= 3, Self.isContinuation(place[2]) else { return 0 }
        if lead < 0xF0 {
            // No overlong form, and no surrogate.
            if lead == 0xE0 { return place[1] >= 0xA0 ? 3 : 0 }
            return lead == 0xED && place[1] >= 0xA0 ? 0 : 3
        }
        guard left >= 4, Self.isContinuation(place[3]) else { return 0 }
        // No overlong form, and nothing above U+10FFFF.
        if lead == 0xF0 { return place[1] >= 0x90 ? 4 : 0 }
        return lead < 0xF4 || (lead == 0xF4 && place[1] < 0x90) ? 4 : 0
    }

    @inline(__always)
    private static func isContinuation(_ byte: UInt8) -> Bool { byte & 0xC0 == 0x80 }
}

extension JSONText {
    @inline(never)
    func problem(_ kind: JSONProblem.Kind, at place: Place) -> JSONProblem {
        JSONProblem(kind, at: location(place - start))
    }

    /// The complaint about whatever stands at a place, in an escape or elsewhere.
    @inline(never)
    func unexpected(_ expected: String, at place: Place) -> JSONProblem {
        brokenEncoding(at: place) ?? problem(.unexpected(found: found(at: place), expected: expected), at: place)
    }

    /// The complaint about bytes that are no UTF-8, if such stand at a place.
    func brokenEncoding(at place: Place) -> JSONProblem? {
        guard place < end, place.pointee >= 0x80, sequenceLength(place) == 0 else { return nil }
        // Only what could have belonged to the sequence: the lead byte and the continuations behind it.
        let rest = UnsafeBufferPointer(start: place + 1, count: min(3, end - place - 1))
        let bytes = [place.pointee] + rest.prefix(while: Self.isContinuation)
        let found = bytes.map { String($0, radix: 16, uppercase: true) }.joined(separator: " ")
        return problem(.utf8(found: found), at: place)
    }

    /// What stands at a place, in words.
    func found(at place: Place) -> String {
        guard place < end else { return "the end of the text" }
        let length = place.pointee < 0x80 ? 1 : sequenceLength(place)
        let text = String(decoding: UnsafeBufferPointer(start: place, count: length), as: UTF8.self)
        return text.unicodeScalars.first.map { JSONProblem.name(of: $0) } ?? "nothing"
    }

    /// Where the byte at an offset is, counted on from a place that is known.
    func location(_ offset: Int, from known: JSONLocation = .start) -> JSONLocation {
        var line = known.line
        var column = known.column
        for place in start + known.byteOffset..<start + max(offset, known.byteOffset) {
            if place.pointee == UInt8(ascii: "\n") {
                line += 1
                column = 1
            } else if !Self.isContinuation(place.pointee) {
                column += 1
            }
        }
        return JSONLocation(byteOffset: offset, line: line, column: column)
    }
}
