import ClientDriver
import HoldfastJSON
import HoldfastSmallFoundation
import HoldfastTransport

/// The reference client as a driver sees it: an app without a screen.
public actor ReferenceApp: DrivenClient {
    private let defects: Set<ClientDefect>
    private let variations: Set<ClientVariation>
    private let storesIn: String?
    private let watcher: (@Sendable (ClientState) -> Void)?
    private let network: NetworkTransport
    private var engine: ClientEngine?
    private var temporaryFolder: URL?

    /// An app before its launch.
    ///
    /// - Parameters:
    ///   - defects: Its faults.
    ///   - variations: Its legal deviations.
    ///   - folder: Where it stores its memory; nil for the folder that the launch names.
    ///   - watcher: Called on every change of the screen.
    public init(
        defects: Set<ClientDefect> = [], variations: Set<ClientVariation> = [], storingIn folder: String? = nil,
        watcher: (@Sendable (ClientState) -> Void)? = nil
    ) {
        self.init(
            defects: defects, variations: variations, storingIn: folder, over: NetworkTransport(), watcher: watcher)
    }

    package init(
        defects: Set<ClientDefect>, variations: Set<ClientVariation>, storingIn folder: String?,
        over network: NetworkTransport, watcher: (@Sendable (ClientState) -> Void)?
    ) {
        (self.network, self.defects, self.variations) = (network, defects, variations)
        storesIn = folder
        self.watcher = watcher
    }

    deinit {
        if let temporaryFolder { try? FileManager.default.removeItem(at: temporaryFolder) }
    }

    /// Its name and the profiles it keeps.
    public var about: AboutClient {
        AboutClient(name: "Holdfast reference client", profiles: ["client-core", "client-sync", "client-push"])
    }

    /// Starts the app, after ending a running one.
    public func launch(_ launch: Launch) async throws {
        await engine?.quit()
        let (network, url) = network.signedIn(launch.token, at: launch.url.absoluteString)
        var rules = ClientRules(
            url: url, base: base(launch.http), token: launch.token.isEmpty ? nil : launch.token,
            timeScale: launch.timeScale)
        rules.variations = variations
        let storage = ClientStorage(folder: try folder(for: launch), token: launch.token)
        if launch.fresh { storage.deleteEveryFile() }
        var handle: (@Sendable (Screen) -> Void)?
        if let watcher { handle = { screen in watcher(ClientState(screen)) } }
        let engine = ClientEngine(
            rules: rules, storage: storage, transport: network, defects: defects, watcher: handle)
        self.engine = engine
        await engine.handle(.launched(opened: launch.opened.map(payload)))
    }

    /// The user sends a text.
    public func send(_ text: String) async throws { try await handle(.typed(text)) }

    /// The user resends a message.
    public func sendAgain(_ clientMessageId: String) async throws { try await handle(.resent(key: clientMessageId)) }

    /// The state that the app shows.
    public func state() async throws -> ClientState {
        guard let engine else { return ClientState(connection: .offline) }
        return ClientState(await engine.screen)
    }

    /// The app goes to the background.
    public func background() async throws {
        try await handle(.background)
        await engine?.flush()
    }

    /// The app comes to the foreground.
    public func foreground() async throws { try await handle(.foreground) }

    /// The network is gone.
    public func networkDown() async throws { try await handle(.networkDown) }

    /// The network is back.
    public func networkUp() async throws { try await handle(.networkUp) }

    /// A notification arrives in the foreground.
    public func receivePush(_ payload: PushPayload) async throws {
        try await handle(.pushReceived(self.payload(payload)))
    }

    /// The user taps a notification.
    public func openPush(_ payload: PushPayload) async throws { try await handle(.pushOpened(self.payload(payload))) }

    /// The user opens a session.
    public func selectSession(_ sessionId: String?) async throws { try await handle(.selected(sessionId)) }

    /// The system ends the app.
    public func quit() async throws {
        await engine?.quit()
        engine = nil
    }

    /// The app crashes.
    public func crash() async throws {
        await engine?.stop()
        engine = nil
    }

    /// Obeys a listening runner until it ends the connection.
    package func obey(_ runner: String) async throws(TransportProblem) {
        let session = DriverSession(self)
        let connection = try await WebSocketConnection.open(Endpoint(runner))
        while let arrival = await connection.next() {
            switch arrival.event {
            case .text(let text): try await connection.send(text: await session.answer(to: text))
            case .close: return await connection.close()
            default: continue
            }
        }
    }

    private func handle(_ input: Input) async throws {
        guard let engine else { throw NotLaunched() }
        await engine.handle(input)
    }

    private func payload(_ payload: PushPayload) -> JSONValue {
        (try? JSONParser.document(bytes: payload.json).root) ?? .null
    }

    private func base(_ url: URL) -> String {
        var text = url.absoluteString
        while text.hasSuffix("/") { text.removeLast() }
        return text
    }

    private func folder(for launch: Launch) throws -> URL {
        if let storesIn { return URL(fileURLWithPath: storesIn) }
        if let folder = launch.dataFolder { return folder }
        if let temporaryFolder { return temporaryFolder }
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent(
            "holdfast-client-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        temporaryFolder = folder
        return folder
    }
}

struct NotLaunched: Error, CustomStringConvertible {
    var description: String { "the app was not launched" }
}

extension ClientState {
    init(_ screen: Screen) {
        let messages = screen.messages.map { message in
            ShownMessage(
                id: message.id, clientMessageId: message.key, role: message.role == .user ? .user : .assistant,
                text: message.text, status: ShownMessage.Status(rawValue: message.status.rawValue) ?? .sent)
        }
        self.init(
            connection: Connection(rawValue: screen.connection.rawValue) ?? .offline, sessionId: screen.session,
            isThinking: screen.isThinking, messages: messages,
            errors: screen.errors.map { ShownError(text: $0.text, code: $0.code, clientMessageId: $0.key) },
            unread: screen.unread)
    }
}
