import Transport

/// Brings requests and sockets to the engine.
struct ServerHandler: TransportHandler {
    let engine: ServerEngine
    let rules: CoreRules
    /// Nil where the wire is the specification's own.
    var edge: WireEdge?

    func respond(to request: HTTPServerRequest) async -> HTTPServerResponse {
        let asked = RESTRequest(
            method: request.method, path: request.path, query: request.query, token: token(request), body: request.body)
        guard let answer = await answer(asked) else { return .reset }
        var headers = answer.headers
        headers["Content-Type"] = headers["Content-Type"] ?? "application/json"
        let response = HTTPServerResponse(
            status: answer.status, headers: headers.sorted { $0.key < $1.key }.map { ($0.key, $0.value) },
            body: Array(answer.body.utf8))
        return rules.variations.isEmpty ? response : await varied(response)
    }

    /// The answer as the wire has it; nil when nobody is there to answer.
    private func answer(_ asked: RESTRequest) async -> RESTAnswer? {
        guard let edge else { return await engine.answer(asked) }
        guard let canonical = edge.asked(asked) else { return edge.nothing(at: asked.path) }
        return await engine.answer(canonical).map { edge.answered($0, to: canonical) }
    }

    /// The same response in another form that HTTP allows.
    private func varied(_ response: HTTPServerResponse) async -> HTTPServerResponse {
        var response = response
        if rules.variations.contains(.lateResponses) { try? await Task.sleep(for: .milliseconds(60)) }
        if rules.variations.contains(.closesExchanges) { response.headers.append(("Connection", "close")) }
        if rules.variations.contains(.lowerCaseHeaders) {
            response.headers = response.headers.map { name, value in
                (name.lowercased(), name == "Content-Type" ? value + "; charset=utf-8" : value)
            }
        }
        if rules.variations.contains(.chunkedBodies) {
            let size = max(1, response.body.count / 5)
            let starts = stride(from: 0, to: response.body.count, by: size)
            let chunks = starts.map { [body = response.body] in Array(body[$0..<min($0 + size, body.count)]) }
            response.pieces = AsyncStream { continuation in
                for chunk in chunks { continuation.yield(chunk) }
                continuation.finish()
            }
        }
        return response
    }

    func admit(_ upgrade: UpgradeRequest) async -> UpgradeDecision {
        if await engine.hasEnded { return .reset }
        if let edge { return edge.admits(upgrade, rules) }
        guard upgrade.path == "/ws" || upgrade.path == "/" else {
            return .refuse(status: 404, body: #"{"error":"WebSockets are at /ws","code":"bad_request"}"#)
        }
        let isStrict = rules.requiresAuth && rules.defects.isEmpty && !rules.variations.contains(.refusesAfterUpgrade)
        if isStrict, let token = token(upgrade), rules.principal(token: token) == nil {
            return .refuse(status: 401, body: #"{"error":"the token is not valid","code":"auth_failed"}"#)
        }
        return .accept
    }

    func serve(_ socket: ServerSocket) async {
        let shown =
            edge.map { $0.key(of: socket.request) } ?? token(socket.request)
            ?? rules.token(inQuery: socket.request.query)
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
