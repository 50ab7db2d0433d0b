/// Joins the lines of values that span several, and splits arrays, so that one value at a time is read.
struct JSONJoiner {
    /// The text of a value or of another line, with the location where it begins.
    typealias Piece = (text: String, location: CaptureLocation)

    private var pending = ""
    private var location = CaptureLocation(line: 1, offset: 0)
    private var indent = 0
    private var depth = 0
    private var isInArray = false
    /// The text before a value in the line where it begins, if it continues in the next lines.
    private var opening: String?
    /// A text longer than this is not a value.
    private static let maxBytes = 16 << 20

    mutating func take(_ line: String, _ location: CaptureLocation) -> [Piece] {
        let isOpen = depth > 0 && opening != nil
        // A prefix of each line, such as the name of a container, is not part of the value.
        let shared = isOpen ? line.prefix(zip(line, opening ?? "").prefix { $0 == $1 }.count) : ""
        let own = shared.last?.isWhitespace == true ? line.dropFirst(shared.count) : line[...]
        let text = own.trimmed(\.isWhitespace)
        guard let first = text.utf8.first else { return [] }
        let indent = line.utf8.count - line.drop(while: \.isWhitespace).utf8.count
        if depth == 0 {
            if first == UInt8(ascii: "{"), text.utf8.last == UInt8(ascii: "}") { return [(line, location)] }
            guard first == UInt8(ascii: "{") || begins(array: text) || isInArray && "],".utf8.contains(first) else {
                guard text.last == "{", let brace = text.lastIndex(of: "{"), brace > text.startIndex else {
                    return [(line, location)]
                }
                (opening, pending) = (line, String(text[..<brace]))
                return scan(text[brace...], indent, location)
            }
            return scan(text[...], indent, location)
        }
        if isOpen, !"\"}]".utf8.contains(first), text.utf8.count > 2 {
            let broken = finish()
            return broken + take(line, location)
        }
        // A value that was cut off: the next one has the same indentation.
        if !isOpen, first == UInt8(ascii: "{"), indent <= self.indent {
            let broken = finish()
            return broken + take(line, location)
        }
        return scan(text[...], indent, location)
    }

    mutating func finish() -> [Piece] {
        guard depth > 0 else { return [] }
        defer { (pending, depth, opening) = ("", 0, nil) }
        return [(pending, location)]
    }

    private func begins(array text: Substring) -> Bool {
        guard !isInArray, text.first == "[" else { return false }
        let inside = text.dropFirst().first { !$0.isWhitespace }
        return inside == nil || inside == "{" || inside == "]" && text.count == 2
    }

    private mutating func scan(_ text: Substring, _ indent: Int, _ location: CaptureLocation) -> [Piece] {
        var pieces: [Piece] = []
        let bytes = Array(text.utf8)[...]
        var index = 0
        var start = 0
        while index < bytes.endIndex {
            switch bytes[index] {
            case UInt8(ascii: "\"") where depth > 0:
                guard let end = JSONScan.end(ofString: index, in: bytes) else {
                    // A JSON string never continues on the next line.
                    pending += String(decoding: bytes[start...], as: UTF8.self)
                    return pieces + finish()
                }
                index = end
                continue
            case UInt8(ascii: "{"),
                UInt8(ascii: "[") where depth > 0:
                if depth == 0 { (start, self.location, self.indent) = (index, location, indent) }
                depth += 1
            case UInt8(ascii: "}"),
                UInt8(ascii: "]") where depth > 0:
                guard depth > 0 else { break }
                depth -= 1
                if depth == 0 {
                    pieces.append((pending + String(decoding: bytes[start...index], as: UTF8.self), self.location))
                    (pending, start, opening) = ("", index + 1, nil)
                }
            case UInt8(ascii: "["): isInArray = true
            case UInt8(ascii: "]"): isInArray = false
            default: break
            }
            index += 1
        }
        if depth > 0 { pending += String(decoding: bytes[start...], as: UTF8.self) }
        return pending.utf8.count > Self.maxBytes ? pieces + finish() : pieces
    }
}
