import Holdfast
import HoldfastJSON
import HoldfastTranscript

/// Turns and their messages in session reads.
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

    /// The reads of a turn's session by its principal, in order.
    func reads(of turn: ObservedTurn) -> [ObservedSessionRead] {
        guard let session = turn.session else { return [] }
        let reads = index.reads(of: session, by: turn.principal)
        return isCapture ? reads.filter { namesItsMessages($0) } : reads
    }

    /// The accepted turns of a read's session, in order.
    func turns(in read: ObservedSessionRead) -> [ObservedTurn] {
        guard namesItsMessages(read) else { return [] }
        return index.turns(of: read.sessionId).lazy.map { self.turns[$0] }.filter { turn in
            turn.principal == read.principal && turn.isAccepted && turn.event < read.event
        }
    }

    /// The other turns of a turn's session and principal, in order.
    func siblings(of turn: ObservedTurn) -> [ObservedTurn] {
        guard let session = turn.session else { return [] }
        return index.turns(of: session).lazy.map { self.turns[$0] }.filter {
            $0 !== turn && $0.principal == turn.principal
        }
    }

    /// Visits each accepted turn in each read, with the positions of its messages.
    func forEachTurnRead(_ body: (ObservedTurn, ObservedSessionRead, StoredPlaces) -> Void) {
        for read in sessionReads {
            let places = places(in: read)
            for turn in turns(in: read) { body(turn, read, places) }
        }
    }

    /// Whether a read must hold what some events announced: one came before it began, and no crash between them.
    func mustHold(_ read: ObservedSessionRead, whatCameAt events: [Int?]) -> Bool {
        events.contains { $0.map { $0 < read.request && !hasCrashed(between: $0, and: read.request) } ?? false }
    }

    /// How many more questions with the text of a turn a read shows than were asked, counting refused ones.
    func surplus(of turn: ObservedTurn, in read: ObservedSessionRead) -> Int {
        let text = turn.request.prompt
        let asked = (index.turns(of: read.sessionId) + index.unplaced).count {
            turns[$0].event < read.event && exactlyEqual(turns[$0].request.prompt, text)
        }
        return max(0, read.messages.count { $0.role == "user" && exactlyEqual($0.text, text) } - asked)
    }

    /// Whether a turn of a session ran, or was asked, between two events; one with a guessed ending may still run.
    func runs(in session: String, for principal: String, from first: Int, to last: Int) -> Bool {
        // A question without a session may belong to this one.
        let near = (index.turns(of: session) + index.unplaced).map { turns[$0] }
        let guessed = guessedTurns.filter { $0.session ?? session == session }
        return (near.filter { $0.ended ?? .max > first } + guessed).contains {
            $0.principal == principal && !$0.isRefused && $0.event < last
        }
    }

    /// Every known text of a session: questions, answers and stored messages.
    func texts(of session: String, for principal: String) -> [String] {
        let asked = index.turns(of: session).map { turns[$0] }.filter { $0.principal == principal }
        let stored = index.reads(of: session, by: principal)
        return asked.map(\.request.prompt) + asked.flatMap(\.endings).compactMap(\.text)
            + stored.flatMap(\.messages).map(\.text)
    }
}

/// The end of a turn, as frames, responses and reads show it.
extension Observations {
    /// Whether a read shows the end of a turn: its answer, or a final status.
    func showsEnd(of turn: ObservedTurn, in read: ObservedSessionRead) -> Bool {
        answer(of: turn, in: read) != nil || ["done", "failed"].contains(read.entry(of: turn)?.status)
    }

    /// The first event after another one that shows the end of a turn.
    func endingShown(of turn: ObservedTurn, after event: Int = -1) -> Int? {
        let read = reads(of: turn).first { $0.event > event && showsEnd(of: turn, in: $0) }
        let frame = turn.endings.first { $0.event > event }
        let response = turn.requests.lazy.compactMap(\.outcome).first { $0 > event }
        return [read?.event, frame?.event, response].compactMap { $0 }.min()
    }

    /// The first event that shows that a turn ended without an answer.
    func failureShown(of turn: ObservedTurn) -> Int? {
        let read = reads(of: turn).first { $0.entry(of: turn)?.status == "failed" }
        let frame = turn.endings.first { $0.type == "error" }
        return [frame?.event, turn.requests.lazy.compactMap(\.failure).first, read?.event].compactMap { $0 }.min()
    }

    /// Whether a turn ended without an answer while writes were refused.
    func couldNotBeStored(_ turn: ObservedTurn?) -> Bool {
        guard let turn, let failed = failureShown(of: turn), turn.ending?.type != "done" else { return false }
        return lives.refusedWrites(between: turn.event, and: failed)
    }

    /// The event by which a turn was accepted and all earlier turns of its session had ended; nil if one had not.
    func endOfTurnsBefore(_ turn: ObservedTurn) -> Int? {
        var end = turn.accepted(since: turn.event)
        for other in siblings(of: turn) where other.event < turn.event && other.isAccepted {
            guard let ended = endingShown(of: other) else { return nil }
            end = max(end, ended)
        }
        return end
    }

    /// The event that proves that a turn did not end in time: on its connection, over REST, or by a read without its
    /// answer.
    func lateness(of turn: ObservedTurn) -> Int? {
        guard let begun = endOfTurnsBefore(turn) else { return nil }
        let bound = timeouts.turn + turn.request.scriptedWait
        if let exchange = exchange(of: turn.request) { return deadline(after: exchange, within: bound) }
        let late = turn.request.connection.flatMap { deadline(after: begun, within: bound, on: $0) }
        // Anything sent on a connection that then ended may be lost.
        guard late == nil, turn.isAccepted, !wasStopped(between: turn.event, and: history.events.count) else {
            return late
        }
        let limit = patience(of: begun) + bound.microseconds
        // A scripted failure leaves no answer, so only the turn's status shows it.
        let mayBeOver = subject.hasScriptedAgent && turn.isScriptedToFail
        return reads(of: turn).first { read in
            patience(of: read.request) >= limit && !showsEnd(of: turn, in: read)
                && (!mayBeOver || read.entry(of: turn) != nil)
        }?.event
    }
}

extension ObservedSessionRead {
    /// The entry of a turn, by its id or its question's key.
    func entry(of turn: ObservedTurn) -> StoredTurn? {
        turns.first { turn.turnId != nil && $0.turnId == turn.turnId }
            ?? turns.first {
                turn.clientMessageId != nil && $0.clientMessageId == turn.clientMessageId
                    && (turn.turnId == nil || $0.turnId == nil)
            }
    }

    /// The first message of an earlier read that this one lacks or shows differently.
    func firstLost(of earlier: ObservedSessionRead) -> StoredMessage? {
        var rest = messages[...]
        return earlier.messages.first { message in
            let place = rest.firstIndex {
                $0.id == message.id && $0.role == message.role && exactlyEqual($0.text, message.text)
            }
            guard let place else { return true }
            rest = rest[(place + 1)...]
            return false
        }
    }
}

extension ObservedSessionRead.StoredMessage {
    var words: String { "\(role ?? "message") \(id ?? "without id"), '\(text.prefix(40))', in its place" }
}
