import NIOCore
import NIOHTTP1

/// What a relay changes in the heads it passes on.
///
/// `Host` names the server, and an `Origin` that names the relay too. What would make the traffic unreadable is not
/// negotiated: compression of messages and of bodies. Everything else stays as it is, in its order and spelling.
enum RelayHeads {
    static func asksForWebSocket(_ head: HTTPRequestHead) -> Bool {
        head.headers[canonicalForm: "upgrade"].contains { $0.lowercased() == "websocket" }
    }

    /// The head of a request as the server gets it.
    static func passed(_ head: HTTPRequestHead, to upstream: Endpoint, isSecure: Bool) -> HTTPRequestHead {
        var passed = head
        let host = head.headers.first(name: "Host")
        passed.headers = HTTPHeaders()
        for (name, value) in head.headers {
            switch name.lowercased() {
            case "host": passed.headers.add(name: name, value: upstream.authority)
            case "origin" where value == "\(isSecure ? "https" : "http")://\(host ?? "")":
                passed.headers.add(name: name, value: upstream.httpBase.origin)
            case "sec-websocket-extensions", "accept-encoding": continue
            // Another protocol could not be read, so the server is not asked for one.
            case "upgrade" where !asksForWebSocket(head), "http2-settings": continue
            case "connection" where head.headers.contains(name: "Upgrade") && !asksForWebSocket(head):
                passed.headers.add(name: name, value: "close")
            default: passed.headers.add(name: name, value: value)
            }
        }
        return passed
    }

    /// The head of an answer as the client gets it.
    static func passed(_ head: HTTPResponseHead, isToHEAD: Bool, isLast: Bool) -> HTTPResponseHead {
        var passed = head
        // The version is the relay's: what it says about the length and the end of the connection is in the fields.
        passed.version = .http1_1
        if isToHEAD { passed.headers.remove(name: "Transfer-Encoding") }
        if isLast { passed.headers.replaceOrAdd(name: "Connection", value: "close") }
        return passed
    }
}

extension HTTPServerResponse {
    init(_ head: HTTPResponseHead) {
        self.init(status: Int(head.status.code), headers: head.headers.map { ($0.name, $0.value) })
    }
}
