import HoldfastJSON

extension ClientCore {
    mutating func foreground() {
        guard !isForeground else { return }
        isForeground = true
        // The user may have signed in again or updated the app.
        if link.phase == .refused {
            link.phase = .none
            link.refusedVersions = []
        }
        guard isRunning, hasNetwork else { return }
        // Reconnect whatever the socket's state: a frozen app does not learn that its socket ended.
        leave(code: 1001)
        link.startAnew()
        connect()
        // The time in the background does not count toward a request's timeout.
        for question in outbox {
            if case .posted = question.phase { wait(.confirmation(key: question.key), rules.confirmation) }
        }
        resume()
    }

    /// The system suspends the app in the background, so the app stops its waits itself.
    mutating func background() {
        isForeground = false
        stopWaiting(.reconnect)
        stopWaiting(.greeting)
        stopWaiting(.degraded)
        for number in conversations.keys { stopPolling(number) }
    }

    mutating func networkDown() {
        hasNetwork = false
        link.restWorks = false
        leave(code: nil)
        stopWaiting(.reconnect)
        stopWaiting(.degraded)
        for (request, purpose) in purposes {
            effects.append(.cancel(request: request))
            failed(purpose, request: request)
        }
        purposes = [:]
        for number in conversations.keys { stopPolling(number) }
    }

    mutating func networkUp() {
        let wasDown = !hasNetwork
        hasNetwork = true
        guard isRunning, isForeground, link.phase != .refused, wasDown || link.live == nil else { return }
        link.startAnew()
        if wasDown || link.phase == .waiting || link.phase == .none { connect() }
        resume()
    }

    mutating func connect() {
        guard isRunning, isForeground, hasNetwork else { return }
        if let socket = link.socket { effects.append(.close(socket: socket, code: nil)) }
        stopWaiting(.reconnect)
        let socket = link.nextSocket()
        link.phase = .opening(socket: socket)
        link.attempts = link.attempts.suffix(rules.attemptsPerMinute - 1) + [now]
        link.epoch = nil
        effects.append(.open(socket: socket, url: rules.url))
        wait(.greeting, rules.greeting)
    }

    mutating func opened(_ socket: Int) {
        guard link.phase == .opening(socket: socket) else { return }
        link.phase = .greeting(socket: socket)
        let version = version
        var auth: JSONValue = ["type": "auth", "protocol": JSONValue(version)]
        link.offeredVersion = version
        link.supported = nil
        if let token = rules.token { auth["token"] = .string(token) }
        if uses(.tellsItsCapabilities) { auth["capabilities"] = ["sync", "push"] }
        send(auth, on: socket)
    }

    /// The version to offer: the last one offered, else the best, unless refused.
    private var version: Int {
        let known = [link.offeredVersion].compactMap(\.self) + rules.versions
        return known.first { !link.refusedVersions.contains($0) && link.supported?.contains($0) != false }
            ?? rules.versions.last ?? 1
    }

    mutating func greeted(_ frame: JSONValue, on socket: Int) {
        guard case .greeting(let current) = link.phase, current == socket else { return }
        link.settle(on: socket)
        link.refusedVersions = []
        link.heardAt = now
        errors.removeAll { Self.refusals.contains($0.code ?? "") }
        link.epoch = rules.followsStream ? frame.text("epoch") : nil
        link.maxFrameBytes = frame["limits"]?["maxFrameBytes"]?.intValue ?? .max
        stopWaiting(.greeting)
        stopWaiting(.degraded)
        recoverStream(lastSeq: frame["lastSeq"]?.intValue)
        checkSilence()
        for index in outbox.indices { outbox[index].avoidsREST = false }
        if uses(.resendsOnBothTransports) { resendPosted(on: socket) }
        pump()
        if startIsDue { startNormally() }
    }

    mutating func ended(_ socket: Int, code: Int?) {
        guard link.socket == socket else { return }
        let wasLive = link.live != nil
        link.phase = .none
        stopWaiting(.greeting)
        // A connection that delivered only `connected` counts as a failure: each resend may make the server fail again.
        let hasLasted = wasLive && link.attempts.last.map { now - $0 >= rules.real(60_000) } == true
        if hasLasted { link.startAnew() }
        if !wasLive { link.failures += 1 } else if !link.hasDelivered, !hasLasted { link.fruitless += 1 }
        transportEnded(socket, code: code)
        if code == 4010 {
            if let offered = link.offeredVersion { link.refusedVersions.insert(offered) }
            // Each version in common is worth one more connection.
            let others = (link.supported ?? Set(rules.versions)).subtracting(link.refusedVersions)
            if rules.versions.contains(where: others.contains) { return connect() }
        }
        if let code, code == 4001 || code == 4010 { return refuse(code) }
        guard isForeground, hasNetwork else { return }
        planAttempt()
        resume()
        if !wasLive, link.failures == 1 { pollList() }
    }

    mutating func leave(code: UInt16?) {
        defer { if link.phase != .refused { link.phase = .none } }
        stopWaiting(.greeting)
        guard let socket = link.socket else { return }
        effects.append(.close(socket: socket, code: code))
        transportEnded(socket, code: nil)
    }

    /// The connection does not respond: everything sent on it counts as lost, and a new one is tried.
    mutating func giveUpConnection() {
        guard let socket = link.socket else { return }
        effects.append(.close(socket: socket, code: nil))
        ended(socket, code: nil)
    }

    /// Watches the connection while a turn is awaited: after half the allowed silence it sends a ping, after all of it
    /// the connection is given up.
    mutating func checkSilence() {
        guard let socket = link.live, mayRequest, outbox.contains(where: { $0.isAwaited }) else { return }
        let (silence, limit) = (now - link.heardAt, rules.real(rules.connectionSilence))
        if silence >= limit { return giveUpConnection() }
        let isHalf = silence >= limit / 2
        if isHalf, !link.isPinged { send(["type": "ping"], on: socket) }
        link.isPinged = isHalf
        effects.append(.wait(.connectionSilence, ms: max(1, (isHalf ? limit : limit / 2) - silence)))
    }

    mutating func resume() {
        pump()
        for number in conversations.keys.sorted() where isDue(number) { beginReading(number, atOnce: false) }
    }

    mutating func send(_ frame: JSONValue, on socket: Int) {
        var frame = frame
        if uses(.addsMembers) { frame["note"] = ["nobody": "knows", "this": [1, 2, 3]] }
        effects.append(.send(socket: socket, frame.text()))
        if uses(.sendsPings), frame["type"] == "chat" {
            effects.append(.send(socket: socket, #"{"type":"ping","nonce":"alive"}"#))
        }
    }

    /// Waits a random time up to a bound that doubles, so that phones do not all reconnect at once.
    private mutating func planAttempt() {
        let ceiling = min(rules.longestBackoff, rules.firstBackoff << min(link.failures + link.fruitless, 16))
        var pause = dice.number(in: rules.shortestBackoff...max(rules.shortestBackoff, ceiling))
        if uses(.waitsInSteps) { pause = ceiling * 3 / 4 + dice.number(in: 0...max(1, ceiling / 4)) }
        var due = now + rules.real(pause)
        let recent = link.attempts.count { now - $0 < rules.real(60_000) }
        if recent >= rules.quickAttempts, let last = link.attempts.last {
            due = max(due, last + rules.real(rules.steadyBackoff))
        }
        if link.attempts.count >= rules.attemptsPerMinute {
            due = max(due, link.attempts[link.attempts.count - rules.attemptsPerMinute] + rules.real(60_000))
        }
        if let last = link.attempts.last {
            // The wait includes the time of a slow failure, and is limited for any number of attempts (CLIENT-37).
            due = min(due, max(now, last + rules.real(rules.longestBackoff - 1_000)))
        }
        link.phase = .waiting
        effects.append(.wait(.reconnect, ms: max(1, due - now)))
    }

    /// Errors that only another launch or a return to the foreground can clear.
    private static let refusals: Set<String> = ["auth_failed", "unsupported_version"]

    private mutating func refuse(_ code: Int) {
        link.phase = .refused
        stopWaiting(.reconnect)
        stopWaiting(.degraded)
        showError(
            code == 4001 ? "Please sign in again." : "Please update the app.",
            code: code == 4001 ? "auth_failed" : "unsupported_version")
        for number in conversations.keys { giveUp(number) }
    }
}
