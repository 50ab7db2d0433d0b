import Holdfast
import HoldfastJSON
import HoldfastTranscript

/// One request with a key that the server had accepted before.
struct Repeat: HasEvent {
    let turn: ObservedTurn
    let request: ObservedRequest
    /// Whether its content or session differs from the first: a mismatch, not a repeat.
    let isMismatch: Bool

    /// Whether an ack without `duplicate` still identifies it as a repeat: the ack has the first message's id, and no
    /// later ending without `duplicate` may be the copy.
    func isKnown(by ack: Frame, on connection: Int) -> Bool {
        guard let id = ack.messageId else { return false }
        return turn.acks.contains { $0.event < ack.event && $0.messageId == id } && turn.copies.isEmpty
            && turn.endings(on: connection).allSatisfy { $0.event < ack.event }
    }
}

extension Observations {
    /// Requests that reuse a key that the server had certainly accepted: its acceptance was seen before they were sent,
    /// or they followed the accepted one on its own connection.
    var repeats: [Repeat] {
        turns.flatMap { turn -> [Repeat] in
            guard turn.clientMessageId != nil, turn.requests.count > 1, let first = turn.original else {
                return []
            }
            return turn.requests.filter { $0.event > first.event }.compactMap { request in
                let known = acceptance(of: turn, first, seenBy: request)
                let follows = request.connection != nil && request.connection == first.connection && first.ack != nil
                guard follows || known.map({ $0 < request.event }) == true else { return nil }
                let isOther = request.sessionAsked.map { isElsewhere($0, than: turn, before: request.event) } ?? false
                let isChanged = !MessageContent.isSame(request.content, as: first.content)
                return Repeat(turn: turn, request: request, isMismatch: isOther || isChanged)
            }
        }
    }

    /// Whether a session differs from the turn's, or from those of all turns if the key ran as several.
    private func isElsewhere(_ session: String, than turn: ObservedTurn, before event: Int) -> Bool {
        guard let own = turn.sessionId, own != session else { return false }
        return !answers(to: turn).contains { $0.event < event && $0.sessionId == session }
    }

    /// The ids of turns started for a question, from acks and responses without `duplicate`.
    func turnIdsStarted(by turn: ObservedTurn) -> Set<String> {
        guard turn.requests.count > 1 else { return [] }
        let acked = turn.acks.filter { !$0.isDuplicate && $0.includes("turnId") }.compactMap(\.turnId)
        let answered = turn.requests.compactMap(\.outcome).filter { !isDuplicate(response: $0) }
            .compactMap { body(ofResponse: $0)?.id("turnId") }
        return Set(acked + answered)
    }

    func acceptance(of request: ObservedRequest, in turn: ObservedTurn) -> Int? {
        guard request.refusal == nil else { return nil }
        let frames = request === turn.original ? turn.frames + turn.endings + turn.replayed : []
        let signs = [request.ack?.event, request.outcome].compactMap(\.self) + frames.map(\.event)
        return signs.filter { $0 > request.event }.min()
    }

    /// The first event that shows a turn's acceptance before any repeat was answered.
    ///
    /// After a crash, only durable promises count: an ack or an answer.
    private func acceptance(of turn: ObservedTurn, _ first: ObservedRequest, seenBy request: ObservedRequest) -> Int? {
        guard lives.crashed(from: life(of: first), to: life(of: request)) else {
            return acceptance(of: first, in: turn)
        }
        let done = turn.endings.first { $0.kind == .done }?.event
        return earliest(first.ack?.event, first.success, done)
    }

    func body(ofResponse response: Int) -> JSONValue? { exchange(ofResponse: response)?.answer?.root }

    /// Every live frame with a turn's key, and every REST outcome, in time order; ignores generated ids.
    func answers(to turn: ObservedTurn) -> [TurnAnswer] {
        var answers: [TurnAnswer] = []
        for frame in turn.acks + turn.endings + turn.copies + turn.frames
        where frame.clientMessageId == turn.clientMessageId {
            let turnId = frame.includes("turnId") ? frame.turnId : nil
            answers.append(TurnAnswer(event: frame.event, turnId: turnId, sessionId: frame.sessionId))
        }
        for response in turn.requests.compactMap(\.outcome) {
            let body = exchange(ofResponse: response)?.stated
            answers.append(
                TurnAnswer(
                    event: response, turnId: body?.id("turnId"), sessionId: body?.id("sessionId")))
        }
        return answers.sorted { $0.event < $1.event }
    }
}

struct TurnAnswer: HasEvent {
    let event: Int
    let turnId: String?
    let sessionId: String?

    var words: String { turnId.map { "turn \($0)" } ?? "a turn in session \(sessionId ?? "without a name")" }
}

extension Repeat {
    var event: Int { request.event }
    /// The first answer that is not a refusal.
    var answered: Int? { request.ack?.event ?? request.outcome }
}

extension Observations {
    var trueRepeats: [Repeat] { repeats.filter { !$0.isMismatch } }
    var mismatches: [Repeat] { repeats.filter(\.isMismatch) }

    func isCalledDuplicate(_ request: ObservedRequest) -> Bool {
        request.ack?.isDuplicate == true || request.success.map(isDuplicate(response:)) == true
    }

    /// Whether a read showed a turn as failed in the life of its `error`, and all writes since the question succeeded.
    func wasShownFailed(_ turn: ObservedTurn, by error: Frame, before event: Int) -> Bool {
        !lives.refusedWrites(between: turn.event, and: event)
            && reads(of: turn).contains { read in
                read.request > error.event && lives.life(at: read.request) == life(of: error)
                    && read.entry(of: turn)?.status == "failed"
            }
    }

    /// Whether the server could store again: another question of the session was answered, and no write failed since.
    func couldBeStored(_ request: ObservedRequest, after refused: Int, at event: Int) -> Bool {
        turns.contains { other in
            guard other.event > refused, other.principal == request.principal,
                other.sessionAsked == request.sessionAsked,
                let done = other.endings.first(where: { $0.kind == .done })?.event, done < request.event
            else { return false }
            return lives.life(at: other.event) == lives.life(at: event)
                && !lives.refusedWrites(between: other.event, and: event)
        }
    }

    func isRefusedForItsRate(_ request: ObservedRequest) -> Bool {
        request.refusalCode == "rate_limited" && profiles.contains(.rateLimit)
    }

    func isDuplicate(response: Int) -> Bool { body(ofResponse: response)?["duplicate"]?.boolValue == true }
}
