import Testing

@testable import HoldfastTransport

/// A handler made of closures, each with a harmless default.
struct ClosureHandler: TransportHandler {
    var respond: @Sendable (HTTPServerRequest) async -> HTTPServerResponse = { request in
        HTTPServerResponse(
            status: 200,
            headers: [("X-Method", request.method), ("X-Target", request.target)],
            body: request.body
        )
    }
    var admit: @Sendable (UpgradeRequest) async -> UpgradeDecision = { _ in .accept }
    var serve: @Sendable (ServerSocket) async -> Void = ClosureHandler.echo

    func respond(to request: HTTPServerRequest) async -> HTTPServerResponse { await respond(request) }
    func admit(_ upgrade: UpgradeRequest) async -> UpgradeDecision { await admit(upgrade) }
    func serve(_ socket: ServerSocket) async { await serve(socket) }

    /// Sends back every message as it came.
    @Sendable static func echo(_ socket: ServerSocket) async {
        for await arrival in socket.messages {
            switch arrival.event {
            case .text(let text): _ = try? await socket.send(text: text)
            case .binary(let bytes): _ = try? await socket.send(WebSocketFrame(.binary, bytes))
            case .tooLarge(let bytes): _ = try? await socket.send(text: "too large: \(bytes)")
            default: break
            }
        }
    }

    /// Hands every event to a stream, so that a test awaits them instead of sleeping.
    static func reporting(to events: AsyncStream<WebSocketEvent>.Continuation) -> ClosureHandler {
        ClosureHandler(serve: { socket in
            for await arrival in socket.messages { events.yield(arrival.event) }
        })
    }
}

extension TransportServer {
    var connectionCount: Int { listener.registry.connectionCount }
}

/// Long enough for two busy cores; no test waits for it to pass.
let patience = Duration.seconds(60)

/// Whether something becomes true, looked at now and then.
func eventually(_ condition: () -> Bool) async throws -> Bool {
    let deadline = ContinuousClock.now + patience
    while !condition() {
        guard ContinuousClock.now < deadline else { return false }
        try await Task.sleep(for: .milliseconds(2))
    }
    return true
}

/// Starts a server, connects to it, runs the body, and ends both.
func withServer(
    _ handler: ClosureHandler = ClosureHandler(),
    tls: TLSIdentity? = nil,
    speaksHTTP2: Bool = false,
    limits: ServerLimits = ServerLimits(),
    body: (TransportServer) async throws -> Void
) async throws {
    let server = try await TransportServer.start(
        tls: tls, speaksHTTP2: speaksHTTP2, limits: limits, handler: handler)
    do {
        try await body(server)
    } catch {
        await server.stop(graceful: .zero)
        throw error
    }
    await server.stop(graceful: .zero)
}

func withSocket(
    _ handler: ClosureHandler = ClosureHandler(),
    limits: ServerLimits = ServerLimits(),
    clientLimits: WebSocketLimits = WebSocketLimits(),
    body: (WebSocketConnection) async throws -> Void
) async throws {
    try await withServer(handler, limits: limits) { server in
        let socket = try await open(server, limits: clientLimits)
        try await body(socket)
        socket.cut(.fin)
    }
}

func open(_ server: TransportServer, limits: WebSocketLimits = WebSocketLimits()) async throws -> WebSocketConnection {
    try await WebSocketConnection.open(Endpoint(server.webSocketURL()), limits: limits, timeout: patience)
}

extension WebSocketConnection {
    /// The next event without its time.
    func event() async throws -> WebSocketEvent? {
        try await next(within: patience, "event")?.event
    }

    /// Takes the next event, which is to be this one; nil is the end of all events.
    func expect(_ expected: WebSocketEvent?, at location: SourceLocation = #_sourceLocation) async throws {
        let found = try await event()
        #expect(found == expected, sourceLocation: location)
    }
}

/// The problem a body throws.
func problem(_ body: () async throws -> Void) async -> TransportProblem? {
    do {
        try await body()
        return nil
    } catch {
        return error as? TransportProblem
    }
}

// Short ways to what only tests do.

extension SocketEnd {
    /// Returns when the connection is gone on this side.
    func waitUntilEnded() async throws(TransportProblem) { try await core.ended.value() }
}

extension WebSocketEnd {
    /// Sends a ping; the answer arrives among the events.
    func ping(_ payload: [UInt8]) async throws(TransportProblem) { try await send(WebSocketFrame(.ping, payload)) }
}

extension WebSocketConnection {
    /// The bytes of events that wait to be taken.
    var queuedBytes: Int { core.queue.queuedBytes }

    func send(bytes: [UInt8]) async throws(TransportProblem) { try await send(WebSocketFrame(.binary, bytes)) }

    /// Sends one text message in as many frames as there are fragments.
    func send(fragments: [String]) async throws(TransportProblem) {
        let frames = fragments.enumerated().map { index, fragment in
            WebSocketFrame(
                index == 0 ? .text : .continuation, Array(fragment.utf8), isFinal: index == fragments.count - 1)
        }
        try await queue(frames).value()
    }
}

extension HTTPConnection {
    func perform(_ request: HTTPRequestSpec, timeout: Duration) async throws(TransportProblem) -> HTTPAnswer {
        try await answer(to: send(request), timeout: timeout)
    }

    func answer(to pending: Pending, timeout: Duration) async throws(TransportProblem) -> HTTPAnswer {
        try await pending.answer.value(within: timeout, "answer")
    }
}
