import ClientDriver
import Foundation
import HoldfastJSON
import HoldfastTransport

/// The least of a client: it connects once, asks over its socket, shows what comes, and does on request what none should.
actor TinyApp: DrivenClient {
    /// What it does besides, or in place of what it should.
    enum Manner: Sendable {
        case plain, floodsFrames, floodsConnections, neverEndsABody, hangsUp, hangs, fails, refusesPushes, reconnects
        case floodsState, isAPage
    }

    private let manner: Manner
    private var launch: Launch?
    private var socket: WebSocketConnection?
    private var tasks: [Task<Void, Never>] = []
    private var shown = ClientState()

    init(_ manner: Manner = .plain) {
        self.manner = manner
    }

    var about: AboutClient {
        AboutClient(name: "tiny", unsupported: manner == .refusesPushes ? ["openPush"] : [])
    }

    func launch(_ launch: Launch) async throws {
        self.launch = launch
        tasks.append(Task { await self.connect() })
        switch manner {
        case .floodsConnections: tasks.append(Task { await self.flood(launch) })
        case .neverEndsABody: tasks.append(Task { await self.pour(launch) })
        case .reconnects: tasks.append(Task { await self.comeAgain() })
        case .isAPage: try await preflight(launch)
        default: break
        }
    }

    func send(_ text: String) async throws {
        if manner == .fails { throw Unsupported("no keyboard") }
        let key = UUID().uuidString
        shown.messages.append(ShownMessage(clientMessageId: key, role: .user, text: text, status: .sending))
        shown.isThinking = true
        let frame: JSONValue = [
            "type": "chat", "messages": [["role": "user", "content": .string(text)]], "clientMessageId": .string(key),
        ]
        try? await socket?.send(text: frame.text())
    }

    func state() async throws -> ClientState {
        if manner == .hangs { try await Task.sleep(for: .seconds(3600)) }
        if manner == .floodsState {
            let text = "\(UUID())" + String(repeating: "x", count: 300_000)
            shown.messages.append(ShownMessage(role: .user, text: text))
            if shown.messages.count > 3 { shown.messages.removeFirst() }
        }
        return shown
    }

    func background() async throws {}
    func foreground() async throws {}
    func networkDown() async throws {}
    func networkUp() async throws {}
    func openPush(_ payload: PushPayload) async throws {}

    /// Reads the session, and gives up where that takes long.
    func selectSession(_ sessionId: String?) async throws {
        guard let launch, let sessionId else { return }
        tasks.append(
            Task {
                let answer = try? await HTTPExchange.perform(
                    HTTPRequestSpec(
                        "GET", try Endpoint("\(launch.http)/api/sessions/\(sessionId)"),
                        headers: [("Authorization", "Bearer \(launch.token)")]), timeout: .milliseconds(300))
                if answer == nil { self.shown.errors.append(ShownError(text: "it took too long")) }
            })
    }

    func quit() async throws {
        for task in tasks { task.cancel() }
        socket?.cut(.reset)
    }

    private func connect() async {
        guard let launch, let endpoint = try? Endpoint("\(launch.url)"),
            let socket = try? await WebSocketConnection.open(endpoint)
        else { return }
        self.socket = socket
        let auth: JSONValue = ["type": "auth", "protocol": 1, "token": .string(launch.token)]
        try? await socket.send(text: auth.text())
        if manner == .hangsUp {
            await socket.close(code: 1000)
            return
        }
        while let arrival = await socket.next() {
            guard case .text(let text) = arrival.event, let frame = try? JSONParser.value(text) else { continue }
            switch frame["type"]?.stringValue {
            case "connected":
                shown.connection = .connected
                while manner == .floodsFrames, !Task.isCancelled {
                    guard (try? await socket.send(text: #"{"type":"ping"}"#)) != nil else { return }
                }
            case "done":
                shown.sessionId = frame["sessionId"]?.stringValue
                shown.isThinking = false
                for index in shown.messages.indices { shown.messages[index].status = .sent }
                shown.messages.append(
                    ShownMessage(
                        id: frame["messageId"]?.stringValue, role: .assistant,
                        text: frame["text"]?.stringValue ?? ""))
            default: break
            }
        }
    }

    private func flood(_ launch: Launch) async {
        guard let endpoint = try? Endpoint("\(launch.url)") else { return }
        var held: [WebSocketConnection] = []
        while !Task.isCancelled {
            if let socket = try? await WebSocketConnection.open(endpoint, timeout: .seconds(1)) { held.append(socket) }
            if held.count > 400 { return }
        }
    }

    private func pour(_ launch: Launch) async {
        guard let endpoint = try? Endpoint("\(launch.http)/api/chat"),
            let connection = try? await RawConnection.open(host: endpoint.host, port: endpoint.port)
        else { return }
        let head = "POST /api/chat HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n"
        guard (try? await connection.send(Array(head.utf8))) != nil else { return }
        let chunk = Array("10000\r\n\(String(repeating: "x", count: 65536))\r\n".utf8)
        while !Task.isCancelled {
            guard (try? await connection.send(chunk)) != nil else { return }
        }
    }

    /// Asks as a browser does for a page of another origin, and shows what it was told.
    private func preflight(_ launch: Launch) async throws {
        let list = try Endpoint("\(launch.http)/api/sessions")
        let asked = [("Origin", "http://127.0.0.1:8000"), ("Access-Control-Request-Method", "GET")]
        for request in [HTTPRequestSpec("OPTIONS", list, headers: asked), HTTPRequestSpec("GET", list)] {
            let answer = try await HTTPExchange.perform(request, timeout: .seconds(5))
            let origin = answer.header("Access-Control-Allow-Origin") ?? "none"
            shown.errors.append(ShownError(text: "\(request.method) \(answer.status) for \(origin)"))
        }
    }

    private func comeAgain() async {
        while !Task.isCancelled {
            try? await Task.sleep(for: .milliseconds(20))
            guard let launch, let endpoint = try? Endpoint("\(launch.url)") else { return }
            _ = try? await WebSocketConnection.open(endpoint, timeout: .milliseconds(200))
        }
    }
}
