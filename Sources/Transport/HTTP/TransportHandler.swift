/// What a server does with its clients; one instance serves all of them at once.
public protocol TransportHandler: Sendable {
    /// Answers a request; runs to its end also when the client goes away meanwhile.
    func respond(to request: HTTPServerRequest) async -> HTTPServerResponse

    /// Decides whether a client gets its WebSocket.
    func admit(_ upgrade: UpgradeRequest) async -> UpgradeDecision

    /// Serves one WebSocket for as long as it lives; returning closes it with 1000.
    func serve(_ socket: ServerSocket) async
}
