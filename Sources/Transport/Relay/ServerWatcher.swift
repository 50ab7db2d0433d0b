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
