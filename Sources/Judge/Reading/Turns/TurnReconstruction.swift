import Holdfast
import HoldfastJSON
import HoldfastTranscript

/// Puts the frames of a history to the questions they answer.
///
/// A frame belongs to a turn by `turnId`, else by `clientMessageId`, else by its session and by order; where order is a guess,
/// the turns it could have been about are marked (``guesses``). The page *How turns are reconstructed* tells all of it.
struct TurnReconstruction {
    let connections: [ObservedConnection]
    let exchanges: [ObservedExchange]
    let lives: SubjectLives
    let acksAreSent: Bool
    /// Whether other questions than those of this history may be answered in it: then only names tell what answers what.
    let isCapture: Bool
    var turns: [ObservedTurn]
    /// Turns of a principal, in the order of asking.
    var byPrincipal: [String: [(turn: Int, event: Int)]] = [:]
    private var byTurnId: [OwnName: Int] = [:]
    private var byKey: [OwnName: [Int]] = [:]
    private var suspects = ErrorQueue()
    /// Events that refused a request; whatever became of the question later, they ended no turn.
    var refusals: Set<Int> = []
    /// Requests that an error refuses unless it ends their turn, by the event of the error: it names nothing, and a tool was
    /// used before it.
    var refusedOrEnded: [Int: (turn: Int, request: Int)] = [:]
    /// The turns that such errors end, by the event of the error.
    var ends: [Int: Int] = [:]
    /// Turns whose answer was seen while names were learnt.
    private var answered: Set<Int> = []
    /// Sessions that the server has named.
    private var told: Set<OwnName> = []
    /// The session that was last told on each connection: most frames name it again.
    private var lastSessions: [Int: String] = [:]
    /// The event at which a session was first seen.
    var sessionSeen: [OwnName: Int] = [:]
    /// Which turn's ack gave a question its message id.
    var acknowledged: [OwnName: Int] = [:]
    /// Turns that stand for a further run of another one while frames are placed, with the turn that they repeat.
    private var furtherRuns: [Int: Int] = [:]
    /// The event that first showed on a connection that a turn was taken on: its ack, or its question by the id in the ack.
    var signs: [Int: [Int: Int]] = [:]
    var ended: [Int: Set<Int>] = [:]
    var firstEnd: [Int: Int] = [:]
    var open = OpenTurns()
    /// What was guessed: a frame without names could have been that of another turn.
    var guesses = Guesses()
    /// Turns between which a connection's frames were shared out by a guess: what is left for one of them is a guess as well.
    var taken: [Int: Set<Int>] = [:]
    /// Those of them that an ending was shared out between.
    var takenEnds: [Int: Set<Int>] = [:]
    var guessedSession: Set<Int> = []
    /// The turns that tools were used after, by the names of those uses.
    var late: [OwnName: Int] = [:]
    /// Whose a frame surely is that several connections were shown, and where it was put first.
    var shared: [SharedFrame: Int] = [:]
    var placed: [SharedFrame: Int] = [:]

    /// The turns of a history by what its events say, and what was guessed of them.
    static func turns(
        in history: Observations, hostile: [Int: HostileFrame.Kind]
    ) -> (turns: [ObservedTurn], guesses: Guesses) {
        var reconstruction = TurnReconstruction(history, hostile: hostile)
        for read in history.sessionReads { reconstruction.learn(from: read) }
        for frame in history.received { reconstruction.learnAndAnswer(from: frame) }
        reconstruction.beginWithWhatWasTaken()
        reconstruction.setFurtherRunsApart()
        for frame in history.received { reconstruction.learnSign(from: frame) }
        // In a capture names alone tell, and a first round teaches nothing.
        for isFinal in reconstruction.isCapture ? [true] : [false, true] {
            reconstruction.forgetEndings()
            for frame in history.received { reconstruction.place(frame, final: isFinal) }
        }
        reconstruction.placeReplayed(history.syncs.flatMap(\.missed))
        if reconstruction.isCapture, reconstruction.acksAreSent { reconstruction.forgetRepeats() }
        return reconstruction.inOrder
    }

    /// The turns in the order of asking, and what was guessed of them.
    private var inOrder: (turns: [ObservedTurn], guesses: Guesses) {
        let places = turns.indices.filter { furtherRuns[$0] == nil }
            .sorted { (turns[$0].event, $0) < (turns[$1].event, $1) }
        guard places != Array(turns.indices) else { return (turns, guesses) }
        var all = turns
        for (run, turn) in furtherRuns.sorted(by: { $0.key < $1.key }) {
            all[turn].furtherMessages += turns[run].frames
        }
        var moved: [Int: Int] = [:]
        for (new, old) in places.enumerated() { moved[old] = new }
        return (places.map { all[$0] }, guesses.moved { moved[$0] })
    }

    // MARK: Questions

    /// Gathers the questions, and takes the responses to those that came over REST.
    private init(_ history: Observations, hostile: [Int: HostileFrame.Kind]) {
        connections = history.connections
        exchanges = history.exchanges
        lives = history.lives
        acksAreSent = history.profiles.contains(.idempotency)
        isCapture = history.isCapture
        turns = []
        let requests = ObservedRequest.all(on: connections, in: exchanges)
        turns.reserveCapacity(requests.count)
        byKey.reserveCapacity(requests.count)
        for request in requests {
            let key = request.clientMessageId.map { OwnName($0, of: request.principal) }
            if acksAreSent, let key, let turn = byKey[key]?.first {
                turns[turn].requests.append(request)
            } else {
                if let key { byKey[key, default: []].append(turns.count) }
                byPrincipal[request.principal, default: []].append((turns.count, request.event))
                turns.append(ObservedTurn(requests: [request]))
            }
            if let session = request.sessionAsked { see(session, request.principal, at: request.event) }
        }
        suspects = ErrorQueue(hostile: hostile, turns: turns, connections: connections)
        for turn in turns.indices {
            for position in turns[turn].requests.indices { takeResponse(turn, position) }
        }
    }

    private mutating func takeResponse(_ turn: Int, _ position: Int) {
        guard case .exchange(let index) = turns[turn].requests[position].origin,
            let response = exchanges[index].response, let status = exchanges[index].status
        else { return }
        let answer = exchanges[index].answer?.root
        let (turnId, code) = (answer?.id("turnId"), answer?.string("code"))
        // Where turns are named, one that is not has not begun.
        let isUnstored = acksAreSent && code == "persist_failed" && turnId == nil
        let isRefusal = isUnstored || code.map(ErrorMeaning.refusals.contains) ?? (status < 500)
        if (200...299).contains(status) {
            turns[turn].requests[position].success = response
        } else if turnId != nil || code.map(ErrorMeaning.failures.contains) == true || status >= 500 && !isRefusal {
            turns[turn].requests[position].failure = response
        } else {
            turns[turn].requests[position].refusal = response
            turns[turn].requests[position].refusalCode = code
            return
        }
        bind(turn, turnId: turnId, session: answer?.id("sessionId"))
    }

    /// Puts first, of different questions that were under way on several transports at one moment under one key, the one that the
    /// answers show to have been taken; where nothing was answered, which it was is a guess.
    private mutating func beginWithWhatWasTaken() {
        for turn in turns.indices where turns[turn].requests.count > 1 {
            let requests = turns[turn].requests
            let first = requests[0]
            let rivals = requests.filter {
                $0.origin != first.origin && $0.asksOther(than: first) && $0.event < answer(to: first) ?? .max
            }
            guard !rivals.isEmpty, !isTaken(first) else { continue }
            let left = ([first] + rivals).filter { $0.refusal == nil }
            let taken = rivals.first(where: isTaken) ?? (left.count == 1 ? left[0] : nil)
            if let place = requests.firstIndex(where: { $0.event == taken?.event }) {
                turns[turn].requests.insert(turns[turn].requests.remove(at: place), at: 0)
            } else if requests.allSatisfy({ $0.ack == nil && $0.outcome == nil }), !left.isEmpty {
                guesses.doubt([turn])
            }
        }
    }

    /// Gives each further run of a key a turn of its own while frames are placed, so that its frames are no other turn's.
    ///
    /// An ack tells of one that calls its question no duplicate and names another message than the first ack of the key.
    private mutating func setFurtherRunsApart() {
        for turn in turns.indices where turns[turn].requests.count > 1 {
            var known = Set(turns[turn].acks.first.flatMap(\.messageId).map { [$0] } ?? [])
            guard !known.isEmpty else { continue }
            for request in turns[turn].requests {
                guard let ack = request.ack, !ack.isDuplicate, let id = ack.messageId, known.insert(id).inserted else {
                    continue
                }
                let run = turns.count
                var again = ObservedTurn(requests: [request])
                again.acks = [ack]
                turns.append(again)
                furtherRuns[run] = turn
                acknowledged[OwnName(id, of: request.principal)] = run
                let all = byPrincipal[request.principal] ?? []
                byPrincipal[request.principal]?.insert(
                    (run, request.event), at: all.boundary { $0.event >= request.event })
            }
        }
    }

    /// The turn that a further run repeats; any other turn itself.
    func question(of turn: Int) -> Int { furtherRuns[turn] ?? turn }

    private func answer(to request: ObservedRequest) -> Int? {
        [request.ack?.event, request.refusal, request.outcome].compactMap(\.self).min()
    }

    /// Whether a request was answered as the first with its key.
    private func isTaken(_ request: ObservedRequest) -> Bool {
        if let ack = request.ack { return !ack.isDuplicate }
        guard request.success != nil, case .exchange(let index) = request.origin else { return false }
        return exchanges[index].answer?.root["duplicate"]?.boolValue != true
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

    // MARK: Names

    func turn(_ principal: String, turnId: String) -> Int? { byTurnId[OwnName(turnId, of: principal)] }

    func turns(_ principal: String, key: String) -> [Int] { byKey[OwnName(key, of: principal)] ?? [] }

    func turn(withKey key: String, for frame: Frame) -> Int? {
        let named = turns(principal(of: frame), key: key)
        if named.count == 1 { return turns[named[0]].event < frame.event ? named[0] : nil }
        let asked = named.filter { turns[$0].event < frame.event }
        // What was refused is answered no more: the same key sent again, where keys are not kept, is a question of its own.
        let standing = asked.filter { turns[$0].requests.contains { $0.refusal ?? .max > frame.event } }
        let candidates = standing.isEmpty ? asked : standing
        return candidates.first { ended[frame.connection]?.contains($0) != true } ?? candidates.last
    }

    func principal(of frame: Frame) -> String { connections[frame.connection].principal }

    private func isTold(_ session: String, to principal: String) -> Bool {
        told.contains(OwnName(session, of: principal))
    }

    private mutating func learn(from read: ObservedSessionRead) {
        guard let principal = read.principal else { return }
        told.insert(OwnName(read.sessionId, of: principal))
        see(read.sessionId, principal, at: read.event)
        let pairs =
            read.messages.map { ($0.turnId, $0.clientMessageId) } + read.turns.map { ($0.turnId, $0.clientMessageId) }
        for case (let turnId?, let key?) in pairs {
            let named = turns(principal, key: key)
            if named.count == 1 { bind(named[0], turnId: turnId, session: read.sessionId) }
        }
    }

    /// Takes acks and refusals, and learns which turn id belongs to which key.
    private mutating func learnAndAnswer(from frame: Frame) {
        let principal = principal(of: frame)
        if frame.type == "ack" {
            guard let (turn, request) = requestAcked(by: frame) else { return }
            turns[turn].acks.append(frame)
            if let id = frame.messageId {
                let name = OwnName(id, of: principal)
                acknowledged[name] = acknowledged[name] ?? turn
            }
            if let request { turns[turn].requests[request].ack = frame }
            return bind(turn, turnId: frame.turnId, session: frame.sessionId)
        }
        if frame.type == "error", let (turn, request) = requestRefused(by: frame) {
            suspects.remove(turns[turn].requests[request].event, on: frame.connection)
            if mayEnd(turn, request, frame) { refusedOrEnded[frame.event] = (turn, request) }
            return refuse(turn, request, by: frame)
        }
        if let session = frame.sessionId, frame.type != "error", lastSessions[frame.connection] != session {
            lastSessions[frame.connection] = session
            told.insert(OwnName(session, of: principal))
            see(session, principal, at: frame.event)
        }
        guard let key = frame.clientMessageId, let turn = turn(withKey: key, for: frame) else { return }
        if let turnId = frame.turnId {
            bind(turn, turnId: turnId, session: frame.sessionId)
        } else if frame.type == "done", !frame.isDuplicate {
            if hasRival(turn, at: frame.event) { bind(turn, turnId: nil, session: frame.sessionId) }
            answered.insert(turn)
        }
    }

    private mutating func refuse(_ turn: Int, _ request: Int, by error: Frame) {
        turns[turn].requests[request].refusal = error.event
        turns[turn].requests[request].refusalCode = error.code
        refusals.insert(error.event)
    }

    /// Whether an error without any name that seems to refuse a request may end its turn: where no acks are sent, a tool that
    /// was used after it shows that a turn ran.
    private func mayEnd(_ turn: Int, _ request: Int, _ error: Frame) -> Bool {
        guard !acksAreSent, !isCapture, error.clientMessageId == nil,
            error.code.map(ErrorMeaning.refusals.contains) != true, !suspects.wait(for: error)
        else { return false }
        let asked = turns[turn].requests[request].event
        return connections[error.connection].received.contains {
            $0.type == "toolUse" && $0.event > asked && $0.event < error.event
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
        // Most frames of a turn repeat its names.
        if let turnId, turns[turn].turnId != turnId {
            let name = OwnName(turnId, of: principal)
            if turns[turn].turnId == nil { turns[turn].turnId = turnId }
            if byTurnId[name] == nil { byTurnId[name] = turn }
        }
        guard let session, turns[turn].sessionId != session || guessedSession.contains(turn) else { return }
        told.insert(OwnName(session, of: principal))
        if turns[turn].sessionId == nil {
            turns[turn].sessionId = session
            if !isSure { guessedSession.insert(turn) }
        }
        if isSure { see(session, principal, at: turns[turn].event) }
    }

    private mutating func see(_ session: String, _ principal: String, at event: Int) {
        let first = { (known: inout Int) in known = min(known, event) }
        first(&sessionSeen[OwnName(session, of: principal), default: event])
    }

    /// Learns from an ack, or from a question that is shown by the id that its ack gave it, that its turn was taken on; from
    /// the question also in which session.
    ///
    /// No ack names a question over REST; its words do.
    private mutating func learnSign(from frame: Frame) {
        guard frame.type == "message" || !isCapture && frame.type == "ack", let id = frame.messageId else { return }
        guard let turn = acknowledged[OwnName(id, of: principal(of: frame))] else {
            if let turn = questionOverREST(shownBy: frame), signs[frame.connection]?[turn] == nil {
                signs[frame.connection, default: [:]][turn] = frame.event
            }
            return
        }
        if signs[frame.connection]?[turn] == nil { signs[frame.connection, default: [:]][turn] = frame.event }
        if frame.type == "message" { bind(turn, turnId: nil, session: frame.sessionId) }
    }

    /// The only question over REST with the words of a `message` that names neither turn nor key; nil when there are more.
    private func questionOverREST(shownBy frame: Frame) -> Int? {
        guard !isCapture, frame.type == "message", frame.string("role") == "user", frame.turnId == nil,
            frame.clientMessageId == nil, let text = frame.text
        else { return nil }
        let same = (byPrincipal[principal(of: frame)] ?? []).map(\.turn).filter { index in
            let turn = turns[index]
            return turn.event < frame.event && turn.requests.allSatisfy { $0.connection == nil }
                && turn.session.map { $0 == frame.sessionId } ?? true && exactlyEqual(turn.request.prompt, text)
        }
        return same.count == 1 ? same[0] : nil
    }

    // MARK: Answers to one request

    /// The requests sent on the connection of a frame before it and not refused yet, in the order of their turns.
    private func waiting(for frame: Frame) -> [(turn: Int, request: Int)] {
        turns.indices.flatMap { index in
            turns[index].requests.indices.filter { position in
                let request = turns[index].requests[position]
                return request.connection == frame.connection && request.event < frame.event && request.ack == nil
                    && request.refusal == nil
            }.map { (index, $0) }
        }
    }

    private func requestAcked(by ack: Frame) -> (turn: Int, request: Int?)? {
        let byKey = ack.clientMessageId.flatMap { turn(withKey: $0, for: ack) }
        if let turn = byKey ?? ack.turnId.flatMap({ turn(principal(of: ack), turnId: $0) }) {
            let requests = turns[turn].requests
            let waiting = requests.indices.filter { place in
                let request = requests[place]
                return request.connection == ack.connection && request.event < ack.event && request.ack == nil
                    && request.refusal == nil
            }
            guard let first = waiting.first, ack.isDuplicate, first == requests.startIndex else {
                return (turn, waiting.first)
            }
            // The repeat may be answered before the first; what asks something else is no repeat.
            return (turn, waiting.dropFirst().first { !requests[$0].asksOther(than: requests[first]) } ?? first)
        }
        guard !isCapture || connections[ack.connection].connected != nil else { return nil }
        // Without a key, or with one nobody chose, the ack answers the oldest question that waits for one.
        let fitting = waiting(for: ack).filter {
            let asked = turns[$0.turn].requests[$0.request].sessionAsked
            return asked == nil || asked == ack.sessionId
        }
        let keyless = fitting.first { turns[$0.turn].requests[$0.request].clientMessageId == nil }
        return (keyless ?? fitting.first).map { ($0.turn, $0.request) }
    }

    /// The question an `error` refuses: the one whose key it repeats, else the last thing the client said before it.
    private mutating func requestRefused(by error: Frame) -> (turn: Int, request: Int)? {
        guard error.turnId == nil else { return nil }
        let endsTurn = ErrorMeaning.endsTurn(error, acksAreSent: acksAreSent, wasAcked: false)
        let candidates = endsTurn ? [] : waiting(for: error)
        func request(_ candidate: (turn: Int, request: Int)) -> ObservedRequest {
            turns[candidate.turn].requests[candidate.request]
        }
        /// Whether a request asks something else than the first one with its key that was not refused.
        func isOther(_ candidate: (turn: Int, request: Int)) -> Bool {
            let requests = turns[candidate.turn].requests
            guard let first = requests.firstIndex(where: { $0.refusal == nil }) else { return false }
            return candidate.request > first && request(candidate).asksOther(than: requests[first])
        }
        if let key = error.clientMessageId {
            let named = candidates.filter { turns[$0.turn].clientMessageId == key }
            let meant =
                switch error.code {
                case "idempotency_mismatch": named.first(where: isOther)
                // Who names no session asks for a new one.
                case "session_not_found":
                    named.first { request($0).sessionAsked.map { !isTold($0, to: principal(of: error)) } ?? false }
                        ?? named.last { request($0).sessionAsked != nil }
                default: nil as (turn: Int, request: Int)?
                }
            // Where keys are not kept, each question with one is of its own, and the newest is the likeliest.
            if !acksAreSent, named.count > 1 {
                guesses.doubt(named.map(\.turn))
                return named.last
            }
            // What is refused is no repeat, so that it comes before the one that was taken.
            return meant ?? named.first
        }
        // What was sent before the capture began may be what is refused, and an error without a code may end any turn.
        if isCapture, error.code == nil || connections[error.connection].connected == nil { return nil }
        // A server answers in the order in which it reads: the oldest message that it has to refuse comes first.
        if let event = suspects.next(for: error) {
            suspects.remove(event, on: error.connection)
            return candidates.first { request($0).event == event }
        }
        // So does one whose form it may refuse, before one that is sound.
        if let flawed = candidates.first(where: { suspects.mayRefuse(request($0).event, error) }) { return flawed }
        // Some codes can only mean a question, whatever was said after it.
        switch error.code {
        case "idempotency_mismatch":
            return candidates.first(where: isOther) ?? candidates.last { $0.request > 0 } ?? candidates.last
        case "session_not_found", "busy":
            let named = candidates.filter { request($0).sessionAsked != nil }
            return named.last { request($0).sessionAsked == error.sessionId } ?? named.last
        case "rate_limited": return candidates.last
        default: if suspects.mayBeFree(error) { return nil }
        }
        let before = connections[error.connection].sent.last {
            $0.event < error.event && $0.type != "ping" && $0.type != "sync"
        }
        return candidates.last { request($0).event == before?.event }
    }
}
