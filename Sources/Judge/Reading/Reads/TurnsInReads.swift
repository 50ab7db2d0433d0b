import Holdfast
import HoldfastJSON
import HoldfastTranscript

extension Observations {
    func question(of turn: ObservedTurn, in read: ObservedSessionRead) -> Int? {
        places(in: read).questions(of: turn).first
    }

    func answer(of turn: ObservedTurn, in read: ObservedSessionRead) -> Int? {
        places(in: read).answers(of: turn).first
    }

    func storedAnswer(of turn: ObservedTurn, in read: ObservedSessionRead) -> ObservedSessionRead.StoredMessage? {
        answer(of: turn, in: read).map { read.messages[$0] }
    }

    func reads(of turn: ObservedTurn) -> [ObservedSessionRead] {
        guard let session = turn.session else { return [] }
        let reads = reads(of: session, by: turn.principal)
        return isCapture ? reads.filter { namesItsMessages($0) } : reads
    }

    /// The accepted turns of a read's session, in order.
    func turns(in read: ObservedSessionRead) -> [ObservedTurn] {
        guard namesItsMessages(read) else { return [] }
        return (turnsBySession[read.sessionId] ?? []).filter { turn in
            turn.principal == read.principal && turn.isAccepted && turn.isBefore(read.event)
        }
    }

    /// The other turns of a turn's session and principal, in order.
    func siblings(of turn: ObservedTurn) -> [ObservedTurn] {
        guard let session = turn.session else { return [] }
        return (turnsBySession[session] ?? []).filter { $0 !== turn && $0.principal == turn.principal }
    }

    /// Visits each accepted turn in each read, with the positions of its messages.
    func forEachTurnRead(_ body: (ObservedTurn, ObservedSessionRead, StoredIndices) -> Void) {
        for read in sessionReads {
            let places = places(in: read)
            for turn in turns(in: read) { body(turn, read, places) }
        }
    }

    /// Whether one of the given events preceded a read, without a crash in between, so that the read must show it.
    func mustShow(_ read: ObservedSessionRead, oneOf events: [Int?]) -> Bool {
        events.compactMap(\.self).contains { read.isAsked(after: $0) && !hasCrashed(between: $0, and: read.request) }
    }

    /// The number of questions with a turn's text in a read beyond those asked, including refused ones.
    func surplus(of turn: ObservedTurn, in read: ObservedSessionRead) -> Int {
        let asked = turns(asking: turn.request.prompt).count {
            $0.isBefore(read.event) && ($0.session == nil || $0.session == read.sessionId)
        }
        return max(0, places(in: read).questions(saying: turn.request.prompt) - asked)
    }

    /// Whether a turn of a session ran, or was asked, between two events; one with a guessed ending may still run.
    func runs(in session: String, for principal: String, from first: Int, to last: Int) -> Bool {
        let guessed = guessedTurns.filter { $0.session ?? session == session }
        let turns = (turnsBySession[session] ?? []) + (turnsBySession[nil] ?? [])
        return (turns.filter { $0.ended.isOpen(at: first) } + guessed).contains {
            $0.principal == principal && !$0.isRefused && $0.isBefore(last)
        }
    }

    func texts(of session: String, for principal: String) -> [String] {
        let asked = (turnsBySession[session] ?? []).filter { $0.principal == principal }
        let stored = reads(of: session, by: principal)
        return asked.map(\.request.prompt) + asked.flatMap(\.endings).compactMap(\.text)
            + stored.flatMap(\.messages).map(\.text)
    }
}

extension Observations {
    func showsEnd(of turn: ObservedTurn, in read: ObservedSessionRead) -> Bool {
        answer(of: turn, in: read) != nil || ["done", "failed"].contains(read.entry(of: turn)?.status)
    }

    func endingShown(of turn: ObservedTurn, after event: Int = -1) -> Int? {
        let read = reads(of: turn).first { $0.event > event && showsEnd(of: turn, in: $0) }
        let frame = turn.endings.first { $0.event > event }
        let response = turn.requests.lazy.compactMap(\.outcome).first { $0 > event }
        return earliest(read?.event, frame?.event, response)
    }

    /// The first event that shows that a turn ended without an answer.
    func failureShown(of turn: ObservedTurn) -> Int? {
        let read = reads(of: turn).first { $0.entry(of: turn)?.status == "failed" }
        let frame = turn.endings.first { $0.kind == .error }
        return earliest(frame?.event, turn.requests.lazy.compactMap(\.failure).first, read?.event)
    }

    /// Whether a turn ended without an answer while writes were refused.
    func couldNotBeStored(_ turn: ObservedTurn?) -> Bool {
        guard let turn, !lives.faults.isEmpty, turn.ending?.kind != .done, let failed = failureShown(of: turn) else {
            return false
        }
        return lives.refusedWrites(between: turn.event, and: failed)
    }

    /// The event by which a turn was accepted and all earlier turns of its session had ended; nil if one had not.
    func endOfTurnsBefore(_ turn: ObservedTurn) -> Int? {
        var end = turn.firstSignOfRunning(since: turn.event)
        for other in siblings(of: turn) where other.event < turn.event && other.isAccepted {
            guard let ended = endingShown(of: other) else { return nil }
            end = max(end, ended)
        }
        return end
    }

    /// The proof that a turn did not end in time: on its connection, over REST, or in a read without its answer.
    func lateness(of turn: ObservedTurn) -> (any HasEvent)? {
        guard let begun = endOfTurnsBefore(turn) else { return nil }
        let bound = timeouts.turn + turn.request.scriptedWait
        if let exchange = exchange(of: turn.request) { return deadline(after: exchange, within: bound) }
        let late = turn.request.connection.flatMap { deadline(after: begun, within: bound, on: $0) }
        // Anything sent on a connection that then ended may be lost.
        guard late == nil, turn.isAccepted, !wasStopped(between: turn.event, and: history.events.count) else {
            return late
        }
        let limit = effectiveTime(of: begun) + bound.microseconds
        // A scripted failure leaves no answer, so only the turn's status shows it.
        let mayBeOver = subject.hasScriptedAgent && turn.isScriptedToFail
        return reads(of: turn).first { read in
            effectiveTime(of: read.request) >= limit && !showsEnd(of: turn, in: read)
                && (!mayBeOver || read.entry(of: turn) != nil)
        }?.event
    }
}

extension ObservedSessionRead {
    /// The entry of a turn, by its id or its question's key.
    func entry(of turn: ObservedTurn) -> StoredTurn? {
        if let index = turn.turnId.flatMap({ turnIndices.byID[$0] }) { return turns[index] }
        guard let index = turn.clientMessageId.flatMap({ turnIndices.byKey[$0] }) else { return nil }
        return turns[index...].first {
            $0.clientMessageId == turn.clientMessageId && (turn.turnId == nil || $0.turnId == nil)
        }
    }

    /// The first message of an earlier read that this one lacks or shows differently.
    func firstLost(of earlier: ObservedSessionRead) -> StoredMessage? {
        var rest = messages[...]
        return earlier.messages.first { message in
            let index = rest.firstIndex {
                $0.id == message.id && $0.role == message.role && exactlyEqual($0.text, message.text)
            }
            guard let index else { return true }
            rest = rest[(index + 1)...]
            return false
        }
    }
}

extension ObservedSessionRead.StoredMessage {
    var words: String { "\(role ?? "message") \(id ?? "without id"), '\(text.prefix(40))', in its place" }
}
