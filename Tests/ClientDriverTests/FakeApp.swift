import ClientDriver

/// An app that writes down what it is told.
actor FakeApp: DrivenClient {
    struct Broken: Error, CustomStringConvertible {
        let description = "the database is locked"
    }

    let about: AboutClient
    private(set) var told: [String] = []
    private(set) var launches: [Launch] = []
    private(set) var payloads: [PushPayload] = []
    private var shown: ClientState
    private let isBroken: Bool

    init(
        _ about: AboutClient = AboutClient(name: "Fake"), shows shown: ClientState = ClientState(),
        isBroken: Bool = false
    ) {
        self.about = about
        self.shown = shown
        self.isBroken = isBroken
    }

    func launch(_ launch: Launch) async throws {
        if isBroken { throw Broken() }
        launches.append(launch)
        told.append("launch")
    }

    func send(_ text: String) async throws {
        told.append("send \(text)")
        shown.messages.append(ShownMessage(clientMessageId: "k1", role: .user, text: text, status: .sending))
    }

    func sendAgain(_ clientMessageId: String) async throws { told.append("sendAgain \(clientMessageId)") }
    func background() async throws { told.append("background") }
    func foreground() async throws { told.append("foreground") }
    func networkDown() async throws { told.append("networkDown") }
    func networkUp() async throws { told.append("networkUp") }
    func selectSession(_ sessionId: String?) async throws { told.append("select \(sessionId ?? "-")") }

    func receivePush(_ payload: PushPayload) async throws {
        told.append("receivePush")
        payloads.append(payload)
    }

    func openPush(_ payload: PushPayload) async throws {
        told.append("openPush")
        payloads.append(payload)
    }

    func quit() async throws { told.append("quit") }
    func crash() async throws { told.append("crash") }
    func state() async throws -> ClientState { shown }
}

/// An app whose team has written what it must, and nothing else.
struct SmallApp: DrivenClient {
    var about: AboutClient { AboutClient(name: "Small") }
    func launch(_ launch: Launch) async throws {}
    func send(_ text: String) async throws {}
    func state() async throws -> ClientState { ClientState() }
}
