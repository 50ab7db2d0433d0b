import HoldfastPlatform

/// A request as a server received it; also the one that asks for a WebSocket.
package struct HTTPServerRequest: Sendable {
    /// As sent, which is upper case by custom only.
    package var method: String
    /// Path and query as on the wire, still percent-encoded.
    package var target: String
    /// In their order, names as spelled by the client.
    package var headers: [(String, String)] = []
    /// Without transfer coding; empty when there is none.
    package var body: [UInt8] = []
    package var remoteAddress = ""
    /// Tells when the client goes away before it has its answer; nil where nobody can tell.
    package var departure: Departure?

    /// The target without the query.
    package var path: String { String(target.prefix { $0 != "?" }) }
    /// What follows the first question mark, if there is one.
    package var query: String? { target.firstIndex(of: "?").map { String(target[target.index(after: $0)...]) } }

    /// The first value of a header, whatever the case of its name.
    package func header(_ name: String) -> String? { headers.first(named: name) }
}

extension [(String, String)] {
    /// The first value of a header field, whatever the case of its name.
    func first(named name: String) -> String? { first { $0.0.lowercased() == name.lowercased() }?.1 }
}

/// The request that asks for a WebSocket; it has no body.
package typealias UpgradeRequest = HTTPServerRequest

package struct HTTPServerResponse: Sendable {
    /// From 200 to 599.
    package var status: Int
    /// `Content-Length` is added unless it is here.
    package var headers: [(String, String)]
    package var body: [UInt8]
    /// A body that comes piece by piece, each sent at once, in place of ``body``; nil for one that is whole.
    ///
    /// The next piece is asked for when the one before has left; a client that goes away ends the asking.
    package var pieces: AsyncStream<[UInt8]>?
    /// Whether nothing is sent, and the exchange ends instead: with HTTP/1.1 the connection, with HTTP/2 the stream.
    package private(set) var isHangUp = false
    /// Whether an exchange that ends without an answer ends by a reset, where there is a connection of its own.
    private(set) var isReset = false

    package init(status: Int = 200, headers: [(String, String)] = [], body: [UInt8] = []) {
        self.status = status
        self.headers = headers
        self.body = body
    }

    /// No answer: the exchange ends.
    package static var hangUp: HTTPServerResponse {
        var response = HTTPServerResponse(status: 500)
        response.isHangUp = true
        return response
    }

    /// No answer: the connection is reset.
    package static var reset: HTTPServerResponse {
        var response = hangUp
        response.isReset = true
        return response
    }

    package static func json(_ text: String, status: Int = 200) -> HTTPServerResponse {
        HTTPServerResponse(status: status, headers: [("Content-Type", "application/json")], body: Array(text.utf8))
    }
}

/// Whether a client gets its WebSocket.
package enum UpgradeDecision: Sendable {
    case accept
    /// It gets this answer instead, and the connection ends.
    case refuse(status: Int, body: String)
    /// It gets no answer: the connection is reset.
    case reset
}

/// Tells that the client of a request has gone away.
package final class Departure: Sendable {
    private struct State {
        var hasHappened = false
        var act: (@Sendable () -> Void)?
    }

    private let state = Mutex(State())

    /// Does something once the client is gone, at once when it is gone already.
    ///
    /// Only the latest act counts, because the requests of a connection come one after the other.
    package func whenGone(_ act: @escaping @Sendable () -> Void) {
        let isGone = state.withLock { state in
            if !state.hasHappened { state.act = act }
            return state.hasHappened
        }
        if isGone { act() }
    }

    func happened() {
        let act = state.withLock { state in
            defer { state.act = nil }
            state.hasHappened = true
            return state.act
        }
        act?()
    }
}
