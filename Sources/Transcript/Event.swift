import HoldfastJSON

/// One observed event, with its time and verbatim content.
public struct Event: Sendable, Equatable {
    /// Monotonic time since the history began, in microseconds.
    public var at: Int
    /// The connection, exchange or other lane it belongs to.
    public var lane: Lane
    /// The kind of event, with the verbatim text if there is one.
    public var kind: Kind

    /// An event at a time, in microseconds since the history began.
    public init(at: Int, lane: Lane, kind: Kind) { (self.at, self.lane, self.kind) = (at, lane, kind) }

    /// The kinds of events; the text of frames and bodies is verbatim.
    public enum Kind: Sendable, Equatable {
        /// A WebSocket upgrade was requested.
        case opening(Opening)
        case opened
        /// The upgrade was refused with an HTTP status, or the connection failed (no status).
        case refused(status: Int?, reason: String)
        /// A complete text message, fragmented or not.
        case text(Direction, String)
        /// A binary message, or a text message that is not UTF-8.
        case binary(Direction, [UInt8])
        /// A WebSocket ping (RFC 6455, 5.5.2).
        case ping(Direction)
        /// A WebSocket pong (RFC 6455, 5.5.3).
        case pong(Direction)
        /// A close frame; the code is nil if the frame was empty.
        case close(Direction, code: Int?, reason: String)
        /// The socket ended; the reason is empty for an orderly end.
        case eof(reason: String)
        case request(Request)
        case response(Response)
        /// An HTTP exchange ended without a response.
        case failed(reason: String)
        /// The stage acted on a lane: `cut`, `stopReading`, `kill`, `start`, `refuseWrites`, ….
        case act(String, JSONObject)
        case state(JSONValue)
        /// The stage waited until this moment; `awaited` names the event, and `met` tells whether it occurred.
        case wait(awaited: String, met: Bool)
    }

    /// A request for a WebSocket connection.
    public struct Opening: Sendable, Equatable {
        /// The owner of the credentials, such as `p1`; tokens are never recorded.
        public var principal: String
        /// The path and query, redacted.
        public var path: String

        /// An upgrade request by a principal.
        public init(principal: String = "p1", path: String = "/ws") { (self.principal, self.path) = (principal, path) }
    }

    /// An HTTP request as it was sent.
    public struct Request: Sendable, Equatable {
        /// The method, in capitals.
        public var method: String
        /// The path and query as sent.
        public var path: String
        /// The owner of the credentials; nil for none, `other` for a token that the server never issued.
        public var principal: String?
        /// Header fields with lowercase names, in order; kept only for requests to the push service.
        public var headers: [Header]
        /// The body, if there is one.
        public var body: String?

        /// A request by a principal.
        public init(
            method: String, path: String, principal: String? = "p1", headers: [Header] = [], body: String? = nil
        ) {
            (self.method, self.path, self.principal, self.headers, self.body) = (method, path, principal, headers, body)
        }

        /// The first value of a header field; the name is lowercase.
        public subscript(header name: String) -> String? {
            headers.first { $0.name == name }?.value
        }
    }

    /// An HTTP response as received, or as sent by the push service.
    public struct Response: Sendable, Equatable {
        /// The status code.
        public var status: Int
        /// Header fields with lowercase names, in order.
        public var headers: [Header]
        /// The body as text; if it is not UTF-8, bytes are replaced and `bodyIsText` is false.
        public var body: String
        /// Whether the body was UTF-8.
        public var bodyIsText: Bool

        /// A response with a body.
        public init(status: Int, headers: [Header] = [], body: String = "", bodyIsText: Bool = true) {
            (self.status, self.headers, self.body, self.bodyIsText) = (status, headers, body, bodyIsText)
        }

        /// The first value of a header field; the name is lowercase.
        public subscript(header name: String) -> String? {
            headers.first { $0.name == name }?.value
        }
    }

    /// A header field.
    public struct Header: Sendable, Equatable {
        /// The lowercase name.
        public var name: String
        /// The value as received.
        public var value: String

        /// A field with a name and a value.
        public init(name: String, value: String) { (self.name, self.value) = (name, value) }
    }
}

extension Event.Kind {
    /// Whether it is a server's close frame for a stop, restart or overload (LIVE-10).
    package var isGoodbye: Bool {
        if case .close(.fromServer, let code?, _) = self { [1001, 1012, 1013].contains(code) } else { false }
    }

    /// Whether it is a connection that ended without a close frame, or was not accepted.
    package var isLoss: Bool {
        switch self {
        case .eof, .failed, .refused(status: nil, _): true
        default: false
        }
    }
}

extension Event {
    /// The act that follows the first unmatched goodbye on its lane if the server went on and did not stop.
    package static let wentOn = "wentOn"

    /// Why the stage skipped a step; nil for other events.
    package var leftOut: String? {
        guard case .act("leaveOut", let details) = kind else { return nil }
        return details["reason"]?.stringValue
    }
}
