import Transport

/// The thin shell around the core: performs effects on real sockets, a real disk and a real clock.
actor ServerEngine {
    private var core: ServerCore
    private let log: RecordLog
    private let writesAtOnce: Bool
    private let edge: WireEdge?
    private let configuration: ReferenceConfiguration
    private let delivery: PushDelivery?
    private let clock = WallClock()
    private var sockets: [Int: ServerSocket] = [:]
    private var requests: [Int: CheckedContinuation<RESTAnswer?, Never>] = [:]
    private var settling: [Int: CheckedContinuation<Void, Never>] = [:]
    private var awaitsNotices = false
    /// Whether a defect ended the process, or would have: then nothing is answered any more.
    private(set) var hasEnded = false
    private var lastNumber = 0

    init(
        _ configuration: ReferenceConfiguration, log: RecordLog, records: [StoredRecord], delivery: PushDelivery? = nil
    ) {
        self.configuration = configuration
        self.delivery = delivery
        self.log = log
        edge = configuration.edge
        writesAtOnce = configuration.defects.contains(.persistWritesInTheSameStep)
        core = ServerCore(rules: configuration.rules, records: records)
    }

    /// Takes in what happened and performs what follows.
    func handle(_ input: Input) {
        guard !hasEnded else { return }
        perform(core.handle(input, at: clock.now))
    }

    /// Closes what the end of the last process interrupted.
    func recover() {
        perform(core.recover(at: clock.now))
    }

    /// Time passed.
    ///
    /// What came in counts from when it came, also where a busy server has not handled it yet.
    func beat() {
        for (number, socket) in sockets {
            handle(.heard(socket: number, at: clock.steady(at: socket.heardAt)))
        }
        handle(.beat)
    }

    /// A socket opened; its number is for ``receive(_:on:)`` and ``end(_:)``.
    func open(_ socket: ServerSocket, principal: String?) -> Int {
        lastNumber += 1
        sockets[lastNumber] = socket
        if hasEnded { socket.cut(.reset) }
        handle(.opened(socket: lastNumber, principal: principal))
        for text in edge?.challenge ?? [] { post(text, to: lastNumber) }
        for said in edge?.silentGreeting ?? [] { handle(.received(socket: lastNumber, said)) }
        return lastNumber
    }

    /// A message came in.
    func receive(_ received: Input.Received, on socket: Int) {
        let heard = edge?.heard(received) ?? [received]
        // What the dialect ignores is a sign of life all the same.
        if heard.isEmpty { handle(.heard(socket: socket)) }
        for received in heard { handle(.received(socket: socket, received)) }
    }

    /// A socket is gone.
    func end(_ socket: Int) {
        sockets[socket] = nil
        handle(.ended(socket: socket))
    }

    /// Answers a REST request; nil when nobody is there to answer.
    func answer(_ asked: RESTRequest) async -> RESTAnswer? {
        guard !hasEnded else { return nil }
        lastNumber += 1
        let number = lastNumber
        return await withCheckedContinuation { continuation in
            requests[number] = continuation
            handle(.asked(request: number, asked))
        }
    }

    /// Records are durable, or could not be kept.
    func stored(_ outcomes: [RecordLog.Outcome]) {
        for outcome in outcomes {
            if let problem = outcome.problem { configuration.log?("\(problem)") }
            handle(.stored(write: outcome.write, succeeded: outcome.problem == nil))
        }
    }

    /// Waits until no turn runs, nothing waits for the disk and, where asked for, no notice is on its way; not longer than
    /// the bound.
    func settle(within bound: Duration, andNotices waitsForNotices: Bool = false) async {
        awaitsNotices = waitsForNotices
        guard !hasSettled else { return }
        lastNumber += 1
        let number = lastNumber
        let timeout = Task {
            try? await Task.sleep(for: bound)
            self.settled(number)
        }
        await withCheckedContinuation { settling[number] = $0 }
        timeout.cancel()
    }

    /// Answers what nobody else will answer any more.
    func abandon() {
        for number in Array(requests.keys) {
            requests.removeValue(forKey: number)?.resume(
                returning: RESTAnswer(status: 503, body: #"{"error":"the server stopped","code":"interrupted"}"#))
        }
    }

    private var hasSettled: Bool { hasEnded || core.isIdle && (core.isQuiet || !awaitsNotices) }

    private func settled(_ number: Int) { settling.removeValue(forKey: number)?.resume() }

    private func perform(_ effects: [Effect]) {
        for effect in effects { perform(effect) }
        if hasSettled, !settling.isEmpty {
            for number in Array(settling.keys) { settled(number) }
        }
    }

    private func post(_ text: String, to number: Int) {
        // A socket that cannot take it is at its end, and its own task is about to say so.
        let parts = configuration.variations.contains(.fragmentedMessages) ? 3 : 1
        try? sockets[number]?.post(text: text, fragments: parts)
    }

    /// Ends the process; where this server is not alone in it, it falls silent like one whose process ended.
    private func endProcess() {
        configuration.endsProcess?()
        hasEnded = true
        for socket in sockets.values { socket.cut(.reset) }
        for number in Array(requests.keys) { requests.removeValue(forKey: number)?.resume(returning: nil) }
    }

    private func perform(_ effect: Effect) {
        switch effect {
        case .send(let number, let text):
            for text in edge?.said(text) ?? [text] { post(text, to: number) }
        case .ping(let number):
            guard let socket = sockets[number] else { return }
            let payload: [UInt8] = configuration.variations.contains(.extraPings) ? [0, 1, 2, 255] : []
            try? socket.post(ping: payload)
        case .close(let number, let code, let reason):
            guard let socket = sockets[number] else { return }
            Task { await socket.close(code: code, reason: reason) }
        case .endProcess: endProcess()
        case .cut(let number): sockets[number]?.cut(.reset)
        case .answer(let number, let answer): requests.removeValue(forKey: number)?.resume(returning: answer)
        case .store(let write, let records):
            if writesAtOnce { log.appendAtOnce(records, write: write) } else { log.append(records, write: write) }
        case .wait(let timer, let ms):
            Task { [weak self] in
                try? await Task.sleep(for: .milliseconds(ms))
                await self?.handle(.elapsed(timer: timer))
            }
        case .push(let device, let notice):
            guard let delivery else { return }
            Task { [weak self] in
                let outcome = await delivery.send(notice, to: device)
                await self?.handle(.pushed(turn: notice.turn, device: device, outcome))
            }
        }
    }
}
