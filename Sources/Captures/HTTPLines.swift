import HoldfastJSON

/// Joins requests and responses that are logged over several lines: as OkHttp and its imitators write them (`--> GET
/// https://…`, `<-- 200 https://… (48ms)`, the body, `<-- END HTTP`), and as mitmproxy does (`…: GET https://…
/// HTTP/2.0`, the body, ` << HTTP/2.0 200 OK 1k`, the body).
struct HTTPLines {
    enum Part {
        case request(method: String, path: String, body: String?)
        /// The path tells which request is answered.
        case response(path: String, status: Int, body: String?)
        /// Another line of one of them.
        case more
    }

    /// The exchange that was begun and may still have a body.
    private var open: Part?
    private var lastPath = "/"
    /// Whether requests are printed with their responses, as mitmproxy does.
    private(set) var isPrintedAtResponses = false

    /// The part that a line completes, or `more`; nil if the line belongs to no exchange.
    mutating func take(_ line: String) -> Part? {
        // Text after a brace is a quotation.
        let line = line.prefix { $0 != "{" }
        guard line.contains("--") || line.contains("<< ") || line.contains("://") else { return nil }
        if line.contains("--> END") || line.contains("<-- END") { return begin(nil) }
        if let request = line.firstMatch(of: #/(?:--> ([A-Z]+) (\S*:\/\/\S+)|: ([A-Z]+) (https?:\/\/\S+) HTTP\/)/#),
            let method = request.output.1 ?? request.output.3, let url = request.output.2 ?? request.output.4
        {
            lastPath = HARReader.path(of: String(url))
            isPrintedAtResponses = request.output.3 != nil
            return begin(.request(method: String(method), path: lastPath, body: nil))
        }
        guard
            let response = line.firstMatch(
                of: #/(?:<-- ([1-5][0-9][0-9]) .*?(\S+:\/\/\S+)|^ +<< (?:HTTP\/[0-9.]+ )?([1-5][0-9][0-9]) )/#),
            let status = (response.output.1 ?? response.output.3).flatMap({ Int($0) })
        else { return nil }
        let path = response.output.2.map { HARReader.path(of: String($0)) } ?? lastPath
        return begin(.response(path: path, status: status, body: nil))
    }

    /// Ends the open request or response, which may have no further lines, and begins the next.
    private mutating func begin(_ next: Part?) -> Part {
        defer { open = next }
        return open ?? .more
    }

    /// Takes a line without a message of a socket: after the first line of an exchange, it may be the body.
    mutating func takeBody(_ line: String) -> Part? {
        guard let part = open else { return nil }
        let bytes = Array(line.utf8)[...]
        guard
            let start = bytes.firstIndex(where: { $0 == UInt8(ascii: "{") || $0 == UInt8(ascii: "[") }),
            let end = JSONScan.end(ofBrackets: start, in: bytes)
        else { return nil }
        let text = String(decoding: bytes[start..<end], as: UTF8.self)
        guard (try? JSONParser.value(text)) != nil else { return nil }
        switch part {
        case .request(let method, let path, _): open = .request(method: method, path: path, body: text)
        case .response(let path, let status, _):
            open = nil
            return .response(path: path, status: status, body: text)
        case .more: break
        }
        return .more
    }
}
