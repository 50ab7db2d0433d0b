import Holdfast
import HoldfastTranscript

/// An answer that its principal did not see, so that it must be pushed.
struct UnseenAnswer {
    let turn: ObservedTurn
    /// The event that shows the answer: a read, or a `done` without a later sign of life.
    let shown: Int
    /// The last end of a connection that got the `done`.
    var end: Int?
    /// The time by which the server must know that no one saw it, in microseconds on the clock for bounds.
    let known: Int
}

extension Observations {
    /// The principals whose devices' pushes are being recorded at an event.
    func pushListeners(at event: Int) -> Set<String> {
        Set(
            history.events[...event].compactMap { earlier in
                guard earlier.lane == .push, case .act("listen", let details) = earlier.kind else { return nil }
                return details.string("principal")
            })
    }

    /// The event by which a connection was over for both sides, because the server closed it too or its socket ended.
    ///
    /// If the stage cut it, the server may believe it alive for any time.
    private func knownEnd(_ connection: ObservedConnection) -> Int? {
        connection.events.first { event in
            switch history.events[event].kind {
            case .close(.fromServer, _, _), .eof, .refused: true
            default: false
            }
        }
    }

    /// The event since which a principal has had no connection, as of an event; nil if it has one, or if the server may
    /// not know of the end.
    func absentSince(_ principal: String, at event: Int) -> Int? {
        var since = 0
        for connection in connections where connection.principal == principal && connection.opening < event {
            guard let gone = knownEnd(connection), gone < event else { return nil }
            since = max(since, gone)
        }
        return since
    }

    /// The turns that ended with an answer while their principal was certainly absent, as a read shows.
    ///
    /// A REST question counts once its client has disconnected. A read without the answer, or the script's waits, prove
    /// that the turn ended after the principal's last connection.
    var answersWhileAbsent: [UnseenAnswer] {
        turns.compactMap { turn in
            guard turn.request.refusal == nil, let left = lastAbandonment(of: turn),
                !turn.endings.contains(where: { principal(of: $0) == turn.principal })
            else { return nil }
            let reads = reads(of: turn)
            guard let shown = reads.first(where: { answer(of: turn, in: $0) != nil })?.event,
                let gone = absentSince(turn.principal, at: shown), case let since = max(gone, left), since > turn.event,
                since < shown
            else { return nil }
            let byRead = reads.contains { $0.request > since && $0.event < shown && answer(of: turn, in: $0) == nil }
            let due = time(of: turn.event) + turn.request.scriptedWait.microseconds
            let byScript = subject.hasScriptedAgent && due > time(of: since)
            return byRead || byScript ? UnseenAnswer(turn: turn, shown: shown, known: effectiveTime(of: shown)) : nil
        }
    }

    /// The last event at which a client abandoned a REST question; 0 if the turn was not asked over REST, nil if a
    /// client waited for the response.
    private func lastAbandonment(of turn: ObservedTurn) -> Int? {
        var last = 0
        for exchange in turn.requests.compactMap({ exchange(of: $0) }) {
            guard exchange.wasAbandoned, let left = exchange.failure else { return nil }
            last = max(last, left)
        }
        return last
    }

    /// The answers whose `done` was the last event on the connections of their principal, until each of these ended.
    ///
    /// A repeat of the question, or anything that may have reached the server after the `done`, is a sign of life.
    var maybeUnseenAnswers: [UnseenAnswer] {
        turns.compactMap { turn in
            guard turn.requests.count == 1, turn.request.connection != nil,
                let done = turn.endings.first(where: { $0.kind == .done })?.event
            else { return nil }
            var (end, known) = (done, 0)
            let own = connections(of: turn.principal).filter { connections[$0].refused == nil }
            for (index, connection) in own.map({ ($0, connections[$0]) }) where connection.opening < done {
                guard let ending = connection.ending else { return nil }
                if knownEnd(connection).map({ $0 < done }) == true { continue }
                let asked = index == turn.request.connection ? turn.event : connection.connected
                guard let asked, asked <= turn.event, !wasHeard(index, after: asked, turn),
                    let wait = delay(of: ending, on: connection)
                else { return nil }
                end = max(end, ending.event)
                known = max(known, effectiveTime(of: ending.event) + wait)
            }
            guard end > done, !hasReconnected(turn.principal, from: done, to: end),
                !wasStopped(between: turn.event, and: end)
            else { return nil }
            return UnseenAnswer(turn: turn, shown: done, end: end, known: known)
        }
    }

    /// Whether anything may have reached the server on a connection after the `done` of a turn.
    ///
    /// Messages sent before the turn's question had arrived by the time of its answer, as had a question with an
    /// earlier `ack`.
    private func wasHeard(_ connection: Int, after event: Int, _ turn: ObservedTurn) -> Bool {
        let done = turn.dones.filter { $0.connection == connection }.map(\.event).min() ?? 0
        let arrived = turns(on: connection).flatMap(\.requests)
            .filter { $0.ack.map { $0.connection == connection && $0.event < done } ?? false }.map(\.event)
        return connections[connection].events.contains { place in
            guard place > event, !arrived.contains(place) else { return false }
            switch history.events[place].kind {
            case .text(.toServer, _), .binary(.toServer, _), .ping(.toServer), .pong(.toServer),
                .close(.toServer, _, _):
                return true
            default: return false
            }
        }
    }

    /// The largest delay between the stage and the server in noticing an end, in microseconds; nil if there was a close
    /// frame that the peer may have answered.
    ///
    /// A peer that ends a connection for silence waits for at most a heartbeat.
    private func delay(of ending: ObservedConnection.Ending, on connection: ObservedConnection) -> Int? {
        switch ending.kind {
        case .lost: return connection.wasEndedByServer ? 0 : nil
        case .cut, .closed(.fromServer, 4004):
            let heartbeats = ending.isForSilence ? 1 : 3
            return connection.heartbeat.map { heartbeats * $0 }
        case .closed: return nil
        }
    }

    private func hasReconnected(_ principal: String, from first: Int, to last: Int) -> Bool {
        connections.contains { $0.principal == principal && $0.opening > first && $0.opening < last }
    }

    /// The event that proves that no push followed an unseen answer within the timeout.
    ///
    /// - Returns: Nil if pushes were not recorded, if the history ends earlier, or if the principal returned within the
    ///   timeout, so that the server may have delivered the answer otherwise.
    func pushDeadline(after answer: UnseenAnswer) -> Expiry? {
        let (principal, cause) = (answer.turn.principal, answer.end ?? answer.shown)
        guard pushListeners(at: answer.shown).contains(principal),
            let proof = proof(after: cause, limit: answer.known + timeouts.push.microseconds),
            !hasReconnected(principal, from: cause, to: proof.event)
        else { return nil }
        return proof
    }

    func staysSilent(after cause: Int, besides push: ObservedPush) -> Bool {
        pushes.contains { $0.event > cause && $0.request.path == push.request.path && !announceTheSame($0, push) }
            || pushListeners(at: cause).contains(push.principal)
                && proof(after: cause, limit: effectiveTime(of: cause) + timeouts.push.microseconds) != nil
    }
}
