import HoldfastPlatform

/// A request as a server received it, including a request for a WebSocket.
package struct HTTPServerRequest: Sendable {
    /// The method as sent; usually, but not always, in capitals.
    package var method: String
    /// Path and query as on the wire, percent-encoded.
    package var target: String
    /// The fields in order, with names as the client spelled them.
    package var headers: [(String, String)] = []
    /// The body without transfer coding; empty if there is none.
    package var body: [UInt8] = []
    package var remoteAddress = ""
    /// Signals that the client disconnected before its answer; nil if that can't be detected.
    package var disconnect: DisconnectSignal?

    package var path: String { String(target.prefix { $0 != "?" }) }
    /// Everything after the first question mark, if there is one.
    package var query: String? { target.firstIndex(of: "?").map { String(target[target.index(after: $0)...]) } }

    /// The first value of a field; case does not matter.
    package func header(_ name: String) -> String? { headers.first(named: name) }

    /// The text after `Bearer` in the `Authorization` field.
    package var bearerToken: String? {
        guard let header = header("Authorization"), header.lowercased().hasPrefix("bearer ") else { return nil }
        return String(header.dropFirst("bearer ".count))
    }
}

extension [(String, String)] {
    func first(named name: String) -> String? { first { $0.0.lowercased() == name.lowercased() }?.1 }
}

/// A request for a WebSocket, which has no body.
package typealias UpgradeRequest = HTTPServerRequest

package struct HTTPServerResponse: Sendable {
    /// The status code, from 200 to 599.
    package var status: Int
    /// The fields; `Content-Length` is added if it is missing.
    package var headers: [(String, String)]
    package var body: [UInt8]
    /// A streamed body, each piece sent at once, in place of ``body``; nil for a complete body.
    ///
    /// The next piece is requested once the previous one is sent; the stream ends when the client disconnects.
    package var pieces: AsyncStream<[UInt8]>?
    /// Whether the exchange ends without an answer: HTTP/1.1 ends the connection, HTTP/2 the stream.
    package private(set) var isHangUp = false
    /// Whether an exchange without an answer ends with a reset, on HTTP/1.1.
    private(set) var isReset = false

    package init(status: Int = 200, headers: [(String, String)] = [], body: [UInt8] = []) {
        self.status = status
        self.headers = headers
        self.body = body
    }

    package static var hangUp: HTTPServerResponse {
        var response = HTTPServerResponse(status: 500)
        response.isHangUp = true
        return response
    }

    package static var reset: HTTPServerResponse {
        var response = hangUp
        response.isReset = true
        return response
    }

    package static func json(_ text: String, status: Int = 200) -> HTTPServerResponse {
        HTTPServerResponse(status: status, headers: [("Content-Type", "application/json")], body: Array(text.utf8))
    }
}

package enum UpgradeDecision: Sendable {
    case accept
    /// The client gets this answer instead, and the connection ends.
    case refuse(status: Int, body: String)
    case reset
}

package final class DisconnectSignal: Sendable {
    private struct State {
        var hasHappened = false
        var act: (@Sendable () -> Void)?
    }

    private let state = Mutex(State())

    /// Runs an action once the client is gone, or at once if it already is.
    ///
    /// A new action replaces the old one, because the requests of a connection are handled one at a time.
    package func onDisconnect(_ act: @escaping @Sendable () -> Void) {
        let isGone = state.withLock { state in
            if !state.hasHappened { state.act = act }
            return state.hasHappened
        }
        if isGone { act() }
    }

    func fire() {
        let act = state.withLock { state in
            defer { state.act = nil }
            state.hasHappened = true
            return state.act
        }
        act?()
    }
}
