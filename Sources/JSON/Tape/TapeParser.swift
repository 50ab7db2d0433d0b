/// The grammar of RFC 8259.
///
/// Every place is compared with the end of the text before it is read, or lies before one that was.
extension JSONTape {
    typealias Place = JSONText.Place

    /// Reads a text into tokens.
    mutating func parse(_ text: JSONText) throws(JSONProblem) {
        if text.end - text.start >= 3, text.start[0] == 0xEF, text.start[1] == 0xBB, text.start[2] == 0xBF {
            throw text.problem(.byteOrderMark, at: text.start)
        }
        var depth = 0
        var place = text.skipSpace(text.start)
        guard place < text.end else { throw text.problem(.empty, at: text.start) }
        value: while true {
            switch place < text.end ? place.pointee : 0 {
            case UInt8(ascii: "\""): place = try readString(place + 1, text) + 1
            case UInt8(ascii: "{"):
                try open(.object, at: place, depth, text)
                place = text.skipSpace(place + 1)
                if text.has("}", at: place) {
                    close(depth, text)
                    place += 1
                } else {
                    place = try readKey(place, depth, text, expected: "a key in quotes or '}'")
                    depth += 1
                    continue value
                }
            case UInt8(ascii: "["):
                try open(.array, at: place, depth, text)
                place = text.skipSpace(place + 1)
                if text.has("]", at: place) {
                    close(depth, text)
                    place += 1
                } else {
                    open[depth].members = 1
                    depth += 1
                    continue value
                }
            case UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"):
                var isPlain = true
                let end = try NumberGrammar.skip(place, text, &isPlain)
                append(.number, start: place - text.start, length: end - place, isPlain: isPlain)
                place = end
            case UInt8(ascii: "t"): place = try readWord("true", .yes, place, text)
            case UInt8(ascii: "f"): place = try readWord("false", .no, place, text)
            case UInt8(ascii: "n"): place = try readWord("null", .null, place, text)
            default:
                let isFirst = depth > 0 && !open[depth - 1].isObject && open[depth - 1].members == 1
                throw text.unexpected(isFirst ? "a value or ']'" : "a value", at: place)
            }
            // A value is whole: go on to the next one, closing containers as long as they end here.
            while true {
                place = text.skipSpace(place)
                if depth == 0 {
                    if place == text.end { return }
                    throw text.brokenEncoding(at: place)
                        ?? text.problem(.trailing(found: text.found(at: place)), at: place)
                }
                let top = depth - 1
                let isObject = open[top].isObject
                if text.has(",", at: place) {
                    place = text.skipSpace(place + 1)
                    if isObject {
                        place = try readKey(place, top, text, expected: "a key in quotes")
                    } else {
                        open[top].members += 1
                    }
                    continue value
                }
                guard text.has(isObject ? "}" : "]", at: place) else {
                    throw text.unexpected(isObject ? "',' or '}'" : "',' or ']'", at: place)
                }
                close(top, text)
                place += 1
                depth = top
            }
        }
    }

    @inline(__always)
    private mutating func open(
        _ kind: TapeToken.Kind, at place: Place, _ depth: Int, _ text: JSONText
    ) throws(JSONProblem) {
        guard depth < maxDepth else { throw text.problem(.tooDeep(limit: maxDepth), at: place) }
        if depth == openCapacity { growOpen() }
        open[depth] = OpenContainer(token: count, members: 0, isObject: kind == .object, names: 0)
        append(kind, start: place - text.start, length: 0)
        // Until it closes, it holds all that follows.
        tokens[count - 1].link = .max
    }

    /// Fills in what a container's token could not know when it opened.
    @inline(__always)
    private mutating func close(_ depth: Int, _ text: JSONText) {
        let container = open[depth]
        tokens[container.token].length = container.members
        tokens[container.token].link = UInt32(truncatingIfNeeded: count)
        if container.isObject, container.members > Self.searchedMembers, !namesDiffer(container.token, text) {
            isFlawed = true
        }
    }

    /// Reads a key, the colon behind it and the space around; gives the place of the value.
    @inline(__always)
    private mutating func readKey(
        _ place: Place, _ depth: Int, _ text: JSONText, expected: StaticString
    ) throws(JSONProblem) -> Place {
        guard text.has("\"", at: place) else { throw text.unexpected("\(expected)", at: place) }
        let close = try readString(place + 1, text)
        if !nameIsNew(depth, text) { isFlawed = true }
        let colon = text.skipSpace(close + 1)
        guard text.has(":", at: colon) else { throw text.unexpected("':'", at: colon) }
        return text.skipSpace(colon + 1)
    }

    private mutating func readWord(
        _ word: StaticString, _ kind: TapeToken.Kind, _ place: Place, _ text: JSONText
    ) throws(JSONProblem) -> Place {
        let length = word.utf8CodeUnitCount
        guard text.end - place >= length, (1..<length).allSatisfy({ place[$0] == word.utf8Start[$0] }) else {
            throw text.unexpected("a value", at: place)
        }
        append(kind, start: place - text.start, length: length)
        return place + length
    }
}
