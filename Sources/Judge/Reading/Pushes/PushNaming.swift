import HoldfastJSON
import HoldfastTranscript

/// The target of a push's ids, according to later reads.
enum PushNaming {
    /// The stored answer.
    case stored
    /// Something else, as the event shows.
    case wrong(String, at: Int?)
    /// Nothing yet: a read did not find the answer.
    case missing
    /// Unknown: there was no read.
    case unread
}

extension Observations {
    func naming(of push: ObservedPush) -> PushNaming {
        guard let id = push.messageId, let session = push.sessionId else { return .unread }
        let later = sessionReads.filter { $0.principal == push.principal && $0.request > push.event }
        let own = later.filter { $0.sessionId == session }
        let announced = turn(announcedBy: push).map { turns[$0] }
        for read in own {
            guard let message = read.messages.first(where: { $0.id == id }) else { continue }
            if message.role != "assistant" {
                return .wrong("messageId of a message of role '\(message.role ?? "none")'", at: read.event)
            }
            if let announced, let place = answer(of: announced, in: read), read.messages[place].id != id,
                announced.turnId != nil || !exactlyEqual(read.messages[place].text, message.text)
            {
                return .wrong("messageId of the answer of another turn", at: read.event)
            }
            return .stored
        }
        if let elsewhere = later.first(where: { $0.messages.contains { $0.id == id && $0.role == "assistant" } }) {
            return .wrong(
                "sessionId \(HoldfastJudge.shown(session)), but the answer is in another session",
                at: elsewhere.event)
        }
        if let announced, let read = later.last(where: { isAnswered(announced, in: $0) }),
            let place = answer(of: announced, in: read)
        {
            return .wrong(
                "sessionId \(HoldfastJudge.shown(session)), messageId \(HoldfastJudge.shown(id)); the stored answer is "
                    + "\(HoldfastJudge.shown(read.messages[place].id)) in \(HoldfastJudge.shown(read.sessionId))",
                at: read.event)
        }
        if own.isEmpty {
            guard let event = sessions.notFound(session, for: push.principal, after: push.event),
                !sessions.exists(session, for: push.principal, before: history.events.count)
            else { return .unread }
            return .wrong("sessionId \(HoldfastJudge.shown(session)), which is no session", at: event)
        }
        if announced == nil, let read = own.last, hasAllAnswers(read, askedBefore: push.event) {
            return .wrong("messageId \(HoldfastJudge.shown(id)), which is no stored message", at: read.event)
        }
        return .missing
    }

    private func isAnswered(_ turn: ObservedTurn, in read: ObservedSessionRead) -> Bool {
        (turn.session) == read.sessionId && answer(of: turn, in: read) != nil
    }

    /// Whether every question asked in a read's session before an event has its answer in the read, or failed.
    private func hasAllAnswers(_ read: ObservedSessionRead, askedBefore event: Int) -> Bool {
        let asked = turns.filter {
            $0.event < event && $0.principal == read.principal && !$0.isRefused
                && ($0.session ?? read.sessionId) == read.sessionId
        }
        return !asked.isEmpty && asked.allSatisfy { $0.ending?.type == "error" || answer(of: $0, in: read) != nil }
    }
}
