import HoldfastJSON
import HoldfastTranscript

extension Observations {
    /// The turn that a push announces: by turn id, by the answer's id, else the session's only turn so far.
    func turn(announcedBy push: ObservedPush) -> ObservedTurn? {
        let own = turns.filter { $0.principal == push.principal && $0.event < push.event }
        if let id = push.turnId, let turn = own.first(where: { $0.turnId == id }) { return turn }
        if let id = push.messageId, let turn = own.first(where: { answerIDs(of: $0).contains(id) }) { return turn }
        // Include turns with guessed ids.
        let near = questions.filter { turn in
            turn.principal == push.principal && turn.event < push.event
                && (push.sessionId == nil || turn.session == nil || turn.session == push.sessionId)
        }
        return near.count == 1 ? own.first { $0 === near[0] } : nil
    }

    private func answerIDs(of turn: ObservedTurn) -> Set<String> {
        let responses = turn.requests.compactMap(\.success).compactMap { body(ofResponse: $0)?.id("messageId") }
        let stored = reads(of: turn).compactMap { storedAnswer(of: turn, in: $0)?.id }
        return Set(turn.dones.compactMap(\.messageId) + responses + stored)
    }

    /// Whether a push names a turn or its answer or, if neither is known and `orBySession` is true, its session.
    func isNamed(_ turn: ObservedTurn, by push: ObservedPush, orBySession: Bool) -> Bool {
        if let id = push.turnId, let own = turn.turnId { return id == own }
        let answers = answerIDs(of: turn)
        if let id = push.messageId, !answers.isEmpty { return answers.contains(id) }
        return orBySession && push.sessionId != nil && push.sessionId == turn.session
    }

    func text(announcedBy push: ObservedPush) -> String? {
        let named = sessionReads.lazy.filter { $0.principal == push.principal }.flatMap(\.messages)
            .first { $0.role == "assistant" && $0.id != nil && $0.id == push.messageId }
        if let named { return named.text }
        guard let turn = turn(announcedBy: push) else { return nil }
        return turn.dones.lazy.compactMap(\.text).first
            ?? reads(of: turn).lazy.compactMap { self.storedAnswer(of: turn, in: $0)?.text }.first
    }

    func announceTheSame(_ one: ObservedPush, _ other: ObservedPush) -> Bool {
        guard one.request.path == other.request.path else { return false }
        if let id = one.turnId, id == other.turnId { return true }
        return one.messageId != nil && one.messageId == other.messageId && one.sessionId == other.sessionId
    }

    func isAskedLater(_ push: ObservedPush, than other: ObservedPush) -> Bool {
        turn(announcedBy: push).map { $0.event > other.event } ?? false
    }

    /// Events after a push that make a careless server push again: an acknowledged repeat of the question, a replay, a
    /// restart.
    func pushTriggers(after push: ObservedPush) -> [Int] {
        let requests = turn(announcedBy: push)?.requests ?? []
        let repeats = requests.filter { $0.ack != nil || $0.success != nil }.map(\.event)
        let replays = syncs.filter { sync in
            principal(of: sync) == push.principal
                && sync.missed.contains { $0.kind == .done && $0.messageId == push.messageId }
        }.map(\.request.event)
        let starts = (0...lives.life(at: history.events.count)).compactMap { lives.start(of: $0) }
        return (repeats + replays + starts).filter { $0 > push.event }.sorted()
    }
}
