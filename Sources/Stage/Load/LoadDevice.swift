import Holdfast
import HoldfastBasics
import HoldfastJSON
import HoldfastPlatform
import HoldfastTranscript
import HoldfastTransport

/// One phone of a load: performs its schedule, keeps its position, and resends questions without an ack.
final class LoadDevice: Sendable {
    private struct Question {
        let frame: JSONValue
        let due: ContinuousClock.Instant
        var turn: String?
        var isAcked = false
        var hasTool = false
        /// Whether the device was away before the answer, so that the server is not to blame for the time.
        var wasAway = false
    }

    private struct State {
        var lane: ConnectionLane?
        var epoch: String?
        var seq = 0
        var session: String?
        var askedCount = 0
        var questions: [String: Question] = [:]
        var last: JSONValue?
        /// The scheduled time of the reconnect whose `syncResult` is awaited.
        var reconnectDue: ContinuousClock.Instant?
        /// The number of exchanges and handshakes under way.
        var busy = 0
    }

    private let number: Int
    private let letter: String
    private let owner: LoadPrincipal
    private let state = Mutex(State())
    private static let patience = Duration.seconds(5)

    init(_ number: Int, letter: String, of owner: LoadPrincipal) {
        (self.number, self.letter, self.owner) = (number, letter, owner)
        owner.add(self)
    }

    private var load: LoadContext { owner.load }
    private var subject: ServerSubject { owner.load.subject }

    /// Whether no answer of the server and no end of a connection is awaited.
    var isQuiet: Bool {
        state.withLock { state in
            state.questions.isEmpty && state.reconnectDue == nil && state.busy == 0 && state.lane?.isEnding != true
        }
    }

    var openLane: Lane? { open?.lane }

    private var open: ConnectionLane? {
        state.withLock { $0.lane }.flatMap { $0.mailbox.hasEnded || $0.wasEndedHere ? nil : $0 }
    }

    // MARK: acting

    func run() async {
        await withTaskGroup(of: Void.self) { group in
            var free = load.start
            for act in LoadSchedule(of: number, in: load.plan).acts {
                let due = load.start + .milliseconds(act.at)
                try? await Task.sleep(until: due, clock: .continuous)
                if Task.isCancelled { break }
                // Waiting for the server does not count as lag of the stage.
                load.notify(.lag((.now - max(due, free)).microseconds, at: load.microseconds(due)))
                switch act.action {
                case .connect: await connect(due)
                case .ask(let overREST, let inNewSession):
                    let frame = question(inNewSession: inNewSession)
                    if overREST {
                        exchange(in: &group) { await self.post(frame, due) }
                    } else {
                        await ask(frame, due)
                    }
                case .repeat: if subject.dialect.hasAcks, let last = state.withLock({ $0.last }) { await send(last) }
                case .read: exchange(in: &group) { await self.read() }
                case .leave(let departure): await leave(departure)
                }
                free = .now
            }
            let end = ContinuousClock.now + Self.patience
            while !isQuiet, openLane != nil, ContinuousClock.now < end, !Task.isCancelled {
                try? await Task.sleep(for: .milliseconds(100), clock: .continuous)
            }
        }
        if !Task.isCancelled { giveUp() }
        await open?.close(code: 1000, timeout: .seconds(2))
        await state.withLock { $0.lane }?.abandon()
    }

    /// Reports a failure of the server, unless the run was interrupted.
    private func notify(_ event: LoadEvent) { if !Task.isCancelled { load.notify(event) } }

    private func declares(_ profile: Profile) -> Bool { subject.profiles.contains(profile) }

    private func exchange(in group: inout TaskGroup<Void>, _ body: @escaping @Sendable () async -> Void) {
        state.withLock { $0.busy += 1 }
        group.addTask {
            await body()
            self.state.withLock { $0.busy -= 1 }
            self.owner.handOverIfQuiet()
        }
    }

    private func connect(_ due: ContinuousClock.Instant) async {
        guard open == nil else { return }
        await state.withLock { $0.lane }?.abandon()
        state.withLock { $0.busy += 1 }
        defer { state.withLock { $0.busy -= 1 } }
        guard let lane = await openGreetedLane() else { return notify(.unconnected) }
        let (sync, unconfirmed) = state.withLock { state -> (JSONValue?, [JSONValue]) in
            // A sent message without an answer may never have arrived.
            let unconfirmed = state.questions.values.filter { !$0.isAcked && subject.dialect.hasAcks }.map(\.frame)
            guard let epoch = state.epoch, lane.lastSync == nil, declares(.sync) else { return (nil, unconfirmed) }
            state.reconnectDue = due
            return (["type": "sync", "lastSeqSeen": JSONValue(state.seq), "epoch": .string(epoch)], unconfirmed)
        }
        if let sync { await send(sync) }
        for frame in unconfirmed { await send(frame) }
    }

    /// Nil if the connection or its greeting fails.
    private func openGreetedLane() async -> ConnectionLane? {
        let principal = owner.principal
        let asked = subject.upgrade(token: principal.token)
        owner.recorder.note(
            .opening(Event.Opening(principal: principal.name, path: asked.path)), on: .connection(letter))
        let connection: WebSocketConnection
        do throws(TransportProblem) {
            connection = try await WebSocketConnection.open(
                asked.endpoint, headers: asked.headers, tls: subject.tls, limits: .load,
                timeout: subject.timeouts.connect)
        } catch {
            owner.recorder.note(.refused(status: nil, reason: error.name), on: .connection(letter))
            return nil
        }
        let isNew = state.withLock { $0.epoch == nil }
        let lane = ConnectionLane(letter, connection, dialect: .canonical, recorder: owner.recorder) {
            [weak self] in self?.hear($0, at: $1)
        }
        state.withLock { $0.lane = lane }
        var auth: JSONValue = ["type": "auth", "protocol": 1, "clientId": .string("load-\(load.run)-\(number)")]
        if let token = principal.token { auth["token"] = .string(token) }
        try? await lane.send(text: auth.text())
        guard await lane.mailbox.take(["connected"], within: subject.timeouts.connect) != nil else {
            lane.cut(.reset)
            return nil
        }
        // A device that connects for the first time has missed nothing.
        if isNew { lane.lastSync = .null }
        return lane
    }

    private func question(inNewSession: Bool) -> JSONValue {
        state.withLock { state in
            state.askedCount += 1
            let text = "Answer in one short sentence, please. (load \(number)-\(state.askedCount))"
            var content = JSONValue.string(text)
            if subject.hasScriptedAgent {
                let mix = load.plan.mix
                let steps = (0..<mix.tools).flatMap { _ in
                    [["tool": "webFetch"], ["wait": JSONValue(mix.toolMs)]] as [JSONValue]
                }
                let script: JSONValue = ["script": .array(steps + [["reply": .string(text)]])]
                content = .string(script.text())
            }
            var frame: JSONValue = ["type": "chat", "messages": [["role": "user", "content": content]]]
            frame["clientMessageId"] = .string("\(load.run)-\(number)-\(state.askedCount)")
            if let session = state.session, !inNewSession { frame["sessionId"] = .string(session) }
            return frame
        }
    }

    private func ask(_ frame: JSONValue, _ due: ContinuousClock.Instant) async {
        if open == nil { await connect(due) }
        let key = frame["clientMessageId"]?.stringValue ?? ""
        state.withLock { state in
            state.last = frame
            state.questions[key] = Question(frame: frame, due: due)
        }
        await send(frame)
    }

    private func send(_ frame: JSONValue) async { try? await open?.send(text: frame.text()) }

    private func leave(_ departure: LoadSchedule.Departure) async {
        state.withLock { state in
            for key in state.questions.keys { state.questions[key]?.wasAway = true }
            state.reconnectDue = nil
        }
        switch departure {
        case .closing: await open?.close(code: 1001, timeout: .seconds(1))
        case .ending: open?.cut(.fin)
        case .resetting: open?.cut(.reset)
        }
    }

    /// Counts questions without an answer, with the time they have waited so far.
    private func giveUp() {
        let unanswered = state.withLock { state in
            defer { (state.questions, state.reconnectDue) = ([:], nil) }
            return Array(state.questions.values)
        }
        for question in unanswered where !question.wasAway {
            if !question.isAcked, subject.dialect.hasAcks { time(.ack, since: question.due, at: .now) }
            time(.done, since: question.due, at: .now)
            load.notify(.unanswered)
        }
    }

    // MARK: REST

    private func read() async {
        let session = state.withLock { $0.session }
        _ = await request("GET", "/api/sessions" + (session.map { "/" + percentEncoded($0) } ?? ""), body: nil)
    }

    private func post(_ frame: JSONValue, _ due: ContinuousClock.Instant) async {
        var body = frame
        body["type"] = nil
        guard let answer = await request("POST", "/api/chat", body: body.text()) else { return notify(.unanswered) }
        if answer.status == 200 {
            time(.done, since: due, at: answer.receivedAt)
        } else {
            load.notify(.refused(answer.status == 429 ? "rate_limited" : "status \(answer.status)"))
        }
    }

    private func request(_ method: String, _ path: String, body: String?) async -> HTTPAnswer? {
        let lane = Lane.exchange(owner.exchanges.next())
        owner.recorder.note(
            .request(Event.Request(method: method, path: path, principal: owner.principal.name, body: body)), on: lane)
        do throws(TransportProblem) {
            let answer = try await HTTPExchange.perform(
                subject.request(method, path, token: owner.principal.token, body: body), tls: subject.tls,
                maxBodyBytes: 8 << 20,
                timeout: subject.timeouts.rest + (method == "GET" ? .zero : subject.timeouts.turn))
            _ = owner.recorder.record(.response(Event.Response(answer)), on: lane, at: answer.receivedAt)
            return answer
        } catch {
            owner.recorder.note(.failed(reason: error.name), on: lane)
            return nil
        }
    }

    // MARK: receiving

    private func time(_ time: LoadTime, since due: ContinuousClock.Instant, at moment: ContinuousClock.Instant) {
        load.notify(.time(time, max(0, (moment - due).microseconds), intendedAt: load.microseconds(due)))
    }

    private func hear(_ message: JSONValue, at moment: ContinuousClock.Instant) {
        let next = state.withLock { state -> JSONValue? in
            take(message, at: moment, &state)
            guard message["type"] == "syncResult" else { return nil }
            let missed = message["missed"]?.arrayValue ?? []
            for frame in missed { take(frame, at: nil, &state) }
            if message["more"] == true, let last = missed.last?["seq"], let epoch = message["epoch"] {
                return ["type": "sync", "lastSeqSeen": last, "epoch": epoch]
            }
            (state.epoch, state.seq) = (message["epoch"]?.stringValue, message["lastSeq"]?.intValue ?? state.seq)
            if let due = state.reconnectDue.take() { time(.caughtUp, since: due, at: moment) }
            // The result contains the answers missed meanwhile; a person finds any others over REST.
            state.questions = state.questions.filter { !($0.value.wasAway && $0.value.isAcked) }
            return nil
        }
        if let next { Task { await self.send(next) } }
        owner.handOverIfQuiet()
    }

    /// `moment` is nil for a replayed frame.
    private func take(_ frame: JSONValue, at moment: ContinuousClock.Instant?, _ state: inout State) {
        if let seq = frame["seq"]?.intValue { state.seq = max(state.seq, seq) }
        let turn = frame["turnId"]?.stringValue
        let key =
            frame["clientMessageId"]?.stringValue
            ?? turn.flatMap { turn in state.questions.first { $0.value.turn == turn }?.key }
            // Without keys and turns, the oldest question counts as the answered one.
            ?? (subject.dialect.hasAcks ? nil : state.questions.min { $0.value.due < $1.value.due }?.key)
        switch frame["type"]?.stringValue {
        case "connected":
            guard state.epoch == nil else { return }
            (state.epoch, state.seq) = (frame["epoch"]?.stringValue, frame["lastSeq"]?.intValue ?? 0)
        case "ack":
            state.session = frame["sessionId"]?.stringValue ?? state.session
            guard let key, let question = state.questions[key], !question.isAcked else { return }
            state.questions[key]?.isAcked = true
            state.questions[key]?.turn = turn
            if let moment, !question.wasAway { time(.ack, since: question.due, at: moment) }
        case "toolUse":
            guard let key, let question = state.questions[key], !question.hasTool else { return }
            state.questions[key]?.hasTool = true
            if let moment, !question.wasAway { time(.firstTool, since: question.due, at: moment) }
        case "done":
            state.session = state.session ?? frame["sessionId"]?.stringValue
            guard let key, let question = state.questions.removeValue(forKey: key) else { return }
            if let moment, !question.wasAway { time(.done, since: question.due, at: moment) }
        case "error":
            guard let key, state.questions.removeValue(forKey: key) != nil else { return }
            load.notify(.refused(frame["code"]?.stringValue ?? "without code"))
        default: return
        }
    }
}

extension WebSocketLimits {
    fileprivate static let load = WebSocketLimits(
        maxMessageBytes: 4 << 20, maxQueuedBytes: 1 << 20, maxReceivedBytes: nil, maxUnsentBytes: 1 << 20)
}
