import NIOCore
import NIOHTTP1

/// The changes a relay makes to the heads it forwards.
///
/// `Host` names the server, and so does an `Origin` that named the relay. Compression of messages and bodies is not
/// negotiated, because the relay could not read them. Everything else keeps its order and spelling.
enum RelayHeads {
    static func asksForWebSocket(_ head: HTTPRequestHead) -> Bool {
        head.headers[canonicalForm: "upgrade"].contains { $0.lowercased() == "websocket" }
    }

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
            // The relay could not read another protocol, so it does not forward the request for one.
            case "upgrade" where !asksForWebSocket(head), "http2-settings": continue
            case "connection" where head.headers.contains(name: "Upgrade") && !asksForWebSocket(head):
                passed.headers.add(name: name, value: "close")
            default: passed.headers.add(name: name, value: value)
            }
        }
        return passed
    }

    static func passed(_ head: HTTPResponseHead, isToHEAD: Bool, isLast: Bool) -> HTTPResponseHead {
        var passed = head
        // The relay speaks HTTP/1.1; the fields already say how the body and the connection end.
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
