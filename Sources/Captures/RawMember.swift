import HoldfastBasics

/// Finds the verbatim text of a member of an object, which a parsed value no longer has.
enum RawMember {
    /// The text of the first member with that name; nil when the text is no object or has none.
    ///
    /// The text has to be JSON already: only places of strings and brackets are looked at. The name is plain ASCII and is
    /// found as it is, without escapes.
    static func text(of name: String, in object: String) -> String? {
        let bytes = Array(object.utf8)
        let wanted = Array(name.utf8)
        var index = 0
        var depth = 0
        var isName = false
        while index < bytes.count {
            switch bytes[index] {
            case UInt8(ascii: "\""):
                let start = index + 1
                index = end(ofString: start, in: bytes)
                guard depth == 1, isName, bytes[start..<min(index, bytes.count)].elementsEqual(wanted) else { break }
                guard var value = bytes[index...].firstIndex(of: UInt8(ascii: ":")) else { return nil }
                value += 1
                let text = String(decoding: bytes[value..<end(ofValue: value, in: bytes)], as: UTF8.self)
                return String(text.trimmed(\.isWhitespace))
            case UInt8(ascii: "{"), UInt8(ascii: "["):
                depth += 1
                isName = depth == 1
            case UInt8(ascii: "}"), UInt8(ascii: "]"): depth -= 1
            case UInt8(ascii: ",") where depth == 1: isName = true
            case UInt8(ascii: ":") where depth == 1: isName = false
            default: break
            }
            index += 1
        }
        return nil
    }

    /// The index of the quote that closes a string.
    private static func end(ofString start: Int, in bytes: [UInt8]) -> Int {
        var index = start
        while index < bytes.count, bytes[index] != UInt8(ascii: "\"") {
            index += bytes[index] == UInt8(ascii: "\\") ? 2 : 1
        }
        return min(index, bytes.count)
    }

    private static func end(ofValue start: Int, in bytes: [UInt8]) -> Int {
        var index = start
        var depth = 0
        while index < bytes.count {
            switch bytes[index] {
            case UInt8(ascii: "\""): index = end(ofString: index + 1, in: bytes)
            case UInt8(ascii: "{"), UInt8(ascii: "["): depth += 1
            case UInt8(ascii: "}"), UInt8(ascii: "]"):
                if depth == 0 { return index }
                depth -= 1
            case UInt8(ascii: ",") where depth == 0: return index
            default: break
            }
            index += 1
        }
        return min(index, bytes.count)
    }
}
