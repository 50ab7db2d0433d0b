/// Performs the core's effects on a real network, disk and clock.
actor ClientEngine {
    private var client: FaultyClient
    private let transport: any ClientTransport
    private let storage: ClientStorage?
    private let clock = SystemClock()
    private let rules: ClientRules
    private let watcher: (@Sendable (Screen) -> Void)?
    private var sockets: [Int: AsyncStream<Outgoing>.Continuation] = [:]
    private var unsent: [Int: Int] = [:]
    private var requests: [Int: Task<Void, Never>] = [:]
    private var timers: [ClientTimer: (number: Int, task: Task<Void, Never>)] = [:]
    private var lastTimer = 0
    private var lastScreen: Screen?
    private var isStopped = false

    private enum Outgoing: Sendable {
        case text(String)
        case close(code: UInt16?)
    }

    init(
        rules: ClientRules, storage: ClientStorage?, transport: any ClientTransport = NetworkTransport(),
        defects: Set<ClientDefect> = [], watcher: (@Sendable (Screen) -> Void)? = nil
    ) {
        (self.rules, self.transport, self.storage, self.watcher) = (rules, transport, storage, watcher)
        client = FaultyClient(rules: rules, memory: storage?.load(), defects: defects)
    }

    var screen: Screen { client.screen }
    var core: ClientCore { client.core }

    func handle(_ input: Input) {
        guard !isStopped else { return }
        for effect in client.handle(input, at: clock.now) { perform(effect) }
        guard let watcher else { return }
        let screen = client.screen
        guard screen != lastScreen else { return }
        lastScreen = screen
        watcher(screen)
    }

    /// Returns once everything is sent, after at most a second: the time that an app has before the background.
    func flush() async {
        for _ in 0..<100 where !unsent.isEmpty { try? await Task.sleep(for: .milliseconds(10)) }
    }

    func quit() {
        for effect in client.farewell() { perform(effect) }
        stop()
    }

    func stop() {
        isStopped = true
        for (_, task) in timers.values { task.cancel() }
        for task in requests.values { task.cancel() }
        for outgoing in sockets.values {
            outgoing.yield(.close(code: nil))
            outgoing.finish()
        }
        sockets = [:]
    }

    private func perform(_ effect: Effect) {
        switch effect {
        case .open(let socket, let url): open(socket, url)
        case .send(let socket, let text):
            guard let outgoing = sockets[socket] else { return }
            unsent[socket, default: 0] += 1
            outgoing.yield(.text(text))
        case .close(let socket, let code):
            guard let outgoing = sockets.removeValue(forKey: socket) else { return }
            unsent[socket] = nil
            outgoing.yield(.close(code: code))
            outgoing.finish()
        case .request(let number, let request, let limit): ask(number, request, limit)
        case .cancel(let number): requests.removeValue(forKey: number)?.cancel()
        case .wait(let timer, let milliseconds): wait(timer, milliseconds)
        case .stopWaiting(let timer): timers.removeValue(forKey: timer)?.task.cancel()
        // A phone with a full disk still works; unsaved state is requested from the server after the next start.
        case .save(let memory): try? storage?.save(memory.text)
        }
    }

    /// Texts wait until the upgrade is done.
    private func open(_ number: Int, _ url: String) {
        let (stream, outgoing) = AsyncStream.makeStream(of: Outgoing.self)
        let (transport, rules) = (transport, rules)
        let isSlow = rules.variations.contains(.isSlow)
        var headers: [(String, String)] = []
        if rules.variations.contains(.authorizesTheUpgrade), let token = rules.token {
            headers.append(("Authorization", "Bearer " + token))
        }
        let limit = Duration.milliseconds(rules.real(rules.greeting) + 1000)
        sockets[number] = outgoing
        Task { [weak self] in
            guard let socket = try? await transport.open(url, headers: headers, within: limit) else {
                await self?.ended(number, code: nil)
                return
            }
            await self?.handle(.opened(socket: number))
            if let greeting = transport.greeting { await self?.handle(.received(socket: number, greeting)) }
            let reader = Task { [weak self] in
                var code: Int?
                reading: while let event = await socket.next() {
                    switch event {
                    case .text(let text): await self?.handle(.received(socket: number, text))
                    case .closed(let given):
                        code = given
                        break reading
                    }
                }
                await self?.ended(number, code: code)
                await socket.close(code: nil)
            }
            for await item in stream {
                if isSlow { try? await Task.sleep(for: .milliseconds(rules.real(200))) }
                switch item {
                case .text(let text):
                    // Nothing is sent on an abandoned connection; the next one sends its texts.
                    guard await self?.uses(number) == true else { continue }
                    // After a failed send, the reader reports the end, with the code of a close frame before it.
                    if (try? await socket.send(text)) != nil { await self?.sent(number) }
                case .close(let code):
                    reader.cancel()
                    await socket.close(code: code)
                }
            }
            await socket.close(code: nil)
        }
    }

    private func uses(_ number: Int) -> Bool { sockets[number] != nil }

    private func sent(_ number: Int) {
        guard let count = unsent[number] else { return }
        unsent[number] = count > 1 ? count - 1 : nil
    }

    private func ended(_ number: Int, code: Int?) {
        sockets.removeValue(forKey: number)?.finish()
        unsent[number] = nil
        handle(.ended(socket: number, code: code))
    }

    private func ask(_ number: Int, _ request: RESTRequest, _ limit: Int) {
        let transport = transport
        let pause = rules.variations.contains(.isSlow) ? rules.real(200) : 0
        requests[number] = Task { [weak self] in
            if pause > 0 { try? await Task.sleep(for: .milliseconds(pause)) }
            let answer = try? await transport.perform(request, within: .milliseconds(limit))
            await self?.answered(number, answer)
        }
    }

    private func answered(_ number: Int, _ answer: RESTAnswer?) {
        guard requests.removeValue(forKey: number) != nil else { return }
        handle(.answered(request: number, answer))
    }

    private func wait(_ timer: ClientTimer, _ milliseconds: Int) {
        timers.removeValue(forKey: timer)?.task.cancel()
        lastTimer += 1
        let number = lastTimer
        let task = Task { [weak self] in
            guard (try? await Task.sleep(for: .milliseconds(milliseconds))) != nil else { return }
            await self?.elapsed(timer, number)
        }
        timers[timer] = (number, task)
    }

    private func elapsed(_ timer: ClientTimer, _ number: Int) {
        guard timers[timer]?.number == number else { return }
        timers[timer] = nil
        handle(.elapsed(timer))
    }
}
