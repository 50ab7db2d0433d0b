import HoldfastJSON

/// An event from outside; the core learns about the world only from these.
package enum Input: Sendable {
    /// The server starts, and turns that the last process left open are ended. The first input.
    case started
    /// A socket opened; the bearer token of its upgrade named this principal.
    case opened(socket: Int, principal: String?)
    case received(socket: Int, Received)
    /// The peer gave a sign of life other than a message; `at` is its time if it is reported later.
    case heard(socket: Int, at: Int? = nil)
    case ended(socket: Int)
    case asked(request: Int, RESTRequest)
    /// A REST client disconnected before its answer.
    case left(request: Int)
    /// A write ended: all records are durable, or none was kept.
    case stored(write: Int, succeeded: Bool)
    case pushed(turn: String, device: String, PushOutcome)
    case elapsed(timer: Int)
    /// Time passed; sent about once a second.
    case beat
    case stopping

    package enum Received: Sendable, Equatable {
        case text(String)
        case binary([UInt8])
        case invalidText
        case tooLarge(bytes: Int)
    }
}

/// An action for the shell to perform; the core itself performs none.
package enum Effect: Sendable, Equatable {
    /// Send a text message to each of these sockets; also issued if there are none.
    case send(to: [Int], Outgoing)
    case ping(socket: Int)
    /// Close a socket, after everything sent before.
    case close(socket: Int, code: UInt16, reason: String)
    /// End a socket without a close frame; healthy servers never do.
    case cut(socket: Int)
    /// End the process at once, with all its connections; healthy servers never do.
    case endProcess
    case answer(request: Int, RESTAnswer)
    /// Make records durable, all or none, in the order of these effects; then report the outcome.
    case store(write: Int, [StoredRecord])
    /// Report after a number of milliseconds.
    case wait(timer: Int, ms: Int)
    case push(device: String, PushNotice)
}

package struct Outgoing: Sendable, Equatable {
    /// The shaped frame, with its number if it has one; null for text that is not a frame.
    var frame: JSONValue
    package var text: String
}

/// Independent of HTTP.
package struct RESTRequest: Sendable, Equatable {
    var method: String
    /// The path without the query, percent-encoded.
    var path: String
    /// Everything after the question mark; healthy servers ignore it.
    var query: String?
    /// The text after `Bearer` in the `Authorization` header.
    var token: String?
    var body: [UInt8] = []
    /// The other end of its connection; healthy servers ignore it.
    var peer = ""

    package init(
        method: String, path: String, query: String? = nil, token: String? = nil, body: [UInt8] = [], peer: String = ""
    ) {
        (self.method, self.path, self.query, self.token) = (method, path, query, token)
        (self.body, self.peer) = (body, peer)
    }
}

/// The body is always JSON.
package struct RESTAnswer: Sendable, Equatable {
    package var status: Int
    package var body: String
    package var headers: [String: String] = [:]
}
