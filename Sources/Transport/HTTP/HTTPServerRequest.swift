/// A request as a server received it; also the one that asks for a WebSocket.
public struct HTTPServerRequest: Sendable {
    /// As sent, which is upper case by custom only.
    public var method: String
    /// Path and query as on the wire, still percent-encoded.
    public var target: String
    /// In their order, names as spelled by the client.
    public var headers: [(String, String)]
    /// Without transfer coding; empty when there is none.
    public var body: [UInt8]
    /// Address and port of the client.
    public var remoteAddress: String
    /// Tells when the client goes away before it has its answer; nil where nobody can tell.
    public var departure: Departure?

    /// A request, also for tests that need no socket.
    public init(
        method: String,
        target: String,
        headers: [(String, String)] = [],
        body: [UInt8] = [],
        remoteAddress: String = ""
    ) {
        self.method = method
        self.target = target
        self.headers = headers
        self.body = body
        self.remoteAddress = remoteAddress
    }

    /// The target without the query.
    public var path: String { String(target.prefix { $0 != "?" }) }
    /// What follows the first question mark, if there is one.
    public var query: String? { target.firstIndex(of: "?").map { String(target[target.index(after: $0)...]) } }

    /// The first value of a header, whatever the case of its name.
    public func header(_ name: String) -> String? {
        headers.first { $0.0.lowercased() == name.lowercased() }?.1
    }
}

/// The request that asks for a WebSocket; it has no body.
public typealias UpgradeRequest = HTTPServerRequest

/// What a server answers to a request.
public struct HTTPServerResponse: Sendable {
    /// From 200 to 599.
    public var status: Int
    /// `Content-Length` is added unless it is here.
    public var headers: [(String, String)]
    /// The bytes of the body.
    public var body: [UInt8]
    /// A body that comes piece by piece, each sent at once, in place of ``body``; nil for one that is whole.
    ///
    /// The next piece is asked for when the one before has left; a client that goes away ends the asking.
    public var pieces: AsyncStream<[UInt8]>?
    /// Whether nothing is sent, and the exchange ends instead: with HTTP/1.1 the connection, with HTTP/2 the stream.
    public private(set) var isHangUp = false
    /// Whether an exchange that ends without an answer ends by a reset, where there is a connection of its own.
    public private(set) var isReset = false

    /// An answer.
    public init(status: Int = 200, headers: [(String, String)] = [], body: [UInt8] = []) {
        self.status = status
        self.headers = headers
        self.body = body
    }

    /// No answer: the exchange ends.
    public static var hangUp: HTTPServerResponse {
        var response = HTTPServerResponse(status: 500)
        response.isHangUp = true
        return response
    }

    /// No answer: the connection is reset.
    public static var reset: HTTPServerResponse {
        var response = hangUp
        response.isReset = true
        return response
    }

    /// An answer with a JSON body.
    public static func json(_ text: String, status: Int = 200) -> HTTPServerResponse {
        HTTPServerResponse(status: status, headers: [("Content-Type", "application/json")], body: Array(text.utf8))
    }
}

/// Whether a client gets its WebSocket.
public enum UpgradeDecision: Sendable {
    /// It does.
    case accept
    /// It gets this answer instead, and the connection ends.
    case refuse(status: Int, body: String)
    /// It gets no answer: the connection is reset.
    case reset
}
