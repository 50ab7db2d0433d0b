import HoldfastBasics

package enum RelaySide: String, Sendable, Hashable {
    /// Who connected to the relay.
    case client
    /// Where the relay connected to.
    case server

    package var other: RelaySide { self == .client ? .server : .client }
}

/// Sees everything that passes through a relay, before it is passed on, and may interfere.
///
/// The calls about one exchange come in order on its event loop, which does nothing else meanwhile: they must be short and
/// never wait. Numbers are unique for the life of the relay: one for each request, the one that asks for a WebSocket too.
package protocol RelayWatcher: Sendable {
    /// The head of a request came; its body is empty here and follows.
    func began(_ request: HTTPServerRequest, isUpgrade: Bool, number: Int) -> RelayChoice

    /// The body of a request is whole, or as much of it as came before the answer.
    func asked(_ body: RelayBody, number: Int)

    /// The head of an answer came; its body is empty here and follows.
    func answering(_ answer: HTTPServerResponse, number: Int) -> RelayChoice

    /// An answer is whole; also one that refuses a WebSocket.
    func answered(_ answer: HTTPServerResponse, _ body: RelayBody, number: Int)

    /// An exchange ended without a whole answer, or its answer is too large to be kept.
    func failed(_ problem: TransportProblem, by side: RelaySide, number: Int)

    /// The server agreed to a WebSocket.
    func upgraded(number: Int)

    /// A whole message, or a ping, pong or close frame, is about to be passed on.
    func saw(_ event: WebSocketEvent, from side: RelaySide, number: Int) -> RelayDeed

    /// What was seen of WebSockets goes to the peers now: whoever writes it down may have waited for this.
    func keep()

    /// What was seen, held up and now goes on its way.
    func delivered(_ event: WebSocketEvent, from side: RelaySide, number: Int)

    /// What a peer sends on a WebSocket cannot be read any more, and is passed on as it is.
    func lost(_ problem: TransportProblem, from side: RelaySide, number: Int)

    /// A peer ended the WebSocket's connection; told once, about the one that was first.
    func ended(by side: RelaySide, wasReset: Bool, number: Int)
}

/// The body of a request or an answer as far as it was kept.
package enum RelayBody: Sendable, Equatable {
    /// All of it, without transfer coding.
    case whole([UInt8])
    /// Too large to be kept.
    case unseen
}

/// What becomes of a request or an answer.
package enum RelayChoice: Sendable {
    /// It goes on its way.
    case pass
    /// It goes on its way after a time.
    case delay(Duration)
    /// The client gets this instead.
    case answer(HTTPServerResponse)
    /// Both connections end, in order or by a reset.
    case cut(Cut)
}

/// What becomes of a message on a WebSocket.
package struct RelayDeed: Sendable, Equatable {
    /// How often it is passed on.
    package var copies: Int
    /// How long it waits, with everything behind it.
    package var delay: Duration
    /// What happens after it.
    package var ending: ConnectionEnding?

    /// Passed on once, at once, unless told otherwise.
    package init(copies: Int = 1, delay: Duration = .zero, ending: ConnectionEnding? = nil) {
        self.copies = copies
        self.delay = delay
        self.ending = ending
    }

    /// Nothing special.
    package static let pass = RelayDeed()
}

package struct RelayLimits: Sendable, Equatable {
    /// The largest message that is looked at; a larger one is passed on unseen.
    package var maxMessageBytes = 16 << 20
    /// The largest body that is kept for the watcher; a larger one is passed on unseen.
    package var maxBodyBytes = 16 << 20
    /// What all messages and bodies that are not whole yet may have together.
    package var maxHeldBytes = 256 << 20
    /// Open connections of clients; further ones are closed at once.
    package var maxConnections = 4096
    /// How long the server may take to accept a connection.
    package var connect = Duration.seconds(10)
    /// How long a client may rest between two requests.
    var idle = Duration.seconds(60)
    /// How long a peer may take to read what is left once the other one is gone.
    package var patience = Duration.seconds(10)

    /// Bounds for two peers that are watched.
    package init() {}
}

/// Sees everything that passes between a server and its clients, and may interfere, as a ``RelayWatcher`` does between two
/// peers.
///
/// The calls come from many threads and must never wait. Numbers are unique for the life of the process: one for each
/// WebSocket and each request.
package protocol ServerWatcher: Sendable {
    /// A client asks for a WebSocket.
    func asks(_ request: UpgradeRequest) -> RelayChoice

    /// A WebSocket is open.
    func opened(_ request: UpgradeRequest, number: Int)

    /// A whole message or another frame came from the client, or is about to be sent to it.
    func saw(_ event: WebSocketEvent, from side: RelaySide, number: Int) -> RelayDeed

    /// A connection is gone.
    func ended(number: Int)

    /// A request came, with its body.
    func asked(_ request: HTTPServerRequest, number: Int) -> RelayChoice

    /// A request is about to get its answer; nil when there is none, and the connection ends.
    func answered(_ answer: HTTPServerResponse?, number: Int) -> RelayChoice
}
