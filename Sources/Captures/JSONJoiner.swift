/// Joins the lines of values that are written over several, and takes arrays apart: one value at a time is read.
struct JSONJoiner {
    /// What begins a line of its own, with where it begins.
    typealias Piece = (text: String, location: CaptureLocation)

    private var pending = ""
    private var location = CaptureLocation(line: 1, offset: 0)
    private var indent = 0
    private var depth = 0
    private var isInArray = false
    /// A value that is written over more than this is none.
    private static let mostBytes = 16 << 20

    /// The values and other lines that a line completes.
    mutating func take(_ line: String, _ location: CaptureLocation) -> [Piece] {
        let text = line.trimmed(\.isWhitespace)
        guard let first = text.utf8.first else { return [] }
        let indent = line.utf8.count - line.drop(while: \.isWhitespace).utf8.count
        if depth == 0 {
            if first == UInt8(ascii: "{"), text.utf8.last == UInt8(ascii: "}") { return [(line, location)] }
            guard first == UInt8(ascii: "{") || begins(array: text) || isInArray && "],".utf8.contains(first) else {
                return [(line, location)]
            }
            return scan(text[...], indent, location)
        }
        // A value that was cut off: the next one begins where it began.
        if first == UInt8(ascii: "{"), indent <= self.indent {
            let broken = finish()
            return broken + take(line, location)
        }
        return scan(text[...], indent, location)
    }

    /// What was not whole.
    mutating func finish() -> [Piece] {
        guard depth > 0 else { return [] }
        defer { (pending, depth) = ("", 0) }
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
                    // No string goes on over a line.
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
                    (pending, start) = ("", index + 1)
                }
            case UInt8(ascii: "["): isInArray = true
            case UInt8(ascii: "]"): isInArray = false
            default: break
            }
            index += 1
        }
        if depth > 0 { pending += String(decoding: bytes[start...], as: UTF8.self) }
        return pending.utf8.count > Self.mostBytes ? pieces + finish() : pieces
    }
}
