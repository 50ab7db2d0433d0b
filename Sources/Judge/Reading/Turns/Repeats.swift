import Holdfast
import HoldfastJSON
import HoldfastTranscript

/// One request that carried a key the server had accepted before.
struct Repeat {
    let turn: ObservedTurn
    let request: ObservedRequest
    /// Whether content or session differ from the first: no repeat, but a mismatch.
    let isMismatch: Bool

    /// Whether an ack that does not call it a repeat shows by the id of the first message that it is one, and no unmarked ending
    /// that followed may be the copy.
    func isKnown(by ack: Frame, on connection: Int) -> Bool {
        guard let id = ack.messageId else { return false }
        return turn.acks.contains { $0.event < ack.event && $0.messageId == id } && turn.duplicates.isEmpty
            && turn.endings(on: connection).allSatisfy { $0.event < ack.event }
    }
}

extension Observations {
    /// Requests that reuse a key which the server surely had accepted when they arrived: its acceptance was seen before they
    /// were sent, or they followed the accepted one on its own connection.
    var repeats: [Repeat] {
        turns.flatMap { turn -> [Repeat] in
            guard turn.clientMessageId != nil, turn.requests.count > 1, let first = original(of: turn) else {
                return []
            }
            return turn.requests.filter { $0.event > first.event }.compactMap { request in
                let known = acceptance(of: turn, first, seenBy: request)
                let isBehind = request.connection != nil && request.connection == first.connection && first.ack != nil
                guard isBehind || known.map({ $0 < request.event }) == true else { return nil }
                let isOther = request.sessionAsked.map { isElsewhere($0, than: turn, before: request.event) } ?? false
                let isChanged = !MessageContent.isSame(request.content, as: first.content)
                return Repeat(turn: turn, request: request, isMismatch: isOther || isChanged)
            }
        }
    }

    /// Whether a session is another than the one a turn ran in, or than each of them where its key ran as several turns.
    private func isElsewhere(_ session: String, than turn: ObservedTurn, before event: Int) -> Bool {
        guard let own = turn.sessionId, own != session else { return false }
        return !answers(to: turn).contains { $0.event < event && $0.sessionId == session }
    }

    /// The turns that were begun for a question, as acks and responses named them when they called it no duplicate.
    func turnIdsStarted(by turn: ObservedTurn) -> Set<String> {
        guard turn.requests.count > 1 else { return [] }
        let acked = turn.acks.filter { !$0.isDuplicate && $0.says("turnId") }.compactMap(\.turnId)
        let answered = turn.requests.compactMap(\.outcome).filter { !isDuplicate(response: $0) }
            .compactMap { body(ofResponse: $0)?.id("turnId") }
        return Set(acked + answered)
    }

    /// The request that started the turn: the first that was not refused.
    func original(of turn: ObservedTurn) -> ObservedRequest? {
        turn.requests.first { $0.refusal == nil }
    }

    /// The first event that shows that a turn was accepted before any repeat was answered.
    ///
    /// After a crash only what was promised to last counts: an ack or an answer.
    private func acceptance(of turn: ObservedTurn, _ first: ObservedRequest, seenBy request: ObservedRequest) -> Int? {
        if lives.crashed(from: life(of: first), to: life(of: request)) {
            let done = turn.endings.first { $0.type == "done" }?.event
            return [first.ack?.event, first.success, done].compactMap { $0 }.min()
        }
        let frames = (turn.frames + turn.endings).map(\.event).min()
        return [first.ack?.event, first.outcome, frames].compactMap { $0 }.min()
    }

    func body(ofResponse response: Int) -> JSONValue? {
        index.exchange(ofResponse: response).flatMap { exchanges[$0].answer?.root }
    }

    /// Whether an event told the client that a turn, or its answer, is safe.
    func isPromise(_ event: Int, of turn: ObservedTurn) -> Bool {
        turn.acks.contains { $0.event == event } || turn.requests.contains { $0.success == event }
            || turn.endings.contains { $0.event == event && $0.type == "done" }
    }

    /// Each answer to a turn's key with the turn it names, in the order of time.
    func namedTurns(of turn: ObservedTurn) -> [(event: Int, turnId: String)] {
        answers(to: turn).compactMap { answer in answer.turnId.map { (answer.event, $0) } }
    }

    /// Everything live that names a turn's key or answers it over REST, in the order of time; names that a dialect made
    /// aside.
    func answers(to turn: ObservedTurn) -> [TurnAnswer] {
        var answers: [TurnAnswer] = []
        for frame in turn.acks + turn.endings + turn.copies + turn.frames where !frame.isReplayed {
            guard frame.clientMessageId == turn.clientMessageId else { continue }
            let turnId = frame.says("turnId") ? frame.turnId : nil
            answers.append(TurnAnswer(event: frame.event, turnId: turnId, sessionId: frame.sessionId))
        }
        for response in turn.requests.compactMap(\.outcome) {
            let body = index.exchange(ofResponse: response).flatMap { exchanges[$0].said }
            answers.append(
                TurnAnswer(
                    event: response, turnId: body?.id("turnId"), sessionId: body?.id("sessionId")))
        }
        return answers.sorted { $0.event < $1.event }
    }
}

/// An answer to a question, with what it says of the turn that ran.
struct TurnAnswer {
    let event: Int
    let turnId: String?
    let sessionId: String?

    /// The turn as a finding names it.
    var words: String { turnId.map { "turn \($0)" } ?? "a turn in session \(sessionId ?? "without a name")" }
}

extension Repeat {
    /// The event that brought the repeat.
    var event: Int { request.event }
    /// The first thing that answered it other than by a refusal.
    var answered: Int? { request.ack?.event ?? request.outcome }
}

extension Observations {
    /// Requests that repeat a question word for word.
    var trueRepeats: [Repeat] { repeats.filter { !$0.isMismatch } }
    /// Requests that reuse a key for something else.
    var mismatches: [Repeat] { repeats.filter(\.isMismatch) }

    /// Whether another principal had used the key of a turn before (AUTH-7).
    func isOthersKey(of turn: ObservedTurn) -> Bool {
        turns.contains { other in
            other.event < turn.event && other.clientMessageId == turn.clientMessageId
                && other.principal != turn.principal
        }
    }

    /// Whether the answer to a request calls it a duplicate.
    func isCalledDuplicate(_ request: ObservedRequest) -> Bool {
        request.ack?.isDuplicate == true || request.success.map(isDuplicate(response:)) == true
    }

    /// Whether a read showed a turn as failed in the life of its `error`, and the disk took every write since the question.
    func wasShownFailed(_ turn: ObservedTurn, by error: Frame, before event: Int) -> Bool {
        !lives.refusedWrites(between: turn.event, and: event)
            && reads(of: turn).contains { read in
                read.request > error.event && lives.life(at: read.request) == life(of: error)
                    && read.entry(of: turn)?.status == "failed"
            }
    }

    /// Whether a disk that took every write since another question of a conversation had been answered is no reason to
    /// refuse one.
    func couldBeStored(_ request: ObservedRequest, after refused: Int, at event: Int) -> Bool {
        turns.contains { other in
            guard other.event > refused, other.principal == request.principal,
                other.sessionAsked == request.sessionAsked,
                let done = other.endings.first(where: { $0.type == "done" })?.event, done < request.event
            else { return false }
            return lives.life(at: other.event) == lives.life(at: event)
                && !lives.refusedWrites(between: other.event, and: event)
        }
    }

    /// Whether a repeat was refused for its rate, which RATE-6 judges where it applies.
    func isMatterOfRates(_ request: ObservedRequest) -> Bool {
        request.refusalCode == "rate_limited" && profiles.contains(.rateLimit)
    }

    /// Whether the body of a response says `duplicate: true`.
    func isDuplicate(response: Int) -> Bool { body(ofResponse: response)?["duplicate"]?.boolValue == true }
}

extension ObservedTurn {
    /// Every copy of its outcome, in the order of time.
    var duplicates: [Frame] { (copies + endings).filter(\.isDuplicate).sorted { $0.event < $1.event } }
}
