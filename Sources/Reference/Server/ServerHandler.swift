import Transport

/// Brings requests and sockets to the engine.
struct ServerHandler: TransportHandler {
    let engine: ServerEngine
    let rules: CoreRules

    func respond(to request: HTTPServerRequest) async -> HTTPServerResponse {
        let answer = await engine.answer(
            RESTRequest(
                method: request.method, path: request.path, query: request.query, token: token(request),
                body: request.body))
        var headers = answer.headers
        headers["Content-Type"] = headers["Content-Type"] ?? "application/json"
        return HTTPServerResponse(
            status: answer.status, headers: headers.sorted { $0.key < $1.key }.map { ($0.key, $0.value) },
            body: Array(answer.body.utf8))
    }

    func admit(_ upgrade: UpgradeRequest) async -> UpgradeDecision {
        guard upgrade.path == "/ws" || upgrade.path == "/" else {
            return .refuse(status: 404, body: #"{"error":"WebSockets are at /ws","code":"bad_request"}"#)
        }
        if rules.requiresAuth, rules.defects.isEmpty, let token = token(upgrade), rules.principal(token: token) == nil {
            return .refuse(status: 401, body: #"{"error":"the token is not valid","code":"auth_failed"}"#)
        }
        return .accept
    }

    func serve(_ socket: ServerSocket) async {
        let shown = token(socket.request) ?? rules.token(inQuery: socket.request.query)
        let admitted = rules.requiresAuth ? shown.flatMap { rules.principal(token: $0) } : nil
        let number = await engine.open(socket, principal: admitted)
        // One message at a time: who sends faster than it is answered waits in its own buffers.
        messages: for await arrival in socket.messages {
            switch arrival.event {
            case .text(let text): await engine.receive(.text(text), on: number)
            case .binary(let bytes): await engine.receive(.binary(bytes), on: number)
            case .invalidText: await engine.receive(.invalidText, on: number)
            case .tooLarge(let bytes): await engine.receive(.tooLarge(bytes: bytes), on: number)
            case .ping, .pong: await engine.handle(.heard(socket: number))
            case .close, .eof, .failed, .flooded: break messages
            }
        }
        await engine.end(number)
    }

    private func token(_ request: HTTPServerRequest) -> String? {
        guard let header = request.header("Authorization"), header.lowercased().hasPrefix("bearer ") else { return nil }
        return String(header.dropFirst("bearer ".count))
    }
}
