import Holdfast
import HoldfastJSON
import HoldfastPlatform
import HoldfastStage
import HoldfastTranscript
import HoldfastTransport
import Testing

/// A server of a few lines: polite unless a closure says otherwise.
struct TestServer: TransportHandler {
    /// What a socket gets instead of polite answers; returning true means the frame was dealt with.
    var onFrame: @Sendable (ServerSocket, Frame) async -> Bool = { _, _ in false }
    /// What a new socket gets before anything else.
    var onOpen: @Sendable (ServerSocket) async -> Void = { _ in }
    /// What a request is answered with.
    var onRequest: @Sendable (HTTPServerRequest) async -> HTTPServerResponse = { _ in .json(#"{"sessions":[]}"#) }

    static let connected =
        #"{"type":"connected","protocol":1,"connectionId":"k1","serverTime":"2026-03-01T08:30:00Z","capabilities":[],"limits":{"maxFrameBytes":1000}}"#

    func respond(to request: HTTPServerRequest) async -> HTTPServerResponse { await onRequest(request) }

    func admit(_ upgrade: UpgradeRequest) async -> UpgradeDecision { .accept }

    func serve(_ socket: ServerSocket) async {
        await onOpen(socket)
        for await arrival in socket.messages {
            guard case .text(let text) = arrival.event else { continue }
            let frame = Frame(text)
            if await onFrame(socket, frame) { continue }
            switch frame.type {
            case "auth": try? socket.post(text: Self.connected)
            case "ping":
                let nonce = frame.string("nonce") ?? ""
                try? socket.post(text: (["type": "pong", "nonce": .string(nonce)] as JSONValue).text())
            case "chat": try? socket.post(text: #"{"type":"done","text":"yes","sessionId":"s1"}"#)
            default: try? socket.post(text: #"{"type":"error","error":"what?","code":"bad_request"}"#)
            }
        }
    }
}

/// The subject at an address; only what a test waits for in vain is given a short bound.
func subject(
    _ url: String, principals: [ServerSubject.Principal] = [], profiles: Set<Profile> = [.core],
    bounds: (inout Timeouts) -> Void = { _ in }
) throws -> ServerSubject {
    var timeouts = Timeouts()
    bounds(&timeouts)
    return ServerSubject(
        name: "test", webSocket: try Endpoint(url), principals: principals, profiles: profiles, timeouts: timeouts)
}

/// A scenario with the given steps.
func scenario(
    _ steps: String, named name: String = "server/ENV/example", needs: String = "{}"
) throws -> Scenario {
    try ScenarioReader.scenario(
        """
        {"title":"Example","summary":"Something happens.","role":"server","clauses":["ENV-1"],
         "needs":\(needs),"steps":[\(steps)]}
        """,
        named: name, file: "example.json")
}

/// A stage for a subject.
func stage(_ subject: ServerSubject) throws -> ServerStage {
    ServerStage(subject: subject, specification: try embedded.get())
}

/// Read once: a hundred tests that read it each would keep every core busy.
private let embedded = Result { try Specification(.embedded) }

/// What holds for the events of every history.
func expectOrder(_ history: History, sourceLocation: SourceLocation = #_sourceLocation) {
    let times = history.events.map(\.at)
    #expect(times == times.sorted(), sourceLocation: sourceLocation)
    #expect(times.allSatisfy { $0 >= 0 }, sourceLocation: sourceLocation)
}

extension History {
    /// The texts of one direction, in order.
    func texts(_ wanted: Direction) -> [String] {
        events.compactMap { event in
            if case .text(let direction, let text) = event.kind, direction == wanted { return text }
            return nil
        }
    }

    /// What was awaited in vain, in order.
    var missed: [String] {
        events.compactMap { event in
            if case .wait(let awaited, met: false) = event.kind { return awaited }
            return nil
        }
    }
}
