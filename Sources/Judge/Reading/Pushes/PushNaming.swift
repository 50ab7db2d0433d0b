import HoldfastJSON
import HoldfastTranscript

/// The target of a push's ids, according to later reads.
enum PushNaming {
    /// The stored answer.
    case stored
    /// Something else, as the event shows.
    case wrong(String, at: Int)
    /// Unknown: there was no read, or it does not contain the answer yet.
    case open
}

extension Observations {
    func naming(of push: ObservedPush) -> PushNaming {
        guard let id = push.messageId, let session = push.sessionId else { return .open }
        let (givenId, givenSession) = (HoldfastJudge.shown(id), HoldfastJudge.shown(session))
        let later = sessionReads.filter { $0.principal == push.principal && $0.request > push.event }
        let own = later.filter { $0.sessionId == session }
        let announced = turn(announcedBy: push)
        for read in own {
            guard let message = read.messages.first(where: { $0.id == id }) else { continue }
            if message.role != "assistant" {
                return .wrong("messageId of a message of role '\(message.role ?? "none")'", at: read.event)
            }
            if let announced, let answer = storedAnswer(of: announced, in: read), answer.id != id,
                announced.turnId != nil || !exactlyEqual(answer.text, message.text)
            {
                return .wrong("messageId of the answer of another turn", at: read.event)
            }
            return .stored
        }
        if let elsewhere = later.first(where: { $0.messages.contains { $0.id == id && $0.role == "assistant" } }) {
            return .wrong("sessionId \(givenSession), but the answer is in another session", at: elsewhere.event)
        }
        if let announced {
            let reads = reads(of: announced).filter { $0.request > push.event }
            if let read = reads.last(where: { answer(of: announced, in: $0) != nil }) {
                let answer = storedAnswer(of: announced, in: read)
                return .wrong(
                    "sessionId \(givenSession), messageId \(givenId); the stored answer is "
                        + "\(HoldfastJudge.shown(answer?.id)) in \(HoldfastJudge.shown(read.sessionId))",
                    at: read.event)
            }
        } else if let read = own.last, hasAllAnswers(read, askedBefore: push.event) {
            return .wrong("messageId \(givenId), which names no stored message", at: read.event)
        }
        if own.isEmpty, let event = sessions.notFound(session, for: push.principal, after: push.event),
            !sessions.exists(session, for: push.principal, before: history.events.count)
        {
            return .wrong("sessionId \(givenSession), which names no session", at: event)
        }
        return .open
    }

    /// Whether every question asked in a read's session before an event has its answer in the read, or failed.
    private func hasAllAnswers(_ read: ObservedSessionRead, askedBefore event: Int) -> Bool {
        let asked = turns.filter {
            $0.event < event && $0.principal == read.principal && !$0.isRefused
                && ($0.session ?? read.sessionId) == read.sessionId
        }
        return !asked.isEmpty && asked.allSatisfy { $0.ending?.kind == .error || answer(of: $0, in: read) != nil }
    }
}
