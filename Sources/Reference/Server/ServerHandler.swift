import HoldfastTransport

struct ServerHandler: TransportHandler {
    let engine: ServerEngine
    let rules: CoreRules
    /// Nil if the wire is the specification's own.
    var edge: WireEdge?
    var upgrades: [Fault] = []
    var watcher: (any ServerWatcher)?

    func respond(to request: HTTPServerRequest) async -> HTTPServerResponse {
        guard let watcher else { return await response(to: request) }
        let number = ServerEngine.numbers.next()
        if let instead = await replacement(watcher.asked(request, number: number), watcher, number) { return instead }
        let response = await response(to: request)
        return await replacement(watcher.answered(response.isHangUp ? nil : response, number: number)) ?? response
    }

    /// Nil if the request gets its own answer.
    private func replacement(
        _ choice: RelayChoice, _ watcher: (any ServerWatcher)? = nil, _ number: Int = 0
    ) async -> HTTPServerResponse? {
        let instead: HTTPServerResponse
        switch choice {
        case .pass: return nil
        case .delay(let time):
            try? await Task.sleep(for: time)
            return nil
        case .answer(let answer): instead = answer
        case .cut(.fin): instead = .hangUp
        case .cut(.reset): instead = .reset
        case .cut(.silence):
            try? await Task.sleep(for: SendQueue.longestSilence)
            instead = .reset
        }
        _ = watcher?.answered(instead.isHangUp ? nil : instead, number: number)
        return instead
    }

    private func response(to request: HTTPServerRequest) async -> HTTPServerResponse {
        let asked = RESTRequest(
            method: request.method, path: request.path, query: request.query, token: request.bearerToken,
            body: request.body, peer: request.remoteAddress)
        guard let answer = await answer(asked, request.disconnect) else { return .reset }
        var headers = answer.headers
        headers["Content-Type"] = headers["Content-Type"] ?? "application/json"
        let response = HTTPServerResponse(
            status: answer.status, headers: headers.sorted { $0.key < $1.key }.map { ($0.key, $0.value) },
            body: Array(answer.body.utf8))
        return rules.variations.isEmpty ? response : await varied(response)
    }

    /// Nil if the client is gone.
    private func answer(_ asked: RESTRequest, _ disconnect: DisconnectSignal?) async -> RESTAnswer? {
        guard let edge else { return await engine.answer(asked, disconnect: disconnect) }
        guard let canonical = edge.canonical(asked) else { return edge.notFound(at: asked.path) }
        return await engine.answer(canonical, disconnect: disconnect).map { edge.encoded($0, to: canonical) }
    }

    /// Keeps the meaning and changes the form, as HTTP permits.
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
        switch watcher?.asks(upgrade) ?? .pass {
        case .pass: break
        case .delay(let time): try? await Task.sleep(for: time)
        case .answer(let answer):
            return .refuse(status: answer.status, body: String(decoding: answer.body, as: UTF8.self))
        case .cut(.silence):
            try? await Task.sleep(for: SendQueue.longestSilence)
            return .reset
        case .cut: return .reset
        }
        let named = rules.principal(token: token(of: upgrade))
        if let edge { return edge.admits(upgrade, hasValidCredential: named != nil) }
        guard upgrade.path == "/ws" || upgrade.path == "/" else {
            return .refuse(status: 404, body: #"{"error":"WebSockets are at /ws","code":"bad_request"}"#)
        }
        if rules.requiresAuth, rules.checksUpgrades, upgrade.bearerToken != nil, named == nil {
            return .refuse(status: 401, body: #"{"error":"the token is not valid","code":"auth_failed"}"#)
        }
        return .accept
    }

    func serve(_ socket: ServerSocket) async {
        let admitted = rules.requiresAuth ? rules.principal(token: token(of: socket.request)) : nil
        let number = await engine.open(socket, principal: admitted)
        // One message at a time: a client that sends faster than it is answered fills its own buffers.
        for await arrival in socket.messages {
            guard let watcher else {
                guard await take(arrival.event, on: number) else { break }
                continue
            }
            if !arrival.event.isLast, !(await engine.continues(number)) { break }
            let action = watcher.saw(arrival.event, from: .client, number: number)
            if action.delay > .zero { try? await Task.sleep(for: action.delay) }
            var isOver = false
            for _ in 0..<action.copies where !isOver { isOver = !(await take(arrival.event, on: number)) }
            if let ending = action.ending { await engine.end(number, ending) }
            if isOver { break }
        }
        await engine.end(number)
    }

    /// Returns false after the last event.
    private func take(_ event: WebSocketEvent, on number: Int) async -> Bool {
        switch event {
        case .text(let text): await engine.receive(.text(text), on: number)
        case .binary(let bytes): await engine.receive(.binary(bytes), on: number)
        case .invalidText: await engine.receive(.invalidText, on: number)
        case .tooLarge(let bytes): await engine.receive(.tooLarge(bytes: bytes), on: number)
        case .ping, .pong: await engine.handle(.heard(socket: number))
        case .close, .eof, .failed, .flooded: return false
        }
        return true
    }

    /// Reads the token where this server expects it.
    private func token(of upgrade: UpgradeRequest) -> String? {
        var shown = edge.map { $0.dialect.key(inQuery: upgrade.query, header: upgrade.header) } ?? upgrade.bearerToken
        for case .upgrade(let change) in upgrades { shown = change(shown, upgrade.query, rules) }
        return shown
    }
}
