import HoldfastBasics

/// Sees everything that passes through a relay before it is forwarded, and may interfere.
///
/// Calls about one exchange are made in order on its event loop and block it, so they must never wait. Each
/// request, including one for a WebSocket, has a number that is unique for the life of the relay.
package protocol RelayWatcher: Sendable {
    /// The head of a request arrived; its body is empty here and follows.
    func began(_ request: HTTPServerRequest, isUpgrade: Bool, number: Int) -> RelayChoice

    /// The body of a request is complete; `unseen` if it was too large, or if the answer came before its end.
    func asked(_ body: RelayBody, number: Int)

    /// The head of an answer arrived; its body is empty here and follows.
    func answering(_ answer: HTTPServerResponse, number: Int) -> RelayChoice

    /// An answer is complete; this includes a refused WebSocket.
    func answered(_ answer: HTTPServerResponse, _ body: RelayBody, number: Int)

    /// An exchange ended without a complete answer, or its answer was too large to keep.
    func failed(_ problem: TransportProblem, by side: RelaySide, number: Int)

    func upgraded(number: Int)

    /// A complete message, or a ping, pong or close frame, is about to be forwarded.
    func saw(_ event: WebSocketEvent, from side: RelaySide, number: Int) -> RelayAction

    /// Everything seen so far on WebSockets is about to be sent; a watcher that batches its records writes them now.
    func keep()

    /// An event that was seen and delayed is now sent.
    func delivered(_ event: WebSocketEvent, from side: RelaySide, number: Int)

    /// A peer's WebSocket bytes can no longer be parsed, and are forwarded as they are.
    func lost(_ problem: TransportProblem, from side: RelaySide, number: Int)

    /// A peer ended the WebSocket's connection; called once, for the first peer to do so.
    func ended(by side: RelaySide, wasReset: Bool, number: Int)
}

package enum RelayBody: Sendable, Equatable {
    /// The whole body, without transfer coding.
    case whole([UInt8])
    case unseen
}

package enum RelayChoice: Sendable {
    case pass
    case delay(Duration)
    case answer(HTTPServerResponse)
    /// End both connections, cleanly or by a reset, or fall silent on them.
    case cut(Cut)
}

package struct RelayAction: Sendable, Equatable {
    package var copies: Int
    /// The time for which it is held, with everything after it.
    package var delay: Duration
    /// After the copies; nil if the connection stays open.
    package var ending: ConnectionEnding?

    package init(copies: Int = 1, delay: Duration = .zero, ending: ConnectionEnding? = nil) {
        self.copies = copies
        self.delay = delay
        self.ending = ending
    }

    package static let pass = RelayAction()
}

package struct RelayLimits: Sendable, Equatable {
    /// The largest message to examine; a larger one is forwarded unseen.
    package var maxMessageBytes = 16 << 20
    /// The largest body to keep for the watcher; a larger one is forwarded unseen.
    package var maxBodyBytes = 16 << 20
    /// The limit for all incomplete messages and bodies together.
    package var maxHeldBytes = 256 << 20
    /// The maximum number of open client connections; further ones are closed at once.
    package var maxConnections = 4096
    /// The time that the server may take to accept a connection.
    package var connect = Duration.seconds(10)
    /// The time for which a client may stay idle between two requests.
    var idle = Duration.seconds(60)
    /// The time that a peer may take to read the rest once the other one is gone.
    package var patience = Duration.seconds(10)

    package init() {}
}

/// Sees everything that passes between a server and its clients, and may interfere, like a ``RelayWatcher``.
///
/// The calls come from many threads and must never wait. Each WebSocket and each request has a number that is unique
/// for the life of the process.
package protocol ServerWatcher: Sendable {
    func asks(_ request: UpgradeRequest) -> RelayChoice

    func opened(_ request: UpgradeRequest, number: Int)

    /// A complete message or another frame arrived from the client, or is about to be sent to it.
    func saw(_ event: WebSocketEvent, from side: RelaySide, number: Int) -> RelayAction

    func ended(number: Int)

    func asked(_ request: HTTPServerRequest, number: Int) -> RelayChoice

    /// A request is about to get its answer; nil if the connection ends without one.
    func answered(_ answer: HTTPServerResponse?, number: Int) -> RelayChoice
}
