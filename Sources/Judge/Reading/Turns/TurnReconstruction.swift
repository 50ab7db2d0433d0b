import Holdfast
import HoldfastJSON
import HoldfastTranscript

/// Assigns the frames of a history to the questions they answer.
///
/// A frame belongs to a turn by `turnId`, else by `clientMessageId`; the page *How turns are reconstructed* describes
/// the rules.
struct TurnReconstruction {
    private let connections: [ObservedConnection]
    private let exchanges: [ObservedExchange]
    private var turns: [ObservedTurn] = []
    private var byKey: [ScopedName: ObservedTurn] = [:]
    private var byTurnId: [ScopedName: ObservedTurn] = [:]
    private var byRequest: [Int: ObservedRequest] = [:]
    /// Messages that a server must refuse and may be unable to read, by connection in reading order.
    private var unreadable: [Int: [Int]] = [:]
    /// Questions that a server may accept, or refuse without having read them.
    private var flawed: [Int: [Int]] = [:]
    /// Events that refused a request; they end no turn.
    private var refusals: Set<Int> = []
    private var namedSessions: Set<ScopedName> = []
    private var lastNamed: ScopedName?

    /// The turns of a history, in order; those without reliable evidence are marked as guessed.
    ///
    /// `hostile` are the messages that a server must not, or need not, accept, and `inDoubt` the questions whose frames
    /// have guessed ids, both by event.
    static func turns(
        in history: Observations, hostile: [Int: HostileFrame.Kind], inDoubt: Set<Int>
    ) -> [ObservedTurn] {
        var reconstruction = TurnReconstruction(history, hostile: hostile)
        for read in history.sessionReads { reconstruction.learn(from: read) }
        for frame in history.received { reconstruction.learnAndAnswer(from: frame) }
        reconstruction.putAcceptedRequestsFirst()
        for frame in history.received { reconstruction.assign(frame) }
        for frame in history.syncs.flatMap(\.missed) { reconstruction.owner(of: frame)?.replayed.append(frame) }
        if history.isCapture { reconstruction.setAsideRepeats() }
        for turn in reconstruction.turns where turn.requests.contains(where: { inDoubt.contains($0.event) }) {
            turn.isGuessed = true
        }
        return reconstruction.turns.sorted { $0.event < $1.event }
    }

    // MARK: Questions

    private init(_ history: Observations, hostile: [Int: HostileFrame.Kind]) {
        connections = history.connections
        exchanges = history.exchanges
        let requests = ObservedRequest.all(on: connections, in: exchanges, isCapture: history.isCapture)
        turns.reserveCapacity(requests.count)
        byKey.reserveCapacity(requests.count)
        for request in requests {
            let key = request.clientMessageId.map { ScopedName($0, of: request.principal) }
            byRequest[request.event] = request
            if let turn = key.flatMap({ byKey[$0] }) {
                turn.requests.append(request)
            } else {
                turns.append(ObservedTurn(requests: [request]))
                if let key { byKey[key] = turns.last }
            }
        }
        let illFormed = requests.filter { $0.sessionAsked.map { !isSessionID($0) } ?? false }.map(\.event)
        let refusable = Set(hostile.filter { $0.value != .free }.keys).union(illFormed)
        for (index, connection) in connections.enumerated() where !(hostile.isEmpty && refusable.isEmpty) {
            unreadable[index] = connection.sent.map(\.event).filter(refusable.contains)
            flawed[index] = connection.sent.map(\.event).filter { hostile[$0] == .free && byRequest[$0] != nil }
        }
        // The first ack has priority over a response or a read about a turn.
        for frame in history.received where frame.kind == .ack && frame.clientMessageId != nil {
            guard let turn = turnAcked(by: frame), turn.turnId == nil else { continue }
            bind(turn, turnId: frame.turnId, session: nil)
        }
        for turn in turns {
            for request in turn.requests { takeResponse(turn, request) }
        }
    }

    /// Handles the response to a request: if it names a turn, it reports that turn's outcome; else none started.
    private mutating func takeResponse(_ turn: ObservedTurn, _ request: ObservedRequest) {
        guard case .exchange(let index) = request.origin, let response = exchanges[index].response,
            let status = exchanges[index].status
        else { return }
        let answer = exchanges[index].answer?.root
        switch ChatOutcome(status: status, body: answer) {
        case .answered: request.success = response
        case .failed: request.failure = response
        case .refused:
            request.refusal = response
            request.refusalCode = answer?.string("code")
            return
        case .unknown: return
        }
        bind(turn, turnId: answer?.id("turnId"), session: answer?.id("sessionId"))
    }

    /// If different questions with one key were pending on several transports, moves the one that answers show to be
    /// accepted to the front; without answers, the choice is a guess.
    private func putAcceptedRequestsFirst() {
        for turn in turns where turn.requests.count > 1 {
            let first = turn.request
            let rivals = turn.requests.filter {
                $0.origin != first.origin && $0.differs(from: first) && $0.event < answer(to: first) ?? .max
            }
            guard !rivals.isEmpty, !isAnsweredAsFirst(first) else { continue }
            let unrefused = ([first] + rivals).filter { $0.refusal == nil }
            let accepted = rivals.first(where: isAnsweredAsFirst) ?? (unrefused.count == 1 ? unrefused[0] : nil)
            if let accepted {
                turn.requests = [accepted] + turn.requests.filter { $0 !== accepted }
            } else if turn.requests.allSatisfy({ $0.ack == nil && $0.outcome == nil }), !unrefused.isEmpty {
                turn.isGuessed = true
            }
        }
    }

    private func answer(to request: ObservedRequest) -> Int? {
        earliest(request.ack?.event, request.refusal, request.outcome)
    }

    private func isAnsweredAsFirst(_ request: ObservedRequest) -> Bool {
        if let ack = request.ack { return !ack.isDuplicate }
        guard request.success != nil, case .exchange(let index) = request.origin else { return false }
        return exchanges[index].answer?.root["duplicate"]?.boolValue != true
    }

    /// In a capture, sets aside the frames of turns whose first request may repeat an unseen one, because these turns'
    /// content and position are unreliable.
    private mutating func setAsideRepeats() {
        for (index, turn) in turns.enumerated() where turn.clientMessageId != nil {
            let answers = turn.requests.compactMap { request -> JSONValue? in
                guard request.success != nil, case .exchange(let index) = request.origin else { return nil }
                return exchanges[index].answer?.root
            }
            let isFirst =
                turn.acks.contains { !$0.isDuplicate } || answers.contains { $0["duplicate"]?.boolValue != true }
            guard !isFirst else { continue }
            let ended = turn.ended
            for request in turn.requests { (request.ack, request.success, request.failure) = (nil, nil, nil) }
            turns[index] = ObservedTurn(requests: turn.requests)
            (turns[index].isGuessed, turns[index].doubtfulEnd) = (turn.isGuessed, ended)
            turns[index].doubtfulFrames = turn.allFrames.sorted { $0.event < $1.event }
            turns[index].isFromBeforeCapture = !turn.acks.isEmpty || !turn.copies.isEmpty || !answers.isEmpty
        }
    }

    // MARK: Names

    private func principal(of frame: Frame) -> String { connections[frame.connection].principal }

    private func turn(withTheKeyOf frame: Frame) -> ObservedTurn? {
        let turn = frame.clientMessageId.flatMap { byKey[ScopedName($0, of: principal(of: frame))] }
        return turn.flatMap { turn in turn.requests.contains { $0.event < frame.event } ? turn : nil }
    }

    private func turn(withTheIdOf frame: Frame) -> ObservedTurn? {
        frame.turnId.flatMap { byTurnId[ScopedName($0, of: principal(of: frame))] }
    }

    private func owner(of frame: Frame) -> ObservedTurn? { turn(withTheIdOf: frame) ?? turn(withTheKeyOf: frame) }

    private mutating func learn(from read: ObservedSessionRead) {
        guard let principal = read.principal else { return }
        namedSessions.insert(ScopedName(read.sessionId, of: principal))
        let pairs =
            read.messages.map { ($0.turnId, $0.clientMessageId) } + read.turns.map { ($0.turnId, $0.clientMessageId) }
        for case (let turnId?, let key?) in pairs {
            guard let turn = byKey[ScopedName(key, of: principal)] else { continue }
            bind(turn, turnId: turnId, session: read.sessionId)
        }
    }

    /// Handles acks and refusals, and learns which turn id belongs to which key.
    private mutating func learnAndAnswer(from frame: Frame) {
        if frame.kind == .error {
            if let refused = requestRefused(by: frame) { return refuse(refused, by: frame) }
        } else if let session = frame.sessionId, case let name = ScopedName(session, of: principal(of: frame)),
            name != lastNamed
        {
            // Most frames name the same session as the one before.
            lastNamed = name
            namedSessions.insert(name)
        }
        if frame.kind == .ack {
            guard let turn = turnAcked(by: frame) else { return }
            turn.acks.append(frame)
            requestAcked(by: frame, of: turn)?.ack = frame
            return bind(turn, turnId: frame.turnId, session: frame.sessionId)
        }
        guard frame.clientMessageId != nil, frame.kind != .error || frame.turnId != nil, let turn = owner(of: frame)
        else { return }
        bind(turn, turnId: frame.turnId, session: frame.sessionId)
    }

    private mutating func bind(_ turn: ObservedTurn, turnId: String?, session: String?) {
        // Most frames of a turn repeat its ids.
        if let turnId, turn.turnId != turnId {
            let name = ScopedName(turnId, of: turn.principal)
            let known = byTurnId[name] ?? turn
            byTurnId[name] = known
            if turn.turnId == nil, known === turn { turn.turnId = turnId }
        }
        // One key may have run as two turns in different sessions.
        if turn.sessionId == nil, turnId == nil || turn.turnId == nil || turnId == turn.turnId {
            turn.sessionId = session
        }
    }

    // MARK: Answers to one request

    private func turnAcked(by ack: Frame) -> ObservedTurn? { turn(withTheKeyOf: ack) ?? turn(withTheIdOf: ack) }

    private func waiting(for frame: Frame, of turn: ObservedTurn) -> [ObservedRequest] {
        turn.requests.filter { request in
            request.connection == frame.connection && request.event < frame.event && request.ack == nil
                && request.refusal == nil
        }
    }

    private func requestAcked(by ack: Frame, of turn: ObservedTurn) -> ObservedRequest? {
        let all = waiting(for: ack, of: turn)
        let fitting = all.filter { $0.sessionAsked.map { $0 == ack.sessionId } ?? true }
        let waiting = fitting.isEmpty ? all : fitting
        guard let first = waiting.first, ack.isDuplicate, first === turn.original else { return waiting.first }
        // A repeat may be answered before the first request, unless its content differs.
        return waiting.dropFirst().first { !$0.differs(from: first) } ?? first
    }

    /// The question that an `error` refuses: the one with its key; without a key, the oldest that the server may have
    /// failed to read.
    private mutating func requestRefused(by error: Frame) -> ObservedRequest? {
        guard error.turnId == nil, !error.isDuplicate else { return nil }
        guard let key = error.clientMessageId else { return requestUnread(by: error) }
        guard let turn = byKey[ScopedName(key, of: principal(of: error))] else { return nil }
        let waiting = waiting(for: error, of: turn)
        let refused: ObservedRequest?
        switch error.code {
        case "idempotency_mismatch":
            let first = turn.original ?? turn.request
            refused = waiting.first { $0 !== first && $0.differs(from: first) }
        case "session_not_found":
            // A question without a session asks for a new one.
            let named = waiting.filter { $0.sessionAsked != nil }
            refused =
                named.first { !namedSessions.contains(ScopedName($0.sessionAsked ?? "", of: turn.principal)) }
                ?? named.last
        default: refused = nil
        }
        // A refused request is not a repeat, so it precedes the accepted one.
        return refused ?? waiting.first
    }

    private mutating func requestUnread(by error: Frame) -> ObservedRequest? {
        guard error.seq == nil, error.code.map(ErrorMeaning.failures.contains) != true else { return nil }
        if let event = unreadable[error.connection]?.first, event < error.event,
            byRequest[event] != nil || !ErrorMeaning.ofQuestions.contains(error.code ?? "")
        {
            unreadable[error.connection]?.removeFirst()
            return byRequest[event]
        }
        guard error.code.map(ErrorMeaning.general.contains) ?? true else { return nil }
        let asked = (flawed[error.connection] ?? []).compactMap { byRequest[$0] }
        return asked.first { $0.event < error.event && $0.ack == nil && $0.refusal == nil }
    }

    private mutating func refuse(_ request: ObservedRequest, by error: Frame) {
        unreadable[error.connection]?.removeAll { $0 == request.event }
        request.refusal = error.event
        request.refusalCode = error.code
        refusals.insert(error.event)
    }

    // MARK: Frames of turns

    private func assign(_ frame: Frame) {
        guard NumberedFrame.isInStream(frame.kind), !refusals.contains(frame.event), let turn = owner(of: frame)
        else { return }
        switch frame.kind {
        case .done, .error:
            if frame.isDuplicate {
                turn.copies.append(frame)
            } else if frame.kind == .error, frame.turnId == nil {
                let refuses = frame.code.map(Frame.refusalCodes.contains) ?? false
                if !refuses { turn.nameless.append(frame) }
            } else {
                turn.endings.append(frame)
            }
        // If a repeat is stored again, IDEM-1 judges it.
        case .message where isExtraMessage(frame, of: turn): break
        default: turn.frames.append(frame)
        }
    }

    /// Whether a later ack, without `duplicate`, named this message for the question.
    private func isExtraMessage(_ message: Frame, of turn: ObservedTurn) -> Bool {
        guard let first = turn.acks.first?.messageId, let id = message.messageId, id != first else { return false }
        return turn.requests.contains { $0.ack.map { !$0.isDuplicate && $0.messageId == id } ?? false }
    }
}
