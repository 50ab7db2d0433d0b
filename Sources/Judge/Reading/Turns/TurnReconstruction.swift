import Holdfast
import JSON
import Transcript

/// Puts the frames of a history to the questions they answer.
///
/// A frame belongs to a turn by `turnId`, else by `clientMessageId`, else by its session and by order: the oldest question
/// of that session which has not ended on this connection. Names are learnt in a first walk over the whole history, so that a
/// frame on a second device is known for what it is even when it overtakes the first device's. A frame that fits no
/// question of this history belongs to somebody else's turn and is left alone.
///
/// Order alone is a guess wherever a frame fits several questions that wait at once. It is made, so that the frames after it
/// find their place, and every turn it could have been about is marked (``guesses``): nothing is proved by a guess.
struct TurnReconstruction {
    let connections: [ObservedConnection]
    let exchanges: [ObservedExchange]
    let lives: SubjectLives
    let acksAreSent: Bool
    /// Whether other questions than those of this history may be answered in it: then only names tell what answers what.
    let isCapture: Bool
    var turns: [ObservedTurn] = []
    var names = TurnNames()
    private var suspects = ErrorQueue()
    /// Events that refused a request; whatever became of the question later, they ended no turn.
    var refusals: Set<Int> = []
    /// Turns whose answer was seen while names were learnt.
    private var answered: Set<Int> = []
    /// Turns that ended on a connection, by connection.
    var ended: [Int: Set<Int>] = [:]
    /// The event at which a turn first ended anywhere.
    var firstEnd: [Int: Int] = [:]
    /// Turns of a principal, in the order of asking.
    var byPrincipal: [String: [(turn: Int, event: Int)]] = [:]
    /// Turns that may still go on.
    var open = OpenTurns()
    /// The event at which a session was first seen, by principal and session.
    var sessionSeen: [TurnNames.Key: Int] = [:]
    /// Which turn's ack gave a question its message id, by principal and id.
    var acknowledged: [TurnNames.Key: Int] = [:]
    /// What was guessed: a frame without names could have been that of another turn.
    var guesses = Guesses()
    /// Turns between which a connection's frames were shared out by a guess: what is left for one of them is a guess as well.
    var taken: [Int: Set<Int>] = [:]
    /// Those of them that an ending was shared out between.
    var takenEnds: [Int: Set<Int>] = [:]
    /// Turns whose session is a guess.
    var guessedSession: Set<Int> = []
    /// Whose a frame surely is that several connections were shown.
    var shared: [SharedFrame: Int] = [:]

    /// The turns of a history by what its events say, and what was guessed of them.
    static func turns(
        in history: Observations, hostile: [Int: HostileFrame.Kind]
    ) -> (turns: [ObservedTurn], guesses: Guesses) {
        var reconstruction = TurnReconstruction(history)
        reconstruction.gatherRequests()
        for (index, turn) in reconstruction.turns.enumerated() {
            reconstruction.byPrincipal[turn.principal, default: []].append((index, turn.event))
        }
        reconstruction.suspects = ErrorQueue(
            hostile: hostile, turns: reconstruction.turns, connections: history.connections)
        reconstruction.takeResponses()
        for read in history.sessionReads { reconstruction.learn(from: read) }
        for frame in history.received { reconstruction.learnAndAnswer(from: frame) }
        for frame in history.received where frame.type == "message" { reconstruction.learnSession(from: frame) }
        for isFinal in [false, true] {
            reconstruction.forgetEndings()
            for frame in history.received { reconstruction.place(frame, final: isFinal) }
        }
        var live: [SharedFrame: Int] = [:]
        for (index, turn) in reconstruction.turns.enumerated() {
            for frame in turn.frames + turn.endings {
                guard let key = SharedFrame(numberOf: frame, of: turn.principal) else { continue }
                live[key] = live[key] ?? index
            }
        }
        for sync in history.syncs {
            for frame in sync.missed { reconstruction.placeReplayed(frame, live) }
        }
        if reconstruction.isCapture, reconstruction.acksAreSent { reconstruction.forgetRepeats() }
        return (reconstruction.turns, reconstruction.guesses)
    }

    private init(_ history: Observations) {
        connections = history.connections
        exchanges = history.exchanges
        lives = history.lives
        acksAreSent = history.profiles.contains(.idempotency)
        isCapture = history.isCapture
    }

    /// Leaves turns alone whose first request in a capture may be a repeat of one that nobody saw: then neither its words nor
    /// its place are those of the question.
    private mutating func forgetRepeats() {
        for (index, turn) in turns.enumerated() where turn.clientMessageId != nil {
            let answers = turn.requests.compactMap(\.success).compactMap { response in
                exchanges.first { $0.response == response }?.answer?.root
            }
            let isFirst =
                turn.acks.contains { !$0.isDuplicate } || answers.contains { $0["duplicate"]?.boolValue != true }
            guard !isFirst else { continue }
            var requests = turn.requests
            for place in requests.indices { requests[place].ack = nil }
            turns[index] = ObservedTurn(requests: requests)
        }
    }

    // MARK: Questions

    private mutating func gatherRequests() {
        var requests: [ObservedRequest] = []
        for (index, connection) in connections.enumerated() {
            for frame in connection.sent where frame.type == "chat" {
                requests += [
                    ObservedRequest(
                        frame.value, event: frame.event, origin: .connection(index), principal: connection.principal)
                ].compactMap { $0 }
            }
        }
        for (index, exchange) in exchanges.enumerated() where exchange.isChat {
            requests += [
                ObservedRequest(
                    exchange.body, event: exchange.request, origin: .exchange(index),
                    principal: exchange.sent.principal ?? "")
            ].compactMap { $0 }
        }
        for request in requests.sorted(by: { $0.event < $1.event }) {
            if acksAreSent, let key = request.clientMessageId, let turn = names.turns(request.principal, key: key).first
            {
                turns[turn].requests.append(request)
            } else {
                if let key = request.clientMessageId { names.add(turns.count, request.principal, key: key) }
                turns.append(ObservedTurn(requests: [request]))
            }
            if let session = request.sessionAsked { see(session, request.principal, at: request.event) }
        }
    }

    private mutating func takeResponses() {
        for turn in turns.indices {
            for request in turns[turn].requests.indices {
                guard case .exchange(let index) = turns[turn].requests[request].origin,
                    let response = exchanges[index].response, let status = exchanges[index].status
                else { continue }
                let answer = exchanges[index].answer?.root
                if (200...299).contains(status) {
                    turns[turn].requests[request].success = response
                    bind(turn, turnId: answer?["turnId"]?.stringValue, session: answer?["sessionId"]?.stringValue)
                } else {
                    let code = answer?["code"]?.stringValue
                    let turnId = answer?["turnId"]?.stringValue
                    let isRefusal = code.map(ErrorMeaning.refusals.contains) ?? (status < 500)
                    let isFailure = code.map(ErrorMeaning.failures.contains) == true
                    if turnId != nil || isFailure || status >= 500 && !isRefusal {
                        turns[turn].requests[request].failure = response
                        bind(turn, turnId: turnId, session: answer?["sessionId"]?.stringValue)
                    } else {
                        turns[turn].requests[request].refusal = response
                        turns[turn].requests[request].refusalCode = code
                    }
                }
            }
        }
    }

    // MARK: Names

    private mutating func learn(from read: ObservedSessionRead) {
        guard let principal = read.principal else { return }
        see(read.sessionId, principal, at: read.event)
        let pairs =
            read.messages.map { ($0.turnId, $0.clientMessageId) } + read.turns.map { ($0.turnId, $0.clientMessageId) }
        for case (let turnId?, let key?) in pairs {
            if let turn = names.turns(principal, key: key).first, names.turns(principal, key: key).count == 1 {
                bind(turn, turnId: turnId, session: read.sessionId)
            }
        }
    }

    /// Takes acks and refusals, and learns which turn id belongs to which key.
    private mutating func learnAndAnswer(from frame: Frame) {
        let principal = connections[frame.connection].principal
        switch frame.type {
        case "ack":
            guard let (turn, request) = requestAcked(by: frame) else { return }
            turns[turn].acks.append(frame)
            if let id = frame.messageId {
                let key = TurnNames.Key(principal: principal, name: id)
                acknowledged[key] = acknowledged[key] ?? turn
            }
            if let request { turns[turn].requests[request].ack = frame }
            bind(turn, turnId: frame.turnId, session: frame.sessionId)
        case "error":
            if let (turn, request) = requestRefused(by: frame) {
                suspects.remove(turns[turn].requests[request].event, on: frame.connection)
                turns[turn].requests[request].refusal = frame.event
                refusals.insert(frame.event)
                turns[turn].requests[request].refusalCode = frame.code
                return
            }
            fallthrough
        default:
            if let session = frame.sessionId, frame.type != "error" { see(session, principal, at: frame.event) }
            guard let key = frame.clientMessageId, let turn = turn(withKey: key, for: frame) else { return }
            if let turnId = frame.turnId {
                bind(turn, turnId: turnId, session: frame.sessionId)
            } else if frame.type == "done", !frame.isDuplicate {
                if hasRival(turn, at: frame.event) { bind(turn, turnId: nil, session: frame.sessionId) }
                answered.insert(turn)
            }
        }
    }

    /// Whether another question without a session waited at the same time: then only the answer, which names its question,
    /// tells which session is whose, and with it where earlier frames without any name of a turn belong.
    private func hasRival(_ turn: Int, at event: Int) -> Bool {
        turns.indices.contains { other in
            other != turn && turns[other].principal == turns[turn].principal && turns[other].sessionAsked == nil
                && turns[other].event < event && !answered.contains(other)
        }
    }

    mutating func bind(_ turn: Int, turnId: String?, session: String?, isSure: Bool = true) {
        let principal = turns[turn].principal
        if let turnId {
            if turns[turn].turnId == nil { turns[turn].turnId = turnId }
            names.add(turn, principal, turnId: turnId)
        }
        if let session {
            if turns[turn].sessionId == nil {
                turns[turn].sessionId = session
                if !isSure { guessedSession.insert(turn) }
            }
            if isSure { see(session, principal, at: turns[turn].event) }
        }
    }

    private mutating func see(_ session: String, _ principal: String, at event: Int) {
        let key = TurnNames.Key(principal: principal, name: session)
        sessionSeen[key] = min(sessionSeen[key] ?? event, event)
    }

    /// Learns from a question that is shown as it was stored, by the id that its ack gave it, which session it is in.
    private mutating func learnSession(from message: Frame) {
        let principal = connections[message.connection].principal
        guard let id = message.messageId, let turn = acknowledged[TurnNames.Key(principal: principal, name: id)] else {
            return
        }
        bind(turn, turnId: nil, session: message.sessionId)
    }

    // MARK: Answers to one request

    private func requestAcked(by ack: Frame) -> (turn: Int, request: Int?)? {
        let principal = connections[ack.connection].principal
        let byKey = ack.clientMessageId.flatMap { turn(withKey: $0, for: ack) }
        let byTurnId = ack.turnId.flatMap { names.turn(principal, turnId: $0) }
        if let turn = byKey ?? byTurnId {
            let request = turns[turn].requests.firstIndex {
                $0.connection == ack.connection && $0.event < ack.event && $0.ack == nil && $0.refusal == nil
            }
            return (turn, request)
        }
        guard !isCapture || connections[ack.connection].connected != nil else { return nil }
        // Without a key, or with one nobody chose, the ack answers the oldest question that waits for one.
        var fallback: (Int, Int)?
        for (index, turn) in turns.enumerated() {
            for (position, request) in turn.requests.enumerated() {
                guard request.connection == ack.connection, request.event < ack.event, request.ack == nil,
                    request.refusal == nil, request.sessionAsked == nil || request.sessionAsked == ack.sessionId
                else { continue }
                if request.clientMessageId == nil { return (index, position) }
                fallback = fallback ?? (index, position)
            }
        }
        return fallback
    }

    /// The question an `error` refuses: the one whose key it repeats, else the last thing the client said before it.
    private mutating func requestRefused(by error: Frame) -> (turn: Int, request: Int)? {
        guard error.turnId == nil else { return nil }
        var candidates: [(turn: Int, request: Int)] = []
        for (index, turn) in turns.enumerated() {
            for (position, request) in turn.requests.enumerated()
            where request.connection == error.connection && request.event < error.event && request.refusal == nil {
                guard request.ack == nil, !ErrorMeaning.endsTurn(error, acksAreSent: acksAreSent, wasAcked: false)
                else { continue }
                candidates.append((index, position))
            }
        }
        if let key = error.clientMessageId {
            return candidates.last { turns[$0.turn].clientMessageId == key }
        }
        // What was sent before the capture began may be what is refused, and an error without a code may end any turn.
        if isCapture, error.code == nil || connections[error.connection].connected == nil { return nil }
        // A server answers in the order in which it reads: the oldest message that it has to refuse comes first.
        if let event = suspects.next(for: error) {
            suspects.remove(event, on: error.connection)
            return candidates.first { turns[$0.turn].requests[$0.request].event == event }
        }
        // Some codes can only mean a question, whatever was said after it.
        switch error.code {
        case "idempotency_mismatch":
            let again = candidates.filter { $0.request > 0 }
            return again.first { isOther(turns[$0.turn].requests[$0.request], than: turns[$0.turn].request) }
                ?? again.last ?? candidates.last
        case "session_not_found", "busy":
            let named = candidates.filter { turns[$0.turn].requests[$0.request].sessionAsked != nil }
            return named.last { turns[$0.turn].requests[$0.request].sessionAsked == error.sessionId } ?? named.last
        case "rate_limited": return candidates.last
        default: break
        }
        let before = connections[error.connection].sent.last {
            $0.event < error.event && $0.type != "ping" && $0.type != "sync"
        }
        return candidates.last { turns[$0.turn].requests[$0.request].event == before?.event }
    }

    private func isOther(_ request: ObservedRequest, than first: ObservedRequest) -> Bool {
        request.content != first.content || request.sessionAsked != first.sessionAsked
    }
}
