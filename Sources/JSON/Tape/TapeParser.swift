/// The grammar of RFC 8259, once more, for speed: no error is described, no byte copied, no string made.
///
/// Every pointer is compared with `end` before it is read, or lies before one that was.
extension JSONTape {
    typealias Bytes = UnsafePointer<UInt8>

    /// Reads the text between two places; false when it is not sound.
    mutating func parse(_ start: Bytes, _ end: Bytes) -> Bool {
        var depth = 0
        var place = Self.skipSpace(start, end)
        value: while place < end {
            switch place.pointee {
            case UInt8(ascii: "\""):
                guard let close = readString(place + 1, start, end) else { return false }
                place = close + 1
            case UInt8(ascii: "{"):
                guard depth < maxDepth else { return false }
                open[depth] = OpenContainer(token: count, members: 0, isObject: true, names: 0)
                append(.object, start: place - start, length: 0)
                place = Self.skipSpace(place + 1, end)
                if place < end, place.pointee == UInt8(ascii: "}") {
                    place += 1
                } else {
                    guard let next = readKey(place, start, end, depth) else { return false }
                    depth += 1
                    place = next
                    continue value
                }
            case UInt8(ascii: "["):
                guard depth < maxDepth else { return false }
                open[depth] = OpenContainer(token: count, members: 1, isObject: false, names: 0)
                append(.array, start: place - start, length: 0)
                place = Self.skipSpace(place + 1, end)
                if place < end, place.pointee == UInt8(ascii: "]") {
                    place += 1
                } else {
                    depth += 1
                    continue value
                }
            case UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"):
                guard let next = readNumber(place, start, end) else { return false }
                place = next
            default:
                guard let next = readWord(place, start, end) else { return false }
                place = next
            }
            // A value is whole: go on to the next one, closing containers as long as they end here.
            while true {
                place = Self.skipSpace(place, end)
                if depth == 0 { return place == end }
                guard place < end else { return false }
                let byte = place.pointee
                place += 1
                let top = depth - 1
                if byte == UInt8(ascii: ",") {
                    place = Self.skipSpace(place, end)
                    if open[top].isObject {
                        guard let next = readKey(place, start, end, top) else { return false }
                        place = next
                    } else {
                        open[top].members += 1
                    }
                    continue value
                }
                guard byte == (open[top].isObject ? UInt8(ascii: "}") : UInt8(ascii: "]")), close(top, start) else {
                    return false
                }
                depth = top
            }
        }
        return false
    }

    /// Fills in what a container's token could not know when it opened; false when a name came twice.
    @inline(__always)
    private mutating func close(_ depth: Int, _ start: Bytes) -> Bool {
        let container = open[depth]
        tokens[container.token].length = container.members
        tokens[container.token].link = UInt32(truncatingIfNeeded: count)
        return !container.isObject || container.members <= Self.searchedMembers || namesDiffer(container.token, start)
    }

    /// Reads a key, the colon behind it and the space around; gives the place of the value.
    @inline(__always)
    private mutating func readKey(_ place: Bytes, _ start: Bytes, _ end: Bytes, _ depth: Int) -> Bytes? {
        guard place < end, place.pointee == UInt8(ascii: "\""), let close = readString(place + 1, start, end) else {
            return nil
        }
        guard nameIsNew(depth, end, start) else { return nil }
        let colon = Self.skipSpace(close + 1, end)
        guard colon < end, colon.pointee == UInt8(ascii: ":") else { return nil }
        return Self.skipSpace(colon + 1, end)
    }

    @inline(__always)
    static func skipSpace(_ place: Bytes, _ end: Bytes) -> Bytes {
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

    private mutating func readWord(_ place: Bytes, _ start: Bytes, _ end: Bytes) -> Bytes? {
        let kind: TapeToken.Kind
        let word: StaticString
        switch place.pointee {
        case UInt8(ascii: "t"): (kind, word) = (.yes, "true")
        case UInt8(ascii: "f"): (kind, word) = (.no, "false")
        case UInt8(ascii: "n"): (kind, word) = (.null, "null")
        default: return nil
        }
        let length = word.utf8CodeUnitCount
        guard end - place >= length else { return nil }
        for index in 1..<length where place[index] != word.utf8Start[index] { return nil }
        append(kind, start: place - start, length: length)
        return place + length
    }

    @inline(__always)
    private mutating func readNumber(_ first: Bytes, _ start: Bytes, _ end: Bytes) -> Bytes? {
        var place = first
        var isPlain = true
        if place.pointee == UInt8(ascii: "-") { place += 1 }
        guard place < end else { return nil }
        if place.pointee == UInt8(ascii: "0") {
            place += 1
        } else {
            guard let next = Self.skipDigits(place, end) else { return nil }
            place = next
        }
        if place < end, place.pointee == UInt8(ascii: ".") {
            isPlain = false
            guard let next = Self.skipDigits(place + 1, end) else { return nil }
            place = next
        }
        if place < end, place.pointee | 0x20 == UInt8(ascii: "e") {
            isPlain = false
            place += 1
            if place < end, place.pointee == UInt8(ascii: "+") || place.pointee == UInt8(ascii: "-") { place += 1 }
            guard let next = Self.skipDigits(place, end) else { return nil }
            place = next
        }
        append(.number, start: first - start, length: place - first, isPlain: isPlain)
        return place
    }

    /// Skips at least one digit.
    @inline(__always)
    private static func skipDigits(_ first: Bytes, _ end: Bytes) -> Bytes? {
        var place = first
        while place < end, place.pointee &- UInt8(ascii: "0") < 10 { place += 1 }
        return place > first ? place : nil
    }
}
