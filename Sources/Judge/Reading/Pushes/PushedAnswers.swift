import Holdfast
import HoldfastJSON
import HoldfastTranscript

/// The answers that pushes announce, and the absence of their principals.
extension Observations {
    /// The turn that a push announces, as an index of ``turns``: by turn id, by the answer's id, else the session's
    /// only turn so far.
    func turn(announcedBy push: ObservedPush) -> Int? {
        let own = turns.indices.filter { turns[$0].principal == push.principal && turns[$0].event < push.event }
        if let id = push.turnId, let index = own.first(where: { turns[$0].turnId == id }) { return index }
        if let id = push.messageId, let index = own.first(where: { answerIDs(of: turns[$0]).contains(id) }) {
            return index
        }
        // Include turns with guessed names.
        let near = questions.filter { turn in
            guard turn.principal == push.principal, turn.event < push.event else { return false }
            guard let session = push.sessionId else { return true }
            return (turn.session ?? session) == session
        }
        return near.count == 1 ? own.first { turns[$0].event == near[0].event } : nil
    }

    func answerIDs(of turn: ObservedTurn) -> Set<String> {
        let responses = exchanges.filter { exchange in turn.requests.contains { $0.success == exchange.response } }
        let shown = reads(of: turn).compactMap { read in answer(of: turn, in: read).flatMap { read.messages[$0].id } }
        return Set(
            turn.dones.compactMap(\.messageId) + responses.compactMap { $0.answer?.root.id("messageId") } + shown)
    }

    /// The text of the announced answer, if the history has it.
    func text(announcedBy push: ObservedPush) -> String? {
        if let id = push.messageId {
            for read in sessionReads where read.principal == push.principal {
                if let message = read.messages.first(where: { $0.id == id && $0.role == "assistant" }) {
                    return message.text
                }
            }
        }
        guard let index = turn(announcedBy: push) else { return nil }
        let turn = turns[index]
        if let text = turn.dones.lazy.compactMap(\.text).first { return text }
        for read in reads(of: turn) {
            if let place = answer(of: turn, in: read) { return read.messages[place].text }
        }
        return nil
    }

    /// The session of a push: its own, else that of its turn.
    func session(of push: ObservedPush) -> String? {
        push.sessionId ?? turn(announcedBy: push).flatMap { turns[$0].session }
    }

    /// Whether pushes to a principal's device were recorded from an event on.
    func listensToPushes(for principal: String, from event: Int) -> Bool {
        history.events[...event].contains { earlier in
            guard earlier.lane == .push, case .act("listen", let details) = earlier.kind else { return false }
            return details.string("principal") == principal
        }
    }

    /// Whether pushes to another principal's device were recorded from an event on.
    func listensToPushes(besides principal: String, from event: Int) -> Bool {
        history.events[...event].contains { earlier in
            guard earlier.lane == .push, case .act("listen", let details) = earlier.kind else { return false }
            return details.string("principal") != principal
        }
    }

    /// The event since which a principal has had no connection, at an event; nil if it has one, or if the server may
    /// not know of the end.
    ///
    /// A connection is over for both sides once the server closed it too, or its socket ended; if the stage cut it, the
    /// server may believe it alive for any time.
    func away(_ principal: String, at event: Int) -> Int? {
        var since = 0
        for (index, connection) in connections.enumerated()
        where connection.principal == principal && connection.opening < event {
            let gone = events(on: index).first { place in
                switch history.events[place].kind {
                case .close(.fromServer, _, _), .eof, .refused: true
                default: false
                }
            }
            guard let gone, gone < event else { return nil }
            since = max(since, gone)
        }
        return since
    }

    /// The turns that ended with an answer while their principal was certainly absent, each with the read that shows
    /// it.
    ///
    /// A REST question counts once its client has disconnected. A read without the answer, or the script's waits, prove
    /// that the turn ended after the principal's last connection.
    var turnsEndedAway: [(turn: Int, known: Int)] {
        turns.indices.compactMap { index in
            let turn = turns[index]
            guard turn.request.refusal == nil, let left = lastLeft(of: turn),
                !turn.endings.contains(where: { connections[$0.connection].principal == turn.principal })
            else { return nil }
            let reads = reads(of: turn)
            guard let shown = reads.first(where: { answer(of: turn, in: $0) != nil }),
                let since = away(turn.principal, at: shown.event).map({ max($0, left) }), since > turn.event,
                since < shown.event
            else { return nil }
            let byRead = reads.contains {
                $0.request > since && $0.event < shown.event && answer(of: turn, in: $0) == nil
            }
            let due = time(of: turn.event) + turn.request.scriptedWait.microseconds
            let byScript = history.header.subject.hasScriptedAgent && due > time(of: since)
            return byRead || byScript ? (index, shown.event) : nil
        }
    }

    /// The last event at which a client abandoned a REST question, 0 if none asked that way; nil if one waited for the
    /// response.
    private func lastLeft(of turn: ObservedTurn) -> Int? {
        var last = 0
        for case .exchange(let index) in turn.requests.map(\.origin) {
            guard exchanges[index].wasLeft, let left = exchanges[index].failure else { return nil }
            last = max(last, left)
        }
        return last
    }

    /// The event that proves that no push to a principal came within the timeout after `cause`.
    ///
    /// - Returns: Nil if pushes were not recorded, if the history ends earlier, or if the principal returned within the
    ///   timeout, so that the server may have delivered the answer otherwise.
    func pushDeadline(after cause: Int, for principal: String) -> Int? {
        guard listensToPushes(for: principal, from: cause),
            let proof = proof(after: cause, limit: patience(of: cause) + timeouts.push.microseconds)
        else { return nil }
        let cameBack = connections.contains {
            $0.principal == principal && $0.opening > cause && $0.opening < proof
        }
        return cameBack ? nil : proof
    }
}
