import Holdfast
import HoldfastJSON
import HoldfastTranscript
import HoldfastTransport

extension StepContext {
    /// The largest frame the stage builds; a subject that announces more is not tested beyond it.
    static let maxBuiltBytes = 4 << 20

    func open(_ letter: String) throws -> ConnectionLane {
        guard let lane = performer.lane(letter) else {
            if performer.wasRefused(letter) { throw StepEnd.unmet("\(pointer): connection \(letter) was refused") }
            throw StepEnd.harness(HarnessProblem(.noConnection(lane: letter), at: location))
        }
        return lane
    }

    /// Sends on a connection; the step does not fail if the subject has closed it.
    ///
    /// A server may close while it still receives a message that it refuses; the scenario's next wait decides.
    func sending(
        on letter: String, _ body: (ConnectionLane) async throws(TransportProblem) -> Void
    ) async throws {
        let lane = try open(letter)
        do {
            try await body(lane)
        } catch {
            if Task.isCancelled { throw StepEnd.interrupted }
        }
    }

    // MARK: opening

    func connect(_ connect: ScenarioStep.Connect) async throws {
        let lane = Lane.connection(connect.on)
        let query = try connect.query.map { try filled($0) }
        let asked = subject.upgrade(token: try token(connect.credential), query: query)
        if performer.isLife || connect.on == ScenarioStep.lifeLane, let open = performer.lane(connect.on),
            !open.mailbox.hasEnded
        {
            // An idle check or a life's round that was cut short may have left this connection open.
            open.cut(.fin)
        }
        await performer.lane(connect.on)?.waitUntilGone(within: performer.limit("close"))
        recorder.note(
            .opening(
                Event.Opening(
                    principal: connect.credential.shown
                        ?? (dialect.upgradeCarriesKey ? "other" : connect.credential.principal),
                    path: asked.path)),
            on: lane)
        let connection: WebSocketConnection
        do {
            connection = try await WebSocketConnection.open(
                asked.endpoint, headers: asked.headers, tls: subject.tls, limits: performer.isLife ? .life : .stage,
                timeout: performer.limit("connect"))
        } catch {
            if Task.isCancelled { throw StepEnd.interrupted }
            if error.isLocal { throw StepEnd.harness(HarnessProblem(.cannotConnect(error.code), at: location)) }
            if !connect.isOptional { performer.noteReception(false) }
            recorder.note(refusal(error), on: lane)
            performer.noteRefusal(connect.on)
            try missed("upgrade", on: lane, isOptional: connect.isOptional)
            return try noteMissing(connect.save, of: "upgrade")
        }
        let opened = ConnectionLane(
            connect.on, connection, dialect: dialect, recorder: recorder, run: performer.connections,
            principal: connect.credential.token == .own ? connect.credential.principal : nil)
        performer.add(opened)
        if connect.handshake { return try await authenticate(opened, connect) }
        if dialect.assumedGreeting != nil { throw StepEnd.unmet("\(pointer): \(dialect.noHandshakeReason)") }
    }

    private func authenticate(_ lane: ConnectionLane, _ connect: ScenarioStep.Connect) async throws {
        let frame = try connect.auth(token: try token(connect.credential)) { try filled($0) }
        if connect.version == 1 { try check(frame, as: "auth") }
        let messages = try wire(frame)
        if let assumed = dialect.assumedGreeting {
            performer.noteReception(true)
            lane.authenticate()
            return try save(connect.save, from: assumed, of: "connected", on: lane.lane)
        }
        if dialect.challenge != nil,
            await lane.mailbox.take([ConnectionLane.challenge], within: performer.limit("connect")) == nil
        {
            if !connect.isOptional, !Task.isCancelled { performer.noteReception(false) }
            try missed("challenge", on: lane.lane, isOptional: connect.isOptional)
            return try noteMissing(connect.save, of: "challenge")
        }
        do {
            for message in messages { try await lane.send(message) }
        } catch {
            return try missedGreeting(of: lane, connect)
        }
        let connected = await lane.mailbox.take(["connected"], within: performer.limit("connect"))
        guard let connected else { return try missedGreeting(of: lane, connect) }
        performer.noteReception(true)
        lane.authenticate()
        // If the suite started the server, this may be its first greeting, so the scenario's needs are checked here.
        if let reason = performer.needs.obstacle(greetedBy: connected) { throw StepEnd.outOfReach(reason) }
        performer.messageLimit = connected["limits"]?["maxFrameBytes"]?.intValue
        if case .own = connect.credential.token {
            performer.noteUse(connect.credential.principal, greetedBy: connected)
        }
        try save(connect.save, from: connected, of: "connected", on: lane.lane)
    }

    private func missedGreeting(of lane: ConnectionLane, _ connect: ScenarioStep.Connect) throws {
        if !connect.isOptional, !Task.isCancelled { performer.noteReception(false) }
        try missed("connected", on: lane.lane, isOptional: connect.isOptional, instead: lane.mailbox.obstacle)
        try noteMissing(connect.save, of: "connected")
    }

    private func refusal(_ problem: TransportProblem) -> Event.Kind {
        if case .upgradeRefused(let status, let excerpt) = problem.code {
            return .refused(status: status, reason: excerpt)
        }
        return .refused(status: nil, reason: problem.name)
    }

    func token(_ credential: ScenarioStep.Credential) throws -> String? {
        switch credential.token {
        case .own: performer.principals[credential.principal]?.token
        case .none: nil
        case .other(let text): try filled(text)
        }
    }

    // MARK: sending

    func chat(_ question: ScenarioStep.Question, on letter: String) async throws {
        let body = try self.body(of: question)
        let frame = JSONValue.chat(body)
        try check(frame, as: "chat")
        if question.bytes == nil, let owner = try open(letter).principal { performer.noteAsked(body, by: owner) }
        let messages = try wire(frame, paddedTo: question.bytes)
        // A scenario that states a size intends to reach the limit.
        if question.bytes == nil { try checkSize(messages.map(\.text.utf8.count).max() ?? 0) }
        performer.addScriptWait(question.waitMs)
        try open(letter).expectAnswers(within: performer.limit("turn"))
        try await send(messages, fragments: question.fragments, on: letter)
    }

    func send(_ messages: [WireMessage], fragments: Int = 1, on letter: String) async throws {
        try await sending(on: letter) { lane throws(TransportProblem) in
            for message in messages { try await lane.send(message, fragments: fragments) }
        }
    }

    func send(_ frame: JSONValue, bytes: JSONValue?, on letter: String) async throws {
        let wire = try wire(spelledOut: try filled(frame))
        try await send([padded(wire, to: bytes)], on: letter)
    }

    func sendText(_ fragments: [String], times: Int, on letter: String) async throws {
        var pieces: [[UInt8]] = []
        for fragment in fragments {
            let piece = try filled(fragment)
            try checkBuildable(bytes: piece.utf8.count * times)
            pieces.append(Array(String(repeating: piece, count: times).utf8))
        }
        let parts = try wire(spelledOut: pieces)
        try await sending(on: letter) { lane throws(TransportProblem) in try await lane.send(pieces: parts) }
    }

    func sync(_ position: JSONValue, epoch: String?, limit: JSONValue?, on letter: String) async throws {
        let frame = try ScenarioStep.sync(position, epoch: epoch, limit: limit) { try filled($0) }
        try check(frame, as: "sync")
        let messages = try wire(frame)
        try open(letter).lastSync = frame
        try await send(messages, on: letter)
    }

    /// A question's messages, padded to the required length: in the text or, if it is a script, by an unknown member.
    private func wire(_ frame: JSONValue, paddedTo bytes: JSONValue?) throws -> [WireMessage] {
        let messages = try wire(frame)
        guard let bytes, messages.count == 1 else { return try messages.map { try padded($0, to: bytes) } }
        let size = try number(bytes)
        let long = try lengthened(frame, toBytes: size, from: messages[0].text).map { try wire($0) }
        // If the wire form has the text twice, or not at all, the frame gets an unknown member instead.
        if let long, long.count == 1, long[0].text.utf8.count == size { return long }
        return try messages.map { try padded($0, to: bytes) }
    }

    /// Lengthens a question until its message, now `message`, has the required size; nil if its text is a script.
    func lengthened(_ question: JSONValue, toBytes size: Int, from message: String) throws -> JSONValue? {
        guard question["messages"]?.arrayValue?.last?["content"]?.stringValue?.first != "{" else { return nil }
        try checkBuildable(bytes: size)
        let missing = size - message.utf8.count
        guard missing >= 0 else { throw StepEnd.unsuitable("a frame of \(size) bytes is too small for a question") }
        return ScenarioStep.Question.lengthened(question, by: missing)
    }

    /// The frame with an unknown member that brings it to the required length; receivers ignore such members.
    private func padded(_ message: WireMessage, to bytes: JSONValue?) throws -> WireMessage {
        guard let bytes, var frame = try? JSONParser.document(message.text).root else { return message }
        let size = try number(bytes)
        try checkBuildable(bytes: size)
        frame["padding"] = ""
        let missing = size - frame.text().utf8.count
        guard missing >= 0 else { throw StepEnd.unsuitable("a frame of \(size) bytes is too small for a question") }
        frame["padding"] = .string(String(decoding: repeatElement(UInt8(ascii: "x"), count: missing), as: UTF8.self))
        return WireMessage(frame.text())
    }

    private func checkBuildable(bytes: Int) throws {
        guard bytes <= Self.maxBuiltBytes else {
            throw StepEnd.unsuitable(
                "it needs a frame of \(bytes) bytes; the stage sends at most \(Self.maxBuiltBytes)")
        }
    }

    // MARK: waiting

    /// Refuses to send a question that is larger than the server accepts, since the server may refuse it (ENV-7).
    func checkSize(_ bytes: Int) throws {
        guard let limit = performer.messageLimit, limit >= Self.minMessageLimit, bytes > limit else { return }
        throw StepEnd.outOfReach(
            Performance.beyondLimits + "it needs a message of \(bytes) bytes, and the server takes at most \(limit)")
    }

    /// A lower limit would refuse even ordinary questions, so it does not excuse an untested clause.
    private static let minMessageLimit = 1024

    func await(_ awaited: ScenarioStep.Await, on letter: String) async throws {
        let lane = try open(letter)
        if awaited.types.allSatisfy({ $0 != "close" && !dialect.hasWord(for: $0) }) {
            let reason = "the dialect \(dialect.name) has no '\(awaited.types.joined(separator: "' and no '"))'"
            if awaited.bound.isOptional { return }
            guard awaited.save.isEmpty else { throw StepEnd.unmet("\(pointer): \(reason)") }
            throw StepEnd.inexpressible(reason)
        }
        let what = awaited.types.joined(separator: " or ")
        let matches: (JSONValue) -> Bool
        do {
            matches = try matching(awaited.conditions)
        } catch StepEnd.unmet where awaited.bound.isOptional {
            // A value that the subject did not send cannot be awaited.
            return try noteMissing(awaited.save, of: what)
        }
        var within = performer.limit(awaited.bound.within)
        // A shorter wait cannot distinguish a late answer from none.
        if !awaited.bound.isOptional { within = max(within, lane.timeLeftForAnswers) }
        // A life caps this wait; it checks again when it pauses.
        if performer.isLife { within = min(within, Self.maxWaitInLife) }
        let (frame, isRefused) = await take(awaited.types, within: within, from: lane, where: matches)
        if isRefused { return try noteMissing(awaited.save, of: what) }
        if frame == nil, lane.mailbox.hasEnded, awaited.types.contains("close") {
            return try noteMissing(awaited.save, of: what)
        }
        guard let frame else {
            try missed(
                what, on: lane.lane, isOptional: awaited.bound.isOptional, instead: lane.mailbox.obstacle)
            return try noteMissing(awaited.save, of: what)
        }
        try save(awaited.save, from: frame, of: what, on: lane.lane)
        if frame["type"] == "syncResult" { try await followPages(from: frame, on: lane) }
    }

    /// Waits for a message; if it results from a question, only until that question is refused as busy.
    private func take(
        _ types: [String], within limit: Duration, from lane: ConnectionLane, where matches: (JSONValue) -> Bool
    ) async -> (frame: JSONValue?, isRefused: Bool) {
        guard types.allSatisfy(["ack", "message", "toolUse", "done", "error"].contains) else {
            return (await lane.mailbox.take(types, within: limit, where: matches), false)
        }
        let deadline = ExtendedDeadline(limit)
        while true {
            let isRefused = recorder.busyQuestions.leavesNothingToAwait(on: lane.lane)
            let slice = isRefused ? .zero : min(deadline.rest, Self.busyCheckInterval)
            let frame = await lane.mailbox.take(types, within: slice, where: matches)
            if frame != nil || isRefused || deadline.rest <= .zero || lane.mailbox.hasEnded || Task.isCancelled {
                return (frame, frame == nil && isRefused)
            }
        }
    }

    private static let maxWaitInLife = Duration.seconds(5)

    private static let busyCheckInterval = Duration.milliseconds(250)

    /// Requests the remaining pages of a server that pages by itself: only all pages together are the whole answer.
    ///
    /// A scenario that states the frames per page requests the other pages itself; a life never does. An answer that is
    /// too long to keep, or that takes longer than a turn, stays incomplete.
    func followPages(from first: JSONValue, on lane: ConnectionLane) async throws {
        guard let asked = lane.lastSync, asked["limit"] == nil || performer.isLife else { return }
        var page = first
        var position = asked["lastSeqSeen"]?.intValue ?? 0
        let deadline = ExtendedDeadline(performer.limit("turn"))
        for _ in 0..<Self.maxPages where !recorder.isHalfFull && deadline.rest > .zero {
            guard page["more"]?.boolValue == true, let last = page["missed"]?.arrayValue?.last?["seq"]?.intValue,
                last > position, last <= 9_007_199_254_740_991, let epoch = page["epoch"]?.stringValue, !epoch.isEmpty
            else { return }
            position = last
            var next = asked
            next["lastSeqSeen"] = JSONValue(position)
            // A position has a meaning only in its epoch (SYNC-6).
            next["epoch"] = .string(epoch)
            try await send(wire(next), on: lane.letter)
            guard let answer = await lane.mailbox.take(["syncResult"], within: performer.limit("sync")) else {
                return try missed("syncResult", on: lane.lane, isOptional: true)
            }
            page = answer
        }
    }

    /// A replay with more pages than this stays incomplete.
    private static let maxPages = 1000

    /// Whether a message has the values; null stands for a member that is absent.
    func matching(_ values: [String: JSONValue]) throws -> (JSONValue) -> Bool {
        let wireHasNonces = dialect.isCanonical || dialect.keepsNonces
        let conditions = values.filter { key, _ in
            // A model uses the server's own tools, whatever the script calls them.
            if key == "/tool" { return subject.agent != .model }
            // If pongs do not name their ping, any of them may be the answer; LIVE-1 reports that.
            return key != "/nonce" || wireHasNonces
        }
        return try ScenarioStep.matching(conditions) { try filled($0) }
    }

    func alive(_ principal: String) async throws {
        let letter = ScenarioStep.lifeLane
        try await connect(
            ScenarioStep.Connect(on: letter, credential: ScenarioStep.Credential(principal: principal)))
        let lane = try open(letter)
        guard await performer.fence(lane) else { throw StepEnd.unmet("\(pointer): no pong in time") }
        await lane.close(code: 1000, timeout: performer.limit("close"))
    }
}

extension WebSocketLimits {
    /// The limits of one connection of a scenario: servers send at most 1 MiB per message (ENV-9).
    fileprivate static let stage = WebSocketLimits(
        maxMessageBytes: 4 << 20, maxQueuedBytes: 1 << 20, maxReceivedBytes: 12 << 20, maxUnsentBytes: 16 << 20)

    fileprivate static let life = WebSocketLimits(
        maxMessageBytes: 4 << 20, maxQueuedBytes: 1 << 20, maxReceivedBytes: 128 << 20, maxUnsentBytes: 16 << 20)
}

extension StepContext {
    /// Waits until the server ends a connection; an announced time is added to the bound.
    func awaitClose(_ bound: ScenarioStep.Bound, after wait: ScenarioStep.StatedTime?, on letter: String) async throws {
        // A refused connection has no end to wait for.
        if performer.wasRefused(letter) { return }
        let lane = try open(letter)
        let wait = try wait.map(duration) ?? .zero
        guard await lane.mailbox.waitForEnd(within: wait + performer.limit(bound.within)) else {
            return try missed("close", on: lane.lane, isOptional: bound.isOptional)
        }
    }

    func watch(_ wait: ScenarioStep.StatedTime) async throws {
        let duration = try duration(of: wait)
        try? await Task.sleep(for: duration, clock: .continuous)
        if Task.isCancelled { throw StepEnd.interrupted }
        recorder.note(.wait(awaited: "time", met: true), on: .server)
    }

    /// An announced time, if the patience of the run covers it.
    private func duration(of wait: ScenarioStep.StatedTime) throws -> Duration {
        guard let duration = wait.duration(of: try number(wait.amount)) else {
            throw unusable(wait.amount, try filled(wait.amount))
        }
        let total = performer.addStatedWait(duration)
        guard total <= subject.patience else {
            throw StepEnd.outOfReach(
                "the wait of \(wholeSeconds(total)) exceeds --patience \(wholeSeconds(subject.patience)); "
                    + "configure a shorter time, or give --patience \(wholeSeconds(total, unit: ""))")
        }
        return duration
    }
}

/// Rounds up.
func wholeSeconds(_ duration: Duration, unit: String = " s") -> String {
    let (whole, rest) = duration.components
    return "\(whole + (rest > 0 ? 1 : 0))\(unit)"
}
