import Holdfast
import HoldfastTranscript

/// Answers that no one received, which must be pushed.
extension PUSH {
    /// AUTH-6, rule 4: no push of a turn goes to a device of another principal.
    ///
    /// Once for each push whose turn or message has an owner, and for one that only names a session of others; a push
    /// to the right device counts only if pushes to another principal were recorded too.
    static func noticesStayWithTheirPrincipal(_ history: Observations, _ evidence: inout Evidence) {
        let ownership = Ownership(history)
        for push in history.pushes {
            // Two principals may have sessions with the same id, and the server may have other turns there.
            let isForeign =
                push.messageId == nil
                && push.sessionId.map { ownership.foreign($0, to: push.principal) != nil } ?? false
            let named = history.turns.filter { turn in
                turn.event < push.event
                    && history.isNamed(turn, by: push, orBySession: isForeign || turn.principal == push.principal)
            }
            guard let turn = named.first else { continue }
            evidence.test(
                named.contains { $0.principal == push.principal },
                keptIf: history.listensToPushes(besides: push.principal, from: push.event),
                otherwise: "a push went to another principal's device", expected: "a device of \(turn.principal)",
                actual: "one of \(push.principal)", at: [turn.event, push.event])
        }
    }
}

extension Observations {
    /// The end of the last connection that got a `done` and gave no sign of life afterwards.
    struct UnheardEnd {
        let done: Int
        let end: Int
        /// When the server must know of every end, in microseconds of the patient clock.
        let known: Int
    }

    /// Whether a push names a turn or its answer; if it names neither, or an unknown answer, its session.
    fileprivate func isNamed(_ turn: ObservedTurn, by push: ObservedPush, orBySession counts: Bool) -> Bool {
        if let id = push.turnId, let own = turn.turnId { return id == own }
        let answers = answerIDs(of: turn)
        if let id = push.messageId, !answers.isEmpty { return answers.contains(id) }
        return counts && push.sessionId != nil && push.sessionId == turn.session
    }

    /// How the connections of a turn's principal ended after its `done`; nil if one did not end, or gave, or may have
    /// given, a sign of life after it.
    func unheardEnd(of turn: ObservedTurn) -> UnheardEnd? {
        // A repeat is a sign of life.
        guard turn.requests.count == 1, turn.request.connection != nil,
            let done = turn.dones.filter({ !$0.isReplayed && !$0.isDuplicate }).map(\.event).min()
        else { return nil }
        var end = done
        var known = 0
        for (index, connection) in connections.enumerated() where connection.principal == turn.principal {
            if connection.refused != nil { continue }
            guard connection.opening < done else { continue }
            guard let ending = connection.ending else { return nil }
            if wasLetGo(index, before: done) { continue }
            let isAsker = turn.requests.contains { $0.connection == index }
            guard let asked = isAsker ? turn.request.event : connection.connected, asked <= turn.event,
                !wasHeard(index, after: asked, turn), let wait = delay(of: ending, on: connection)
            else { return nil }
            end = max(end, ending.event)
            known = max(known, patience(of: ending.event) + wait)
        }
        let cameBack = connections.contains {
            $0.principal == turn.principal && $0.opening > done && $0.opening < end
        }
        guard end > done, !cameBack, !wasStopped(between: turn.event, and: end) else { return nil }
        return UnheardEnd(done: done, end: end, known: known)
    }

    /// Whether a connection had ended for both sides before an event.
    private func wasLetGo(_ index: Int, before event: Int) -> Bool {
        events(on: index).contains { place in
            switch history.events[place].kind {
            case .close(.fromServer, _, _), .eof: place < event
            default: false
            }
        }
    }

    /// Whether anything may have reached the server on a connection after the `done` of a turn.
    ///
    /// Messages sent before its question have arrived when the answer is there, and so has a question with an earlier
    /// `ack`.
    private func wasHeard(_ connection: Int, after event: Int, _ turn: ObservedTurn) -> Bool {
        let sent = events(on: connection).filter { place in
            guard place > event else { return false }
            switch history.events[place].kind {
            case .text(.toServer, _), .binary(.toServer, _), .ping(.toServer), .pong(.toServer),
                .close(.toServer, _, _):
                return true
            default: return false
            }
        }
        if sent.isEmpty { return false }
        let done = turn.dones.lazy.filter { $0.connection == connection }.map(\.event).min() ?? 0
        let arrived = index.turns(on: connection).flatMap { turns[$0].requests }.filter { request in
            request.connection == connection
                && request.ack.map { $0.connection == connection && $0.event < done } ?? false
        }.map(\.event)
        return sent.contains { !arrived.contains($0) }
    }

    /// How much later than the stage the server may notice an end, in microseconds; nil if there was a close frame that
    /// the peer may have answered.
    ///
    /// A peer that ends a connection for silence waits for at most a heartbeat.
    private func delay(of ending: ObservedConnection.Ending, on connection: ObservedConnection) -> Int? {
        switch ending.kind {
        case .lost: return connection.wasEndedByServer ? 0 : nil
        case .cut, .closed(.fromServer, 4004):
            let heartbeats = ending.isForSilence ? 1 : 3
            return LIVE.heartbeat(of: connection, self).map { heartbeats * $0.microseconds }
        case .closed: return nil
        }
    }

    /// The event that proves that no push followed in time; nil if the principal returned before.
    func pushDeadline(of unheard: UnheardEnd, for principal: String) -> Int? {
        guard listensToPushes(for: principal, from: unheard.done),
            let proof = proof(after: unheard.end, limit: unheard.known + timeouts.push.microseconds)
        else { return nil }
        let cameBack = connections.contains {
            $0.principal == principal && $0.opening > unheard.end && $0.opening < proof
        }
        return cameBack ? nil : proof
    }
}
