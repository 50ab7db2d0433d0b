/// A server's behavior; one instance serves all clients at once.
package protocol TransportHandler: Sendable {
    /// Answers a request; runs to its end even if the client disconnects.
    func respond(to request: HTTPServerRequest) async -> HTTPServerResponse

    func admit(_ upgrade: UpgradeRequest) async -> UpgradeDecision

    /// Serves one WebSocket for its whole life; returning closes it with 1000.
    func serve(_ socket: ServerSocket) async
}

extension TransportHandler {
    package func admit(_ upgrade: UpgradeRequest) async -> UpgradeDecision {
        .refuse(status: 404, body: "there is no WebSocket here")
    }

    package func serve(_ socket: ServerSocket) async {}
}
