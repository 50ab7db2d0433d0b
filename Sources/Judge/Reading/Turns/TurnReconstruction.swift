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
    private var byKey: [OwnName: Int] = [:]
    private var byTurnId: [OwnName: Int] = [:]
    /// The turn and index of each request, by event.
    private var places: [Int: (turn: Int, request: Int)] = [:]
    /// Messages that a server must refuse and may be unable to read, by connection in reading order.
    private var unreadable: [Int: [Int]] = [:]
    /// Questions that it may accept, or refuse without having read them.
    private var flawed: [Int: [Int]] = [:]
    /// Events that refused a request; they end no turn.
    private var refusals: Set<Int> = []
    /// Sessions that the server has named.
    private var namedSessions: Set<OwnName> = []
    private var guesses = Guesses()

    /// Groups the frames of a history into turns.
    /// - Parameters:
    ///   - history: The events and what follows directly from them.
    ///   - hostile: The messages that a server must not accept as they are, by event.
    ///   - inDoubt: The events of questions whose frames have guessed names.
    /// - Returns: The turns in order, and those without reliable evidence.
    static func turns(
        in history: Observations, hostile: [Int: HostileFrame.Kind], inDoubt: Set<Int>
    ) -> (turns: [ObservedTurn], guesses: Guesses) {
        var reconstruction = TurnReconstruction(history, hostile: hostile)
        for read in history.sessionReads { reconstruction.learn(from: read) }
        for frame in history.received { reconstruction.learnAndAnswer(from: frame) }
        reconstruction.putAcceptedRequestsFirst()
        for frame in history.received { reconstruction.place(frame) }
        for frame in history.syncs.flatMap(\.missed) {
            if let turn = reconstruction.owner(of: frame) { reconstruction.turns[turn].replayed.append(frame) }
        }
        if history.isCapture { reconstruction.forgetRepeats() }
        for (place, turn) in reconstruction.turns.enumerated()
        where turn.requests.contains(where: { inDoubt.contains($0.event) }) {
            reconstruction.guesses.doubt(place)
        }
        return reconstruction.inOrder
    }

    /// The turns in order, and the guesses about them.
    private var inOrder: (turns: [ObservedTurn], guesses: Guesses) {
        let order = turns.indices.sorted { (turns[$0].event, $0) < (turns[$1].event, $1) }
        guard order != Array(turns.indices) else { return (turns, guesses) }
        var moved = Guesses()
        for (new, old) in order.enumerated() where guesses.turns.contains(old) { moved.doubt(new) }
        return (order.map { turns[$0] }, moved)
    }

    // MARK: Questions

    /// Collects the questions, and handles the responses to those over REST.
    private init(_ history: Observations, hostile: [Int: HostileFrame.Kind]) {
        connections = history.connections
        exchanges = history.exchanges
        let requests = ObservedRequest.all(on: connections, in: exchanges, isCapture: history.isCapture)
        turns.reserveCapacity(requests.count)
        byKey.reserveCapacity(requests.count)
        for request in requests {
            let key = request.clientMessageId.map { OwnName($0, of: request.principal) }
            if let key, let turn = byKey[key] {
                places[request.event] = (turn, turns[turn].requests.count)
                turns[turn].requests.append(request)
            } else {
                if let key { byKey[key] = turns.count }
                places[request.event] = (turns.count, 0)
                turns.append(ObservedTurn(requests: [request]))
            }
        }
        let illFormed = requests.filter { $0.sessionAsked.map { !isSessionID($0) } ?? false }.map(\.event)
        let refusable = Set(hostile.filter { $0.value != .free }.keys).union(illFormed)
        for (index, connection) in connections.enumerated() where !(hostile.isEmpty && refusable.isEmpty) {
            unreadable[index] = connection.sent.map(\.event).filter(refusable.contains)
            flawed[index] = connection.sent.map(\.event).filter { hostile[$0] == .free && places[$0] != nil }
        }
        // The first ack outweighs what a response or a read says about a turn.
        for frame in history.received where frame.type == "ack" && frame.clientMessageId != nil {
            guard let turn = turnAcked(by: frame), turns[turn].turnId == nil else { continue }
            bind(turn, turnId: frame.turnId, session: nil)
        }
        for turn in turns.indices {
            for position in turns[turn].requests.indices { takeResponse(turn, position) }
        }
    }

    /// Handles the response to a request: if it names a turn, it reports its outcome; otherwise no turn started.
    private mutating func takeResponse(_ turn: Int, _ position: Int) {
        guard case .exchange(let index) = turns[turn].requests[position].origin,
            let response = exchanges[index].response, let status = exchanges[index].status
        else { return }
        let answer = exchanges[index].answer?.root
        switch ChatOutcome(status: status, body: answer) {
        case .answered: turns[turn].requests[position].success = response
        case .failed: turns[turn].requests[position].failure = response
        case .refused:
            turns[turn].requests[position].refusal = response
            turns[turn].requests[position].refusalCode = answer?.string("code")
            return
        case .unknown: return
        }
        bind(turn, turnId: answer?.id("turnId"), session: answer?.id("sessionId"))
    }

    /// If different questions with one key were pending on several transports, moves the one that answers show to be
    /// accepted to the front; without answers, the choice is a guess.
    private mutating func putAcceptedRequestsFirst() {
        for turn in turns.indices where turns[turn].requests.count > 1 {
            let requests = turns[turn].requests
            let first = requests[0]
            let rivals = requests.filter {
                $0.origin != first.origin && $0.asksOther(than: first) && $0.event < answer(to: first) ?? .max
            }
            guard !rivals.isEmpty, !isAnsweredAsFirst(first) else { continue }
            let left = ([first] + rivals).filter { $0.refusal == nil }
            let taken = rivals.first(where: isAnsweredAsFirst) ?? (left.count == 1 ? left[0] : nil)
            if let place = requests.firstIndex(where: { $0.event == taken?.event }) {
                turns[turn].requests.insert(turns[turn].requests.remove(at: place), at: 0)
            } else if requests.allSatisfy({ $0.ack == nil && $0.outcome == nil }), !left.isEmpty {
                guesses.doubt(turn)
            }
        }
    }

    private func answer(to request: ObservedRequest) -> Int? {
        [request.ack?.event, request.refusal, request.outcome].compactMap(\.self).min()
    }

    /// Whether a request was answered as the first with its key.
    private func isAnsweredAsFirst(_ request: ObservedRequest) -> Bool {
        if let ack = request.ack { return !ack.isDuplicate }
        guard request.success != nil, case .exchange(let index) = request.origin else { return false }
        return exchanges[index].answer?.root["duplicate"]?.boolValue != true
    }

    /// Drops turns whose first request in a capture may repeat an unseen one, because its content and position are then
    /// unreliable.
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
            turns[index].setAside = (turn.acks + turn.frames + turn.endings + turn.copies + turn.replayed)
                .sorted { $0.event < $1.event }
            turns[index].isOfBefore = !turn.acks.isEmpty || !turn.copies.isEmpty || !answers.isEmpty
        }
    }

    // MARK: Names

    private func principal(of frame: Frame) -> String { connections[frame.connection].principal }

    /// The turn that a frame names, by its id or by the key of an earlier question.
    private func owner(of frame: Frame) -> Int? {
        if let turnId = frame.turnId, let turn = byTurnId[OwnName(turnId, of: principal(of: frame))] { return turn }
        guard let key = frame.clientMessageId, let turn = byKey[OwnName(key, of: principal(of: frame))],
            turns[turn].requests.contains(where: { $0.event < frame.event })
        else { return nil }
        return turn
    }

    private mutating func learn(from read: ObservedSessionRead) {
        guard let principal = read.principal else { return }
        namedSessions.insert(OwnName(read.sessionId, of: principal))
        let pairs =
            read.messages.map { ($0.turnId, $0.clientMessageId) } + read.turns.map { ($0.turnId, $0.clientMessageId) }
        for case (let turnId?, let key?) in pairs {
            guard let turn = byKey[OwnName(key, of: principal)] else { continue }
            bind(turn, turnId: turnId, session: read.sessionId)
        }
    }

    /// Handles acks and refusals, and learns which turn id belongs to which key.
    private mutating func learnAndAnswer(from frame: Frame) {
        if frame.type == "error" {
            if let place = requestRefused(by: frame) { return refuse(place, by: frame) }
        } else if let session = frame.sessionId {
            namedSessions.insert(OwnName(session, of: principal(of: frame)))
        }
        if frame.type == "ack" {
            guard let turn = turnAcked(by: frame) else { return }
            turns[turn].acks.append(frame)
            if let request = requestAcked(by: frame, of: turn) { turns[turn].requests[request].ack = frame }
            return bind(turn, turnId: frame.turnId, session: frame.sessionId)
        }
        guard frame.clientMessageId != nil, frame.type != "error" || frame.turnId != nil, let turn = owner(of: frame)
        else { return }
        bind(turn, turnId: frame.turnId, session: frame.sessionId)
    }

    private mutating func bind(_ turn: Int, turnId: String?, session: String?) {
        let principal = turns[turn].principal
        // Most frames of a turn repeat its names.
        if let turnId, turns[turn].turnId != turnId {
            let name = OwnName(turnId, of: principal)
            if byTurnId[name] == nil { byTurnId[name] = turn }
            if turns[turn].turnId == nil, byTurnId[name] == turn { turns[turn].turnId = turnId }
        }
        // One key may have run as two turns in different sessions.
        let (named, known) = (turnId, turns[turn].turnId)
        guard let session, turns[turn].sessionId == nil, named == nil || known == nil || named == known else { return }
        turns[turn].sessionId = session
    }

    // MARK: Answers to one request

    private func turnAcked(by ack: Frame) -> Int? {
        let principal = principal(of: ack)
        if let key = ack.clientMessageId, let turn = byKey[OwnName(key, of: principal)],
            turns[turn].requests.contains(where: { $0.event < ack.event })
        {
            return turn
        }
        return ack.turnId.flatMap { byTurnId[OwnName($0, of: principal)] }
    }

    /// The turn's unanswered requests before a frame on its connection.
    private func waiting(for frame: Frame, of turn: Int) -> [Int] {
        turns[turn].requests.indices.filter { place in
            let request = turns[turn].requests[place]
            return request.connection == frame.connection && request.event < frame.event && request.ack == nil
                && request.refusal == nil
        }
    }

    private func requestAcked(by ack: Frame, of turn: Int) -> Int? {
        let requests = turns[turn].requests
        let all = waiting(for: ack, of: turn)
        let fitting = all.filter { requests[$0].sessionAsked.map { $0 == ack.sessionId } ?? true }
        let waiting = fitting.isEmpty ? all : fitting
        guard let first = waiting.first, ack.isDuplicate, first == requests.startIndex else { return waiting.first }
        // A repeat may be answered before the first request, unless its content differs.
        return waiting.dropFirst().first { !requests[$0].asksOther(than: requests[first]) } ?? first
    }

    /// The question that an `error` refuses: the one with its key; without a key, the oldest that the server may have
    /// failed to read.
    private mutating func requestRefused(by error: Frame) -> (turn: Int, request: Int)? {
        guard error.turnId == nil, !error.isDuplicate else { return nil }
        guard let key = error.clientMessageId else { return requestUnread(by: error) }
        guard let turn = byKey[OwnName(key, of: principal(of: error))] else { return nil }
        let requests = turns[turn].requests
        let waiting = waiting(for: error, of: turn)
        let meant: Int?
        switch error.code {
        case "idempotency_mismatch":
            let first = requests.firstIndex { $0.refusal == nil } ?? 0
            meant = waiting.first { $0 > first && requests[$0].asksOther(than: requests[first]) }
        case "session_not_found":
            // A question without a session asks for a new one.
            meant =
                waiting.first { place in
                    requests[place].sessionAsked.map { !namedSessions.contains(OwnName($0, of: principal(of: error))) }
                        ?? false
                } ?? waiting.last { requests[$0].sessionAsked != nil }
        default: meant = nil
        }
        // A refused request is not a repeat, so it precedes the accepted one.
        return (meant ?? waiting.first).map { (turn, $0) }
    }

    private mutating func requestUnread(by error: Frame) -> (turn: Int, request: Int)? {
        guard error.seq == nil, error.code.map(ErrorMeaning.failures.contains) != true else { return nil }
        func request(_ event: Int) -> ObservedRequest? { places[event].map { turns[$0.turn].requests[$0.request] } }
        if let event = unreadable[error.connection]?.first, event < error.event,
            request(event) != nil || !ErrorMeaning.ofQuestions.contains(error.code ?? "")
        {
            unreadable[error.connection]?.removeFirst()
            return places[event]
        }
        guard error.code.map(ErrorMeaning.formal.contains) ?? true else { return nil }
        let event = flawed[error.connection]?.first { event in
            event < error.event && request(event).map { $0.ack == nil && $0.refusal == nil } ?? false
        }
        return event.flatMap { places[$0] }
    }

    private mutating func refuse(_ place: (turn: Int, request: Int), by error: Frame) {
        let event = turns[place.turn].requests[place.request].event
        unreadable[error.connection]?.removeAll { $0 == event }
        turns[place.turn].requests[place.request].refusal = error.event
        turns[place.turn].requests[place.request].refusalCode = error.code
        refusals.insert(error.event)
    }

    // MARK: Frames of turns

    private mutating func place(_ frame: Frame) {
        guard let type = frame.type, NumberedFrame.isOfStream(type), !refusals.contains(frame.event),
            let turn = owner(of: frame)
        else { return }
        switch type {
        case "done", "error":
            if frame.isDuplicate {
                turns[turn].copies.append(frame)
            } else if type == "error", frame.turnId == nil {
                let refuses = frame.code.map(ErrorMeaning.refusals.contains) ?? false
                if !refuses { turns[turn].nameless.append(frame) }
            } else {
                turns[turn].endings.append(frame)
            }
        // If a repeat is stored again, IDEM-1 judges it.
        case "message" where isFurther(frame, of: turn): break
        default: turns[turn].frames.append(frame)
        }
    }

    /// Whether a later ack, without `duplicate`, named this message for the question.
    private func isFurther(_ message: Frame, of turn: Int) -> Bool {
        guard turns[turn].requests.count > 1, let first = turns[turn].acks.first?.messageId,
            let id = message.messageId, id != first
        else { return false }
        return turns[turn].requests.contains { $0.ack.map { !$0.isDuplicate && $0.messageId == id } ?? false }
    }
}
