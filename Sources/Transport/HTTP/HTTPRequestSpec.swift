/// An HTTP request to send.
package struct HTTPRequestSpec: Sendable {
    /// Any token; `GET` unless told otherwise.
    package var method: String
    /// Where to; `ws` and `wss` are taken as their HTTP twins.
    package var endpoint: Endpoint
    /// Added to `Host`, `Connection` and `Content-Length`, which this module writes unless they are given here.
    package var headers: [(String, String)]
    /// The body; empty means none.
    package var body: [UInt8]

    /// A request, ready to be performed any number of times.
    package init(_ method: String = "GET", _ endpoint: Endpoint, headers: [(String, String)] = [], body: [UInt8] = []) {
        self.method = method
        self.endpoint = endpoint
        self.headers = headers
        self.body = body
    }
}

/// What a server answered.
package struct HTTPAnswer: Sendable {
    /// The status as sent.
    package var status: Int
    /// The headers in their order, names as spelled by the server.
    package var headers: [(String, String)]
    /// The body without transfer coding.
    package var body: [UInt8]
    /// When the last byte had arrived.
    package var receivedAt: ContinuousClock.Instant

    /// The first value of a header, whatever the case of its name.
    package func header(_ name: String) -> String? { headers.first(named: name) }

    /// The body as text, with replacement characters where it is not UTF-8.
    package var text: String { String(decoding: body, as: UTF8.self) }
}
