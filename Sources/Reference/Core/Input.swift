import HoldfastJSON

/// Something that happened to the server; the core learns of the world by these alone.
enum Input: Sendable {
    /// The server starts: what the end of the last process interrupted is closed. The first thing that happens.
    case started
    /// A socket opened; a bearer header of its upgrade named this principal.
    case opened(socket: Int, principal: String?)
    /// A message came in.
    case received(socket: Int, Received)
    /// The peer showed a sign of life that is no message; where it is told of later, with the time at which it came.
    case heard(socket: Int, at: Int? = nil)
    case ended(socket: Int)
    case asked(request: Int, RESTRequest)
    /// Who made a REST request is gone before its answer.
    case left(request: Int)
    /// Records are durable, or nothing of them was kept.
    case stored(write: Int, succeeded: Bool)
    /// A request to the push service came to its end.
    case pushed(turn: String, device: String, PushOutcome)
    /// A wait is over.
    case elapsed(timer: Int)
    /// Time passed; comes about every second.
    case beat
    /// The server is told to stop.
    case stopping

    /// What a socket can bring.
    enum Received: Sendable, Equatable {
        case text(String)
        case binary([UInt8])
        case invalidText
        case tooLarge(bytes: Int)
    }
}

/// Something the core wants done; it does nothing by itself.
enum Effect: Sendable, Equatable {
    /// Send a text message to each of these sockets; what nobody is there to get is told all the same.
    case send(to: [Int], Outgoing)
    case ping(socket: Int)
    /// Close a socket, behind everything sent.
    case close(socket: Int, code: UInt16, reason: String)
    /// End a socket whose peer is gone.
    case cut(socket: Int)
    /// End the process at once, with everybody in it; healthy servers never do.
    case endProcess
    case answer(request: Int, RESTAnswer)
    /// Make records durable, all or none, in the order of these effects, and say so.
    case store(write: Int, [StoredRecord])
    /// Say when so many milliseconds are over.
    case wait(timer: Int, ms: Int)
    /// Bring a notice to a device, and say what became of it.
    case push(device: String, PushNotice)
}

/// A frame on its way out.
struct Outgoing: Sendable, Equatable {
    /// The frame in its form, with its number where it has one; null for what is no frame.
    var frame: JSONValue
    var text: String
}

/// A REST request, without what HTTP adds.
struct RESTRequest: Sendable, Equatable {
    var method: String
    /// Without the query, still percent-encoded.
    var path: String
    /// What follows the question mark; healthy servers have no use for it.
    var query: String?
    /// What follows `Bearer` in the `Authorization` header.
    var token: String?
    var body: [UInt8] = []
}

/// The answer to a REST request; the body is always JSON.
struct RESTAnswer: Sendable, Equatable {
    var status: Int
    var body: String
    var headers: [String: String] = [:]
}
