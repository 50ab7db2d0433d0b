/// The grammar of RFC 8259.
///
/// Each byte is read only after a bounds check of its position, or of a later one.
extension JSONTape {
    typealias Position = JSONText.Position

    mutating func parse(_ text: JSONText) throws(JSONProblem) {
        if text.end - text.start >= 3, text.start[0] == 0xEF, text.start[1] == 0xBB, text.start[2] == 0xBF {
            throw text.problem(.byteOrderMark, at: text.start)
        }
        var depth = 0
        var position = text.skipSpace(text.start)
        guard position < text.end else { throw text.problem(.empty, at: text.start) }
        value: while true {
            switch position < text.end ? position.pointee : 0 {
            case UInt8(ascii: "\""): position = try readString(position + 1, text) + 1
            case UInt8(ascii: "{"):
                try open(.object, at: position, depth, text)
                position = text.skipSpace(position + 1)
                if text.has("}", at: position) {
                    close(depth, text)
                    position += 1
                } else {
                    position = try readKey(position, depth, text, expected: "a key in quotes or '}'")
                    depth += 1
                    continue value
                }
            case UInt8(ascii: "["):
                try open(.array, at: position, depth, text)
                position = text.skipSpace(position + 1)
                if text.has("]", at: position) {
                    close(depth, text)
                    position += 1
                } else {
                    open[depth].members = 1
                    depth += 1
                    continue value
                }
            case UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"):
                var isPlain = true
                let end = try NumberGrammar.skip(position, text, &isPlain)
                append(.number, start: position - text.start, length: end - position, isPlain: isPlain)
                position = end
            case UInt8(ascii: "t"): position = try readWord("true", .yes, position, text)
            case UInt8(ascii: "f"): position = try readWord("false", .no, position, text)
            case UInt8(ascii: "n"): position = try readWord("null", .null, position, text)
            default:
                let isFirst = depth > 0 && !open[depth - 1].isObject && open[depth - 1].members == 1
                throw text.unexpected(isFirst ? "a value or ']'" : "a value", at: position)
            }
            // A value is complete: continue with the next one, after closing all containers that end here.
            while true {
                position = text.skipSpace(position)
                if depth == 0 {
                    if position == text.end { return }
                    throw text.brokenEncoding(at: position)
                        ?? text.problem(.trailing(found: text.found(at: position)), at: position)
                }
                let top = depth - 1
                let isObject = open[top].isObject
                if text.has(",", at: position) {
                    position = text.skipSpace(position + 1)
                    if isObject {
                        position = try readKey(position, top, text, expected: "a key in quotes")
                    } else {
                        open[top].members += 1
                    }
                    continue value
                }
                guard text.has(isObject ? "}" : "]", at: position) else {
                    throw text.unexpected(isObject ? "',' or '}'" : "',' or ']'", at: position)
                }
                close(top, text)
                position += 1
                depth = top
            }
        }
    }

    @inline(__always)
    private mutating func open(
        _ kind: TapeToken.Kind, at position: Position, _ depth: Int, _ text: JSONText
    ) throws(JSONProblem) {
        guard depth < maxDepth else { throw text.problem(.tooDeep(limit: maxDepth), at: position) }
        if depth == openCapacity { growOpen() }
        open[depth] = OpenContainer(token: count, members: 0, isObject: kind == .object, names: 0)
        append(kind, start: position - text.start, length: 0)
        // Until it closes, it contains everything that follows.
        tokens[count - 1].link = .max
    }

    /// Completes a container's token when the container closes.
    @inline(__always)
    private mutating func close(_ depth: Int, _ text: JSONText) {
        let container = open[depth]
        tokens[container.token].length = container.members
        tokens[container.token].link = UInt32(truncatingIfNeeded: count)
        if container.isObject, container.members > Self.searchedMembers, !namesDiffer(container.token, text) {
            isFlawed = true
        }
    }

    /// Reads a key, its colon and the space around; returns the position of the value.
    @inline(__always)
    private mutating func readKey(
        _ position: Position, _ depth: Int, _ text: JSONText, expected: StaticString
    ) throws(JSONProblem) -> Position {
        guard text.has("\"", at: position) else { throw text.unexpected("\(expected)", at: position) }
        let close = try readString(position + 1, text)
        if !nameIsNew(depth, text) { isFlawed = true }
        let colon = text.skipSpace(close + 1)
        guard text.has(":", at: colon) else { throw text.unexpected("':'", at: colon) }
        return text.skipSpace(colon + 1)
    }

    private mutating func readWord(
        _ word: StaticString, _ kind: TapeToken.Kind, _ position: Position, _ text: JSONText
    ) throws(JSONProblem) -> Position {
        let length = word.utf8CodeUnitCount
        guard text.end - position >= length, (1..<length).allSatisfy({ position[$0] == word.utf8Start[$0] }) else {
            throw text.unexpected("a value", at: position)
        }
        append(kind, start: position - text.start, length: length)
        return position + length
    }
}
