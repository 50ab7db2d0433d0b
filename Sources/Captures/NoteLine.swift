import HoldfastTranscript

enum NoteLine: Equatable {
    /// `A -> {…}` or `A <- {…}`: a text message.
    case text(lane: String, Direction, String)
    /// `A -> b'…'`: a binary message, as Python writes bytes.
    case binary(lane: String, Direction, [UInt8])
    /// `A OPEN`, possibly with a path: a connection was opened.
    case open(lane: String, path: String)
    /// `A CLOSED 4001 'reason'`, or `A CLOSED None None`: a connection ended; no code means no close frame.
    case closed(lane: String, code: Int?, reason: String)
    /// `HTTP GET /path -> 200 {…}`, possibly with the body of the request after the path.
    case exchange(method: String, path: String, request: String?, status: Int, body: String)
    /// `…` or data without a lane: something was omitted.
    case gap
    /// A blank line, or one that begins with `#`.
    case comment
    case prose

    init(_ line: some StringProtocol) {
        let trimmed = line.drop { $0 == " " || $0 == "\t" }
        guard let first = trimmed.first else {
            self = .comment
            return
        }
        if first == "#" {
            self = .comment
        } else if trimmed.allSatisfy({ $0 == "." || $0 == "…" || $0.isWhitespace }) || "{[(".contains(first) {
            self = .gap
        } else {
            self = Self.event(String(trimmed)) ?? .prose
        }
    }

    static func event(_ line: String) -> NoteLine? {
        let words = line.split(separator: " ", maxSplits: 1, omittingEmptySubsequences: false)
        guard words.count == 2 else { return nil }
        if words[0] == "HTTP" { return exchange(words[1]) }
        let lane = String(words[0])
        guard !lane.isEmpty, lane.unicodeScalars.allSatisfy({ ("A"..."Z").contains($0) }) else { return nil }
        let rest = words[1]
        if rest.hasPrefix("-> ") { return message(lane, .toServer, rest.dropFirst(3)) }
        if rest.hasPrefix("<- ") { return message(lane, .fromServer, rest.dropFirst(3)) }
        if rest == "OPEN" || rest.hasPrefix("OPEN ") {
            let path = rest.dropFirst(5)
            return .open(lane: lane, path: path.isEmpty ? "/" : String(path))
        }
        guard rest == "CLOSED" || rest.hasPrefix("CLOSED ") else { return nil }
        let parts = rest.split(separator: " ", maxSplits: 2)
        let code = parts.count > 1 ? Int(parts[1]) : nil
        if parts.count > 1, code == nil, parts[1] != "None" { return nil }
        var reason = parts.count > 2 ? String(parts[2]) : ""
        if reason == "None" { reason = "" }
        if let quote = reason.first, "'\"".contains(quote), reason.count > 1, reason.last == quote {
            reason = String(reason.dropFirst().dropLast())
        }
        return .closed(lane: lane, code: code, reason: reason)
    }

    private static func message(_ lane: String, _ direction: Direction, _ text: Substring) -> NoteLine {
        if let bytes = bytes(text) { return .binary(lane: lane, direction, bytes) }
        return .text(lane: lane, direction, String(text))
    }

    private static func exchange(_ text: Substring) -> NoteLine? {
        let words = text.split(separator: " ", maxSplits: 1)
        guard words.count == 2, words[0].allSatisfy({ $0.isASCII && $0.isUppercase }) else { return nil }
        // A body may contain the arrow too: the one before a status counts.
        var location = words[1].startIndex
        while let arrow = words[1][location...].firstRange(of: " -> ") {
            let answer = words[1][arrow.upperBound...].split(
                separator: " ", maxSplits: 1, omittingEmptySubsequences: false)
            if let first = answer.first, first.count == 3, let status = Int(first), (100...599).contains(status) {
                let asked = words[1][..<arrow.lowerBound].split(separator: " ", maxSplits: 1)
                guard let path = asked.first, path.first == "/" else { return nil }
                return .exchange(
                    method: String(words[0]), path: String(path), request: asked.count > 1 ? String(asked[1]) : nil,
                    status: status, body: answer.count > 1 ? String(answer[1]) : "")
            }
            location = arrow.upperBound
        }
        return nil
    }

    /// The bytes of `b'…'` or `b"…"`; nil for anything else.
    static func bytes(_ text: Substring) -> [UInt8]? {
        guard text.first == "b", let quote = text.dropFirst().first, "'\"".contains(quote), text.count >= 3,
            text.last == quote
        else { return nil }
        return JSONScan.unescaped(Array(text.dropFirst(2).dropLast().utf8)[...], isBytes: true)
    }
}
