extension JSONParser {
    /// Where the value a pointer leads to starts in a text; nil when it leads nowhere, or the text breaks off before.
    ///
    /// Meant for error messages about a text that was parsed before: it does not check the grammar again.
    public static func location(of pointer: JSONPointer, in text: String) -> JSONLocation? {
        location(of: pointer, in: Array(text.utf8))
    }

    /// Where the value a pointer leads to starts in UTF-8 bytes; nil when it leads nowhere.
    public static func location(of pointer: JSONPointer, in bytes: [UInt8]) -> JSONLocation? {
        var reader = ByteReader(bytes)
        reader.skipSpace()
        for token in pointer.tokens {
            guard reader.enter(token) else { return nil }
        }
        guard reader.current != nil else { return nil }
        return JSONLocation.start.advanced(to: reader.position, in: bytes)
    }
}

extension ByteReader {
    /// Moves from the start of a container to the start of a value in it; false when it has none of that name.
    fileprivate mutating func enter(_ token: String) -> Bool {
        if take(UInt8(ascii: "{")) {
            return enterMember(token)
        }
        guard take(UInt8(ascii: "[")), let index = JSONPointer.index(token) else { return false }
        for _ in 0..<index {
            skipSpace()
            guard skipValue() else { return false }
            skipSpace()
            guard take(UInt8(ascii: ",")) else { return false }
        }
        skipSpace()
        return current != nil && current != UInt8(ascii: "]")
    }

    private mutating func enterMember(_ token: String) -> Bool {
        // The last of several members of one name is the one that counts.
        var found: Int?
        repeat {
            skipSpace()
            guard current == UInt8(ascii: "\""), let key = try? string() else { break }
            skipSpace()
            guard take(UInt8(ascii: ":")) else { break }
            skipSpace()
            if exactlyEqual(key.text, token) { found = position }
            guard skipValue() else { break }
            skipSpace()
        } while take(UInt8(ascii: ","))
        guard let found else { return false }
        position = found
        return true
    }

    /// Skips one value by its brackets; false at the end of the text.
    private mutating func skipValue() -> Bool {
        var depth = 0
        let start = position
        while let byte = current {
            switch byte {
            case UInt8(ascii: "\""):
                guard (try? string()) != nil else { return false }
                if depth == 0 { return true }
                continue
            case UInt8(ascii: "{"), UInt8(ascii: "["): depth += 1
            case UInt8(ascii: "}"), UInt8(ascii: "]"):
                // The bracket of the container around a bare word or number.
                if depth == 0 { return position > start }
                depth -= 1
                if depth == 0 {
                    position += 1
                    return true
                }
            case UInt8(ascii: ","):
                if depth == 0 { return position > start }
            default: break
            }
            position += 1
        }
        return depth == 0 && position > start
    }
}
