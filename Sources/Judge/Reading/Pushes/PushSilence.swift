import Holdfast
import HoldfastTranscript

/// Events that should lead to a push, and proof of its absence.
extension Observations {
    /// Whether two pushes are for the same device and turn.
    func announceTheSame(_ one: ObservedPush, _ other: ObservedPush) -> Bool {
        guard one.request.path == other.request.path else { return false }
        if let id = one.turnId, id == other.turnId { return true }
        if let id = one.messageId, let session = one.sessionId {
            return id == other.messageId && session == other.sessionId
        }
        return false
    }

    /// Events after a push that make a careless server push again: an acknowledged repeat of the question, a replay, a
    /// restart.
    func temptations(after push: ObservedPush) -> [Int] {
        let requests = turn(announcedBy: push).map { turns[$0].requests } ?? []
        let repeats = requests.filter { $0.ack != nil || $0.success != nil }.map(\.event)
        let replays = syncs.filter {
            connections[$0.connection].principal == push.principal
                && $0.missed.contains { $0.type == "done" && $0.messageId == push.messageId }
        }.map(\.request.event)
        let starts = (0...lives.life(at: history.events.count)).compactMap { lives.start(of: $0) }
        return (repeats + replays + starts).filter { $0 > push.event }.sorted()
    }

    func staysSilent(after cause: Int, besides push: ObservedPush) -> Bool {
        pushes.contains { $0.event > cause && $0.request.path == push.request.path && !announceTheSame($0, push) }
            || listensToPushes(for: push.principal, from: cause)
                && proof(after: cause, limit: patience(of: cause) + timeouts.push.microseconds) != nil
    }

    /// Whether another push to the principal, or the timeout, proves that no more came after an event.
    func isSilent(after cause: Int, for principal: String, until isOther: (Int) -> Bool) -> Bool {
        let fence = pushes.contains { push in
            guard push.event > cause, push.principal == principal, let turn = turn(announcedBy: push) else {
                return false
            }
            return isOther(turn)
        }
        return fence || pushDeadline(after: cause, for: principal) != nil
    }

    /// Whether a turn ended without an answer while writes were refused: an `error`, a failed response, or a read that
    /// shows it failed.
    func couldNotBeStored(_ turn: ObservedTurn?) -> Bool {
        guard let turn, let failed = failureShown(of: turn), turn.ending?.type != "done" else { return false }
        return lives.refusedWrites(between: turn.event, and: failed)
    }

    /// The first event that shows that a turn ended without an answer.
    func failureShown(of turn: ObservedTurn) -> Int? {
        let read = reads(of: turn).first { read in
            guard let id = turn.turnId else { return false }
            return read.turns.contains { $0.turnId == id && $0.status == "failed" }
        }
        let frame = turn.endings.first { $0.type == "error" }
        return [frame?.event, turn.requests.lazy.compactMap(\.failure).first, read?.event].compactMap { $0 }.min()
    }

    /// Whether a read that started after a push does contain its answer.
    func isStoredInTheEnd(_ push: ObservedPush) -> Bool {
        sessionReads.contains { read in
            read.principal == push.principal && read.request > push.event
                && read.messages.contains { $0.role == "assistant" && $0.id == push.messageId }
        }
    }

    /// Whether a push is for a turn that was asked after another push.
    func isAskedLater(_ push: ObservedPush, than other: ObservedPush) -> Bool {
        turn(announcedBy: push).map { turns[$0].event > other.event } ?? false
    }

    /// The first event after another one that shows the end of a turn.
    func endingShown(of turn: ObservedTurn, after event: Int) -> Int? {
        let read = reads(of: turn).first { $0.event > event && shows(theEndOf: turn, $0) }
        let frame = turn.endings.first { $0.event > event }
        let response = turn.requests.lazy.compactMap(\.outcome).first { $0 > event }
        return [read?.event, frame?.event, response].compactMap { $0 }.min()
    }

    /// The event by which all earlier turns of the session are known to have ended; nil if one had not.
    func endOfTurnsBefore(_ turn: ObservedTurn) -> Int? {
        var end = turn.accepted(since: turn.event)
        guard let session = turn.session else { return end }
        for other in turns where other.event < turn.event && other.principal == turn.principal && other.isAccepted {
            guard other.session == session else { continue }
            guard let ended = endingShown(of: other, after: other.event) else { return nil }
            end = max(end, ended)
        }
        return end
    }

    /// The event that proves that a turn did not end in time: on its connection, over REST, or by a read without its
    /// answer.
    func lateness(of turn: ObservedTurn) -> Int? {
        guard let begun = endOfTurnsBefore(turn) else { return nil }
        let bound = timeouts.turn + turn.request.scriptedWait
        switch turn.request.origin {
        case .exchange(let index): return deadline(after: exchanges[index], within: bound)
        case .connection(let index):
            if let late = deadline(after: begun, within: bound, on: index) { return late }
            let limit = patience(of: begun) + bound.microseconds
            // Anything sent on a connection that then ended may be lost.
            guard turn.isAccepted, !wasStopped(between: turn.event, and: history.events.count) else { return nil }
            // A scripted failure leaves no answer, so only the turn's status shows it.
            let mayBeOver = subject.hasScriptedAgent && turn.isScriptedToFail
            return reads(of: turn).first { read in
                patience(of: read.request) >= limit && !shows(theEndOf: turn, read)
                    && (!mayBeOver || read.entry(of: turn) != nil)
            }?.event
        }
    }

    /// Whether a read contains the answer of a turn, or shows that it is over.
    private func shows(theEndOf turn: ObservedTurn, _ read: ObservedSessionRead) -> Bool {
        if answer(of: turn, in: read) != nil { return true }
        return read.entry(of: turn)?.status.map { $0 != "running" } ?? false
    }
}
