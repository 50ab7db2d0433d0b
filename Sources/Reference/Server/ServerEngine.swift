import Holdfast
import HoldfastBasics
import HoldfastJSON
import HoldfastPlatform
import HoldfastTransport

/// Performs the core's effects on real sockets, a real disk and a real clock.
actor ServerEngine {
    private var core: FaultyCore
    private let log: RecordLog
    private let edge: WireEdge?
    private let configuration: ReferenceConfiguration
    private let delivery: PushDelivery?
    private let clock: WallClock
    private var sockets: [Int: ServerSocket] = [:]
    /// Held messages by socket; only for sockets with interference.
    private var sendQueues: [Int: SendQueue] = [:]
    private var requests: [Int: CheckedContinuation<RESTAnswer?, Never>] = [:]
    private var settling: [Int: CheckedContinuation<Void, Never>] = [:]
    private var awaitsNotices = false
    /// Whether a defect ended the process, or would have; then nothing is answered.
    private(set) var hasEnded = false
    /// Unique per process, because a watcher survives a requested restart.
    static let numbers = Counter()

    init(
        _ configuration: ReferenceConfiguration, log: RecordLog, records: [StoredRecord],
        delivery: PushDelivery? = nil, memory: ServerMemory? = nil
    ) {
        (self.configuration, self.delivery, self.log) = (configuration, delivery, log)
        edge = configuration.edge
        clock = memory?.clock ?? WallClock()
        var core = FaultyCore(configuration.rules, records: records, defects: configuration.defects)
        core.core.replies = configuration.replies
        if let memory { core.core.remember(memory) }
        self.core = core
    }

    func handle(_ input: Input) {
        guard !hasEnded else { return }
        perform(core.handle(input, at: clock.now))
    }

    /// Counts signs of life from their arrival, even if a busy server has not handled them yet.
    func beat() {
        for (number, socket) in sockets {
            // A peer that is not read from cannot show a sign of life.
            let isSilent = sendQueues[number]?.isSilent ?? false
            handle(.heard(socket: number, at: isSilent ? clock.now.steady : clock.steady(at: socket.heardAt)))
        }
        handle(.beat)
    }

    /// Returns the socket's number for ``receive(_:on:)`` and ``end(_:)``.
    func open(_ socket: ServerSocket, principal: String?) -> Int {
        let number = Self.numbers.next()
        sockets[number] = socket
        configuration.watcher?.opened(socket.request, number: number)
        if hasEnded { socket.cut(.reset) }
        handle(.opened(socket: number, principal: principal))
        for text in edge?.challenge ?? [] { post(text, to: number) }
        for implied in edge?.silentGreeting ?? [] { handle(.received(socket: number, implied)) }
        return number
    }

    func receive(_ received: Input.Received, on socket: Int) {
        let received = core.changed(received)
        let heard = edge?.heard(received) ?? [received]
        // Even a message that the dialect ignores is a sign of life.
        if heard.isEmpty { handle(.heard(socket: socket)) }
        for received in heard { handle(.received(socket: socket, received)) }
    }

    func end(_ socket: Int) {
        // The last bytes received, including a close frame, are a sign of life from before the end.
        if let gone = sockets.removeValue(forKey: socket), sendQueues[socket]?.isSilent != true {
            handle(.heard(socket: socket, at: clock.steady(at: gone.heardAt)))
        }
        sendQueues[socket] = nil
        handle(.ended(socket: socket))
        configuration.watcher?.ended(number: socket)
    }

    /// Answers a REST request; nil if the client is gone.
    func answer(_ asked: RESTRequest, disconnect: DisconnectSignal? = nil) async -> RESTAnswer? {
        guard !hasEnded else { return nil }
        let number = Self.numbers.next()
        disconnect?.onDisconnect { [weak self] in
            Task { await self?.leave(number) }
        }
        return await withCheckedContinuation { continuation in
            requests[number] = continuation
            handle(.asked(request: number, asked))
        }
    }

    private func leave(_ request: Int) {
        if requests[request] != nil { handle(.left(request: request)) }
    }

    func stored(_ outcomes: [RecordLog.Outcome]) {
        for outcome in outcomes {
            if let problem = outcome.problem { configuration.log?("\(problem)") }
            handle(.stored(write: outcome.write, succeeded: outcome.problem == nil))
        }
    }

    /// Waits, within the limit, until no turn runs, no write is pending and, if requested, no notice is on its way.
    func settle(within bound: Duration, andNotices waitsForNotices: Bool = false) async {
        awaitsNotices = waitsForNotices
        guard !hasSettled else { return }
        let number = Self.numbers.next()
        let timeout = Task {
            try? await Task.sleep(for: bound)
            self.settled(number)
        }
        await withCheckedContinuation { settling[number] = $0 }
        timeout.cancel()
    }

    func abandon() {
        for number in Array(sendQueues.keys) { endSilence(number, continues: false) }
        for number in Array(requests.keys) {
            requests.removeValue(forKey: number)?.resume(
                returning: RESTAnswer(status: 503, body: #"{"error":"the server stopped","code":"interrupted"}"#))
        }
    }

    private var hasSettled: Bool { hasEnded || core.isIdle && (core.core.hasNoPendingPushes || !awaitsNotices) }

    private func settled(_ number: Int) { settling.removeValue(forKey: number)?.resume() }

    private func perform(_ effects: [Effect]) {
        for effect in effects { perform(effect) }
        if hasSettled, !settling.isEmpty {
            for number in Array(settling.keys) { settled(number) }
        }
    }

    private func post(_ text: String, to number: Int) {
        guard let watcher = configuration.watcher, sockets[number] != nil else { return write(text, to: number) }
        if sendQueues[number]?.hold(.text(text)) == true {
            // A client that exceeds the hold buffer is disconnected.
            if sendQueues[number]?.isOverfull == true { cut(number, .reset) }
            return
        }
        let action = watcher.saw(.text(text), from: .server, number: number)
        guard action.delay > .zero else { return perform(action, text, on: number) }
        var queue = sendQueues[number] ?? SendQueue()
        queue.delay(text, action)
        sendQueues[number] = queue
        release(number, after: action.delay)
    }

    private func write(_ text: String, to number: Int) {
        // A socket that cannot accept it is about to end, and its own task reports that.
        let parts = configuration.variations.contains(.fragmentedMessages) ? 3 : 1
        try? sockets[number]?.post(text: text, fragments: parts)
    }

    // MARK: interference

    private func perform(_ action: RelayAction, _ text: String, on number: Int) {
        for _ in 0..<action.copies { write(text, to: number) }
        if let ending = action.ending { end(number, ending) }
    }

    private func release(_ number: Int, after delay: Duration) {
        Task { [weak self] in
            try? await Task.sleep(for: delay)
            await self?.release(number)
        }
    }

    private func release(_ number: Int) {
        guard let (text, action) = sendQueues[number]?.endDelay() else { return }
        perform(action, text, on: number)
        flush(number)
    }

    private func flush(_ number: Int) {
        while let held = sendQueues[number]?.next() {
            switch held {
            case .text(let text): post(text, to: number)
            case .seen(let text): write(text, to: number)
            case .close(let code, let reason): close(number, code, reason)
            }
        }
        if sendQueues[number]?.isIdle == true { sendQueues[number] = nil }
    }

    private func close(_ number: Int, _ code: UInt16, _ reason: String) {
        guard let socket = sockets[number] else { return }
        _ = configuration.watcher?.saw(.close(code: code, reason: reason), from: .server, number: number)
        Task { await socket.close(code: code, reason: reason) }
    }

    /// Ends a socket, or falls silent on it until it is resumed or the longest silence is over.
    func end(_ number: Int, _ ending: ConnectionEnding) {
        guard let socket = sockets[number] else { return }
        switch ending {
        case .close(let code):
            endSilence(number, continues: false)
            sendQueues[number]?.forget()
            close(number, code, "ended on request")
        case .cut(.silence):
            var queue = sendQueues[number] ?? SendQueue()
            queue.isSilent = true
            sendQueues[number] = queue
            socket.stopReading()
            Task { [weak self] in
                try? await Task.sleep(for: SendQueue.longestSilence)
                await self?.giveUpSilence(number)
            }
        case .cut(let how): cut(number, how)
        }
    }

    private func cut(_ number: Int, _ how: Cut) {
        // Messages received during the silence count as unread.
        endSilence(number, continues: false)
        sockets[number]?.cut(how)
    }

    private func giveUpSilence(_ number: Int) {
        if sendQueues[number]?.isSilent == true { cut(number, .reset) }
    }

    func resume(_ number: Int) {
        endSilence(number, continues: true)
        flush(number)
    }

    private func endSilence(_ number: Int, continues: Bool) {
        guard sendQueues[number]?.isSilent == true else { return }
        sendQueues[number]?.isSilent = false
        sockets[number]?.resumeReading()
        for listener in sendQueues[number]?.takeListeners() ?? [] { listener.resume(returning: continues) }
    }

    func continues(_ number: Int) async -> Bool {
        guard sendQueues[number]?.isSilent == true else { return true }
        return await withCheckedContinuation { sendQueues[number]?.listeners.append($0) }
    }

    func obey(_ order: MockCommand) throws -> JSONValue {
        guard !hasEnded else {
            throw InputProblem(
                location: "server", what: "the server is down", expected: "a running server",
                fix: "wait until it is up again"
            )
        }
        let (answer, effects) = try core.obey(order, at: clock.now)
        perform(effects)
        return answer
    }

    func state() -> JSONValue { core.core.state }

    func principals() -> [Int: String] {
        sockets.keys.reduce(into: [:]) { found, number in found[number] = core.core.connections[number]?.principal }
    }

    func memory(keepingEpoch keepsEpoch: Bool) -> ServerMemory {
        var memory = core.core.memory(keepingEpoch: keepsEpoch)
        memory.clock = clock
        return memory
    }

    func fallSilent() {
        hasEnded = true
        for number in Array(sockets.keys) { cut(number, .reset) }
        for number in Array(requests.keys) { requests.removeValue(forKey: number)?.resume(returning: nil) }
    }

    private func perform(_ effect: Effect) {
        switch effect {
        case .send(let numbers, let outgoing):
            guard !numbers.isEmpty else { return }
            guard let text = edge.map({ $0.encoded(outgoing.text) }) ?? outgoing.text else { return }
            for number in numbers { post(text, to: number) }
        case .ping(let number):
            guard let socket = sockets[number], sendQueues[number]?.isSilent != true else { return }
            let payload: [UInt8] = configuration.variations.contains(.extraPings) ? [0, 1, 2, 255] : []
            try? socket.post(ping: payload)
        case .close(let number, let code, let reason):
            if sendQueues[number]?.hold(.close(code, reason)) != true { close(number, code, reason) }
        case .endProcess:
            configuration.endsProcess?()
            // If other servers share the process, it only falls silent like a dead one.
            fallSilent()
        case .cut(let number): cut(number, .reset)
        case .answer(let number, let answer): requests.removeValue(forKey: number)?.resume(returning: answer)
        case .store(let write, let records): log.append(records, write: write)
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
