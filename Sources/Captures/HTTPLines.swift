import HoldfastJSON

/// Puts requests and responses together that are logged over several lines, as OkHttp and what copies it write them:
/// `--> GET https://…`, `<-- 200 https://… (48ms)`, the body, `<-- END HTTP`.
struct HTTPLines {
    enum Part {
        case request(method: String, path: String, body: String?)
        /// The path tells which request is answered.
        case response(path: String, status: Int, body: String?)
        /// A line that belongs to one of them.
        case more
    }

    private enum State {
        case idle
        case request(method: String, path: String, body: String?)
        case response(path: String, status: Int, body: String?)
    }

    private var state = State.idle

    /// What a line is; nil where it is none of these.
    mutating func take(_ line: String) -> Part? {
        guard line.utf8.first != UInt8(ascii: "{"), line.utf8.contains(UInt8(ascii: "-")) else { return nil }
        if let words = Self.words(after: "--> ", in: line) {
            if words.first == "END" {
                guard case .request(let method, let path, let body) = state else { return .more }
                state = .idle
                return .request(method: method, path: path, body: body)
            }
            guard words.count > 1, words[1].contains("://"), words[0].allSatisfy({ $0.isASCII && $0.isUppercase })
            else {
                return nil
            }
            return begin(.request(method: words[0], path: HARReader.path(of: words[1]), body: nil))
        }
        if let words = Self.words(after: "<-- ", in: line) {
            if words.first == "END" {
                guard case .response(let path, let status, let body) = state else { return .more }
                state = .idle
                return .response(path: path, status: status, body: body)
            }
            guard let status = words.first.flatMap(Int.init), (100...599).contains(status),
                let url = words.first(where: { $0.contains("://") })
            else { return nil }
            return begin(.response(path: HARReader.path(of: url), status: status, body: nil))
        }
        return nil
    }

    /// What was begun before and has no end, as where only first lines are logged.
    private mutating func begin(_ next: State) -> Part {
        defer { state = next }
        switch state {
        case .idle: return .more
        case .request(let method, let path, let body): return .request(method: method, path: path, body: body)
        case .response(let path, let status, let body): return .response(path: path, status: status, body: body)
        }
    }

    /// Takes a line that holds no message: between the two ends of a message it may be the body.
    mutating func takeBody(_ line: String) -> Bool {
        let bytes = Array(line.utf8)[...]
        guard
            let start = bytes.firstIndex(where: { $0 == UInt8(ascii: "{") || $0 == UInt8(ascii: "[") }),
            let end = JSONScan.end(ofBrackets: start, in: bytes)
        else { return false }
        let text = String(decoding: bytes[start..<end], as: UTF8.self)
        guard (try? JSONParser.value(text)) != nil else { return false }
        switch state {
        case .request(let method, let path, _): state = .request(method: method, path: path, body: text)
        case .response(let path, let status, _): state = .response(path: path, status: status, body: text)
        case .idle: return false
        }
        return true
    }

    private static func words(after mark: String, in line: String) -> [String]? {
        guard let range = line.firstRange(of: mark) else { return nil }
        return line[range.upperBound...].split(separator: " ").map(String.init)
    }
}
