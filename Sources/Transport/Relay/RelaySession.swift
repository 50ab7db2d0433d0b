import HoldfastBasics
import NIOCore
import NIOHTTP1
import NIOPosix

struct RelaySettings: Sendable {
    let upstream: Endpoint
    let tls: TLSOptions
    let isSecure: Bool
    let limits: RelayLimits
    let holdsMessages: Bool
    let watcher: any RelayWatcher
    let registry: ServerRegistry
    let numbers: Counter
}

/// One client of a relay and its connection to the server; both run on one event loop.
///
/// One exchange is active at a time. Later requests wait, and nothing more is read meanwhile.
final class RelaySession {
    struct Exchange {
        let number: Int
        let head: HTTPRequestHead
        let isUpgrade: Bool
        var body: KeptBody
        var answerBody: KeptBody
        var answer: HTTPResponseHead?
        var isReported = false
        /// Whether the client's body has ended.
        var hasWholeRequest = false
        /// Whether parts of the request may be sent to the server now.
        var isOpen = false
        /// Whether the server's parts are held back.
        var isDelayed = false
        /// Whether the relay answered in place of the server, so that the rest of the request is ignored.
        var isSettled = false
        /// Whether the watcher was notified of the end.
        var isOver = false
    }

    let settings: RelaySettings
    let client: any Channel
    private(set) var server: (any Channel)?
    private(set) var isServerReady = false
    private var exchange: Exchange?
    private var waiting: [HTTPServerRequestPart] = []
    private var delayed: [HTTPClientResponsePart] = []
    private var idle: Scheduled<Void>?
    private var isSilent = false
    private var isEnding = false
    private var wasReset: Set<RelaySide> = []
    private var tunnel: RelayTunnel?

    init(_ client: any Channel, _ settings: RelaySettings) {
        self.client = client
        self.settings = settings
    }

    private var loop: any EventLoop { client.eventLoop }
    private var watcher: any RelayWatcher { settings.watcher }
    private var address: String { settings.upstream.httpBase.address }

    private func later(_ time: Duration, _ body: @escaping (RelaySession) -> Void) {
        loop.assumeIsolated().scheduleTask(in: TimeAmount(time)) { [weak self] in
            if let self, !self.isEnding { body(self) }
        }
    }

    // MARK: the client's side

    func clientOpened() {
        startIdling()
        client.read()
    }

    func clientSent(_ part: HTTPServerRequestPart) {
        guard !isEnding, !isSilent else { return }
        waiting.append(part)
        takeNext()
    }

    func forwardFromClient() {
        server?.flush()
        readClient()
    }

    private func readClient() {
        guard !isSilent, tunnel == nil, waiting.isEmpty, exchange.map({ !$0.hasWholeRequest || $0.isSettled }) ?? true
        else { return }
        if let exchange, exchange.isOpen, server?.isWritable == false { return }
        if let exchange, !exchange.isOpen, !exchange.isSettled { return }
        client.read()
    }

    private func takeNext() {
        while let part = waiting.first, !isEnding {
            switch part {
            case .head(let head):
                guard exchange == nil else { return }
                waiting.removeFirst()
                begin(head)
            case .body(let bytes):
                guard let exchange, exchange.isOpen || exchange.isSettled else { return }
                waiting.removeFirst()
                guard exchange.isOpen else { continue }
                self.exchange?.body.add(bytes)
                server?.write(HTTPClientRequestPart.body(.byteBuffer(bytes)), promise: nil)
            case .end(let trailers):
                guard let exchange, exchange.isOpen || exchange.isSettled else { return }
                waiting.removeFirst()
                self.exchange?.hasWholeRequest = true
                guard exchange.isOpen else { continue }
                reportRequest()
                server?.writeAndFlush(HTTPClientRequestPart.end(trailers), promise: nil)
            }
        }
    }

    private func begin(_ head: HTTPRequestHead) {
        idle?.cancel()
        let isUpgrade = RelayHeads.asksForWebSocket(head)
        let exchange = Exchange(
            number: settings.numbers.next(), head: head, isUpgrade: isUpgrade,
            body: KeptBody(settings.limits, settings.registry), answerBody: KeptBody(settings.limits, settings.registry)
        )
        self.exchange = exchange
        let request = HTTPServerRequest(head, body: [], from: client.remoteAddress)
        switch watcher.began(request, isUpgrade: isUpgrade, number: exchange.number) {
        case .pass: connect()
        case .delay(let time): later(time) { $0.connect() }
        case .answer(let response): answer(response)
        case .cut(let how): cut(how)
        }
    }

    private func reportRequest() {
        guard var exchange, !exchange.isReported else { return }
        exchange.isReported = true
        let body = exchange.hasWholeRequest ? exchange.body.take() : .unseen
        exchange.body.drop()
        self.exchange = exchange
        watcher.asked(body, number: exchange.number)
    }

    /// Answers in place of the server, then ends the connection.
    private func answer(_ response: HTTPServerResponse) {
        guard let exchange, exchange.answer == nil else { return end() }
        self.exchange?.isSettled = true
        write(response, isToHEAD: exchange.head.method == .HEAD)
    }

    private func write(_ response: HTTPServerResponse, isToHEAD: Bool = false) {
        var head = response.head(.http1_1)
        head.headers.replaceOrAdd(name: "Connection", value: "close")
        client.write(HTTPServerResponsePart.head(head), promise: nil)
        if !isToHEAD, !response.body.isEmpty {
            client.write(HTTPServerResponsePart.body(.byteBuffer(ByteBuffer(bytes: response.body))), promise: nil)
        }
        client.writeAndFlush(HTTPServerResponsePart.end(nil), promise: nil)
        end()
    }

    func clientEnded() {
        idle?.cancel()
        guard !isEnding else { return closeServer() }
        if let tunnel { return tunnel.ended(.client, wasReset: wasReset.contains(.client)) }
        fail(TransportProblem(wasReset.contains(.client) ? .reset : .closed, at: "client"), by: .client)
        isEnding = true
        closeServer()
    }

    // MARK: the server's side

    private func connect() {
        guard let exchange else { return }
        if let server, server.isActive {
            guard exchange.isUpgrade else { return open() }
            // The answer to an upgrade must be the first on its connection, so the old connection is closed.
            self.server = nil
            server.close(promise: nil)
        }
        isServerReady = !settings.upstream.scheme.isSecure
        let settings = settings
        let bound = NIOLoopBound(self, eventLoop: loop)
        let connecting = Connector.connecting(
            loop, to: settings.upstream, tls: settings.tls, timeout: settings.limits.connect
        ) { channel in
            let pipeline = channel.pipeline.syncOperations
            try pipeline.addHandler(UpgradeGate(splittingFirstHead: true))
            var encoding = HTTPRequestEncoder.Configuration()
            encoding.automaticallySetFramingHeaders = false
            try pipeline.addHandler(HTTPRequestEncoder(configuration: encoding))
            try pipeline.addHandler(
                ByteToMessageHandler(
                    HTTPResponseDecoder(
                        leftOverBytesStrategy: .forwardBytes, informationalResponseStrategy: .forward)))
            try pipeline.addHandler(RelayServerHandler(session: bound.value))
        }
        connecting.assumeIsolated().whenComplete { [self] result in
            switch result {
            case .success(let channel):
                guard !isEnding, !isSilent else { return channel.close(promise: nil) }
                server = channel
                channel.read()
                open()
            case .failure(let error): unreachable(TransportProblem(error, at: address))
            }
        }
    }

    private func open() {
        guard let exchange, let server, !isEnding else { return }
        self.exchange?.isOpen = true
        let head = RelayHeads.passed(exchange.head, to: settings.upstream, isSecure: settings.isSecure)
        server.write(HTTPClientRequestPart.head(head), promise: nil)
        // The head of an upgrade has no body to wait for.
        if exchange.isUpgrade { reportRequest() }
        takeNext()
        server.flush()
        readClient()
        server.read()
    }

    private func unreachable(_ problem: TransportProblem) {
        guard !isEnding, exchange != nil else { return }
        reportRequest()
        fail(problem, by: .server)
        answer(.plain(502, "the proxy cannot reach the server at \(address): \(problem.name)"))
    }

    func serverReady() { isServerReady = true }

    func serverSent(_ part: HTTPClientResponsePart, from channel: any Channel) {
        guard channel === server, !isEnding, !isSilent, let exchange else { return }
        guard !exchange.isDelayed else { return delayed.append(part) }
        switch part {
        case .head(let head):
            if head.status.code == 101 || head.status.code >= 200 { return beginAnswer(head) }
            let early = HTTPResponseHead(version: .http1_1, status: head.status, headers: head.headers)
            client.write(HTTPServerResponsePart.head(early), promise: nil)
        case .body(let bytes):
            let wasSeen = !exchange.answerBody.isTooLarge
            self.exchange?.answerBody.add(bytes)
            if wasSeen, self.exchange?.answerBody.isTooLarge == true {
                fail(TransportProblem(.tooLarge(limit: settings.limits.maxBodyBytes), at: address), by: .server)
            }
            client.write(HTTPServerResponsePart.body(.byteBuffer(bytes)), promise: nil)
        case .end(let trailers): finish(trailers)
        }
    }

    private func beginAnswer(_ head: HTTPResponseHead) {
        guard let exchange else { return }
        self.exchange?.answer = head
        reportRequest()
        if head.status == .switchingProtocols, exchange.isUpgrade { return }
        switch watcher.answering(HTTPServerResponse(head), number: exchange.number) {
        case .pass: pass(head)
        case .delay(let time):
            self.exchange?.isDelayed = true
            later(time) { session in
                session.exchange?.isDelayed = false
                session.pass(head)
                let parts = session.delayed
                session.delayed = []
                if let server = session.server {
                    for part in parts { session.serverSent(part, from: server) }
                }
                session.forwardFromServer()
            }
        case .answer(let response):
            self.exchange?.answer = nil
            fail(TransportProblem(.cancelled, at: address), by: .server)
            answer(response)
        case .cut(let how): cut(how)
        }
    }

    private func pass(_ head: HTTPResponseHead) {
        guard let exchange else { return }
        // After a refused upgrade, HTTP decoding is off.
        let isLast = exchange.head.headers.contains(name: "Upgrade")
        client.write(
            HTTPServerResponsePart.head(
                RelayHeads.passed(head, isToHEAD: exchange.head.method == .HEAD, isLast: isLast)), promise: nil)
    }

    private func finish(_ trailers: HTTPHeaders?) {
        guard var exchange, let head = exchange.answer else { return }
        if head.status == .switchingProtocols, exchange.isUpgrade { return upgrade(head) }
        if !exchange.isOver {
            exchange.isOver = true
            watcher.answered(HTTPServerResponse(head), exchange.answerBody.take(), number: exchange.number)
        }
        exchange.answerBody.drop()
        exchange.body.drop()
        let hadWholeRequest = exchange.hasWholeRequest
        self.exchange = nil
        client.writeAndFlush(HTTPServerResponsePart.end(trailers), promise: nil)
        // If the request had not ended, its rest cannot be distinguished from the next request.
        guard hadWholeRequest, !exchange.head.headers.contains(name: "Upgrade") else { return end() }
        startIdling()
        takeNext()
        readClient()
    }

    func forwardFromServer() {
        client.flush()
        guard !isSilent, tunnel == nil, client.isWritable, exchange?.isDelayed != true else { return }
        server?.read()
    }

    func serverEnded(_ channel: any Channel) {
        guard channel === server else { return }
        if let tunnel { return tunnel.ended(.server, wasReset: wasReset.contains(.server)) }
        server = nil
        guard !isEnding, !isSilent else { return }
        if let exchange, exchange.isOpen {
            if !isServerReady, exchange.answer == nil {
                return unreachable(TransportProblem(.tls(reason: "the server ended the handshake"), at: address))
            }
            reportRequest()
            fail(TransportProblem(wasReset.contains(.server) ? .reset : .closed, at: address), by: .server)
        } else if exchange != nil {
            // The next request has already arrived, and gets its own connection.
            return
        }
        if wasReset.contains(.server) { cutClient(.reset) } else { end() }
    }

    func failed(_ error: any Error, on side: RelaySide) {
        let problem = TransportProblem(error, at: address)
        if problem.code == .reset { wasReset.insert(side) }
        if side == .server, tunnel == nil, !isServerReady, exchange?.answer == nil {
            let channel = server
            server = nil
            channel?.close(promise: nil)
            return unreachable(problem)
        }
        if side == .client, tunnel == nil, error is HTTPParserError, exchange == nil, !isEnding {
            // Not HTTP, so there is no server to forward it to.
            return write(.plain(400, "not an HTTP request"))
        }
        (side == .client ? client : server)?.close(promise: nil)
    }

    private func fail(_ problem: TransportProblem, by side: RelaySide) {
        guard let exchange, !exchange.isOver, !exchange.isSettled else { return }
        self.exchange?.isOver = true
        self.exchange?.body.drop()
        self.exchange?.answerBody.drop()
        watcher.failed(problem, by: side, number: exchange.number)
    }

    // MARK: WebSockets

    private func upgrade(_ head: HTTPResponseHead) {
        guard let exchange, let server else { return }
        watcher.upgraded(number: exchange.number)
        client.write(HTTPServerResponsePart.head(head), promise: nil)
        client.writeAndFlush(HTTPServerResponsePart.end(nil), promise: nil)
        let tunnel = RelayTunnel(exchange.number, client: client, server: server, settings)
        self.tunnel = tunnel
        self.exchange = nil
        do {
            try tunnel.takeOver()
        } catch {
            cut(.reset)
        }
    }

    // MARK: ending

    private func startIdling() {
        idle?.cancel()
        idle = loop.assumeIsolated().scheduleTask(in: TimeAmount(settings.limits.idle)) { [weak self] in
            guard let self, self.exchange == nil, self.tunnel == nil else { return }
            self.end()
        }
    }

    /// WebSockets get a close frame; other connections end after the current answer.
    func sendClose() {
        if let tunnel { return tunnel.close(1001) }
        if exchange == nil { end() }
    }

    private func cut(_ how: Cut) {
        fail(TransportProblem(.cancelled, at: address), by: .server)
        guard how != .silence else {
            isSilent = true
            return
        }
        cutClient(how)
    }

    private func cutClient(_ how: Cut) {
        isEnding = true
        idle?.cancel()
        if how == .reset { WireHandler.reset(client) } else { WireHandler.end(client) }
        if let server, server.isActive { how == .reset ? WireHandler.reset(server) : WireHandler.end(server) }
    }

    /// Ends both connections once the client has read everything.
    private func end() {
        guard !isEnding else { return }
        isEnding = true
        idle?.cancel()
        WireHandler.endWhenSent(client, within: settings.limits.patience)
        closeServer()
    }

    private func closeServer() { server?.close(promise: nil) }
}
