import Holdfast
import HoldfastJSON
import HoldfastTranscript

extension TURN {
    /// TURN-4: "A server MUST end a turn whose agent failed with an `error` of code `agent_failed`".
    ///
    /// Only a scripted agent can be made to fail on purpose.
    static func agentFailuresAreNamed(_ history: Observations, _ evidence: inout Evidence) {
        for turn in history.turns where history.subject.hasScriptedAgent && turn.isScriptedToFail {
            guard let ending = turn.ending, !history.wasDisturbed(between: turn.event, and: ending.event) else {
                continue
            }
            evidence.test(
                ending.kind == .error && ending.code == "agent_failed",
                otherwise: "a turn whose agent failed did not end with agent_failed", expected: "error agent_failed",
                actual: called(ending), at: [turn.event, ending.event])
        }
    }

    /// The turns whose agent failed, with the error that ended each; a scripted failure counts whatever the error says.
    private static func failures(in history: Observations) -> [(turn: ObservedTurn, error: Frame)] {
        history.turns.compactMap { turn in
            guard let ending = turn.ending, ending.kind == .error else { return nil }
            let isScripted =
                history.subject.hasScriptedAgent && turn.isScriptedToFail && ending.code == nil
                && !history.wasDisturbed(between: turn.event, and: ending.event)
            return ending.code == "agent_failed" || isScripted ? (turn, ending) : nil
        }
    }

    /// TURN-5: "A server MUST run later turns of the same session and of other sessions after a turn has failed".
    ///
    /// Exercised by every question that was asked after a failure and whose own script does not fail. `busy` is allowed
    /// only while another turn of the session runs.
    static func turnsRunAfterAFailure(_ history: Observations, _ evidence: inout Evidence) {
        for (failed, failure) in failures(in: history) {
            for turn in history.turns.after(failure.event) where turn.principal == failed.principal {
                if history.subject.hasScriptedAgent, turn.isScriptedToFail { continue }
                let expected = "done"
                if let ending = turn.ending {
                    guard !history.wasDisturbed(between: failure.event, and: ending.event) else { continue }
                    // An agent without a script may fail for its own reasons.
                    if ending.kind != .done, ending.code == "agent_failed", !history.subject.hasScriptedAgent {
                        continue
                    }
                    evidence.test(
                        ending.kind == .done, otherwise: "a turn after a failed one did not succeed",
                        expected: expected, actual: called(ending), at: [failure.event, turn.event, ending.event])
                } else if turn.request.refusalCode == "busy", let refusal = turn.request.refusal {
                    guard !history.mayBeBusy(turn.request.sessionAsked, at: turn) else { continue }
                    evidence.violate(
                        "a session stayed busy after a failed turn", expected: expected, actual: "busy",
                        at: [failure.event, turn.event, refusal])
                } else if turn.request.refusal == nil, turn.response == nil, let index = turn.request.connection,
                    let end = history.turnDeadline(of: turn, on: index)
                {
                    evidence.violate(
                        "a turn after a failed one did not end", expected: expected, actual: "nothing",
                        at: [failure.event, turn.event, end])
                }
            }
        }
    }

    /// TURN-6: "A server MUST run an accepted turn to its end and store its answer whether or not any connection is
    /// open".
    ///
    /// Tested once for each turn whose connection or REST request ended before its ending was seen there, if a read has
    /// the answer. Without an answer, a read after the timeout proves the loss, and so does a read that shows the turn
    /// as failed.
    static func turnsOutliveTheirConnection(_ history: Observations, _ evidence: inout Evidence) {
        let canFail = history.subject.hasScriptedAgent
        for turn in history.turns {
            guard let end = departure(during: turn, history), turn.request.refusal == nil,
                !(canFail && turn.isScriptedToFail),
                !(turn.endings + turn.replayed).contains(where: { $0.kind == .error && !canFail }),
                !history.wasDisturbed(between: turn.event, and: history.events.count - 1)
            else { continue }
            let reads = history.reads(of: turn).asked(after: end)
            let bound = (history.timeouts.turn + turn.request.scriptedWait).microseconds
            let isSerial = history.mayBeBusy(turn.sessionId, at: turn)
            func isLate(_ read: ObservedSessionRead) -> Bool {
                // A question in a read was accepted, because refused ones are not stored.
                let isAccepted = turn.isAccepted || history.question(of: turn, in: read) != nil
                let begun = turn.firstSignOfRunning(since: turn.event)
                return !isSerial && isAccepted && history.effectiveSpan(from: begun, to: read.request) >= bound
            }
            // An agent without a script may fail for its own reasons.
            func isFailed(_ read: ObservedSessionRead) -> Bool { canFail && read.entry(of: turn)?.status == "failed" }
            evidence.test(
                reads.contains { history.answer(of: turn, in: $0) != nil },
                brokenBy: reads.first { isLate($0) || isFailed($0) }
            ) { read in
                Finding(
                    "a turn did not survive the end of its connection", expected: "the answer in the session",
                    actual: isFailed(read) ? "the turn is shown as failed" : "no answer", at: [turn, end, read])
            }
        }
    }

    /// The event at which an asking connection or request ended before it received the ending.
    private static func departure(during turn: ObservedTurn, _ history: Observations) -> Int? {
        turn.requests.filter { $0.refusal == nil }.compactMap { request in
            switch request.origin {
            case .connection(let index):
                guard let end = history.connections[index].ending, end.isAfter(request.event),
                    turn.endings(on: index).first?.isBefore(end.event) != true
                else { return nil }
                return end.event
            case .exchange(let index):
                return history.exchanges[index].failure.flatMap { turn.ended.isOpen(at: $0) ? $0 : nil }
            }
        }.min()
    }

    /// TURN-7: "A server MUST show in session reads each turn in `turns` under its `turnId` and `clientMessageId`:
    /// `running` until it ended, then for good `done`, beside its answer, or `failed`".
    ///
    /// `running` is required only while the script's waits, or those of an earlier turn on its connection, prove that
    /// the turn cannot have ended. Once per turn and read.
    static func sessionsListTheirTurns(_ history: Observations, _ evidence: inout Evidence) {
        for turn in history.turns where turn.isAccepted {
            guard let sign = turn.firstSign else { continue }
            for read in history.reads(of: turn).asked(after: sign) {
                // TURN-2 and PERSIST-1 judge whether a crash may remove a turn.
                if history.hasCrashed(between: sign, and: read.request), history.question(of: turn, in: read) == nil {
                    continue
                }
                let events = [turn.event, sign, read.event]
                guard let entry = read.entry(of: turn) else {
                    evidence.violate(
                        "a read of a session does not list a turn",
                        expected: "an entry in 'turns' for \(turn.turnId.map { shown($0) } ?? "it")",
                        actual: read.listsTurns ? listed(read.turns.compactMap(\.turnId)) : "no member 'turns'",
                        at: events)
                    continue
                }
                if let key = entry.clientMessageId, let own = turn.clientMessageId, key != own {
                    evidence.violate(
                        "a read of a session shows a turn under the key of another question", expected: shown(own),
                        actual: shown(key), at: events)
                }
                let allowed = states(of: turn, in: read, history)
                evidence.test(
                    allowed.contains(entry.status ?? ""),
                    otherwise: "a read of a session shows the wrong state of a turn",
                    expected: listed(allowed), actual: shown(entry.status), at: events)
            }
        }
    }

    private static func states(
        of turn: ObservedTurn, in read: ObservedSessionRead, _ history: Observations
    ) -> Set<String> {
        if history.subject.hasScriptedAgent, turn.ended.isOpen(at: read.event),
            !history.wasDisturbed(between: turn.event, and: read.event)
        {
            let line = history.turns(in: read).before(turn.event).filter { other in
                turn.request.connection != nil && other.ended.isOpen(at: read.event)
                    && other.request.connection == turn.request.connection
            }
            let shortest = ([turn] + line).map { history.time(of: $0.event) + $0.request.scriptedWait.microseconds }
                .max()
            if history.time(of: read.event) < shortest ?? 0 { return ["running"] }
        }
        let isAnswered = turn.ending?.kind == .done || turn.response != nil
        let final: Set<String> = isAnswered ? ["done"] : turn.ending == nil ? ["done", "failed"] : ["failed"]
        // Only an answer certainly survives a crash; a failure may be settled again (TURN-8).
        guard let ended = turn.ended, read.isAsked(after: ended),
            isAnswered || !history.hasCrashed(between: ended, and: read.request)
        else { return final.union(["running"]) }
        return final
    }

    /// TURN-7, rule 2: a turn that was shown as ended stays so, and is `done` only beside its answer.
    ///
    /// Tested once for each turn that a read shows as `done`, unless an answer there names no turn; and once for each
    /// that an earlier read had shown as ended, while all writes succeeded. A `done` after `failed` also violates it.
    static func endedTurnsStayAsTheyEnded(_ history: Observations, _ evidence: inout Evidence) {
        var ended: [ScopedName: (status: String, read: ObservedSessionRead)] = [:]
        for read in history.sessionReads {
            let answered = Set(read.messages.filter { $0.role == "assistant" }.map(\.turnId))
            for turn in read.turns {
                guard let id = turn.turnId, let principal = read.principal, let status = turn.status else { continue }
                if status == "done", answered.contains(id) || !answered.contains(nil) {
                    evidence.test(
                        answered.contains(id), otherwise: "a read shows a turn as done without its answer",
                        expected: "an answer with turnId \(id)", actual: "none", at: [read.request, read.event])
                }
                let name = ScopedName("\(read.sessionId)/\(id)", of: principal)
                if let before = ended[name], read.isAsked(after: before.read.event),
                    !history.lives.refusedWrites(between: 0, and: read.event)
                {
                    evidence.test(
                        status == before.status, otherwise: "a turn that had ended is shown with another status",
                        expected: shown(before.status), actual: shown(status), at: [before.read.event, read.event])
                } else if ended[name] == nil, ["done", "failed"].contains(status) {
                    ended[name] = (status, read)
                }
            }
        }
        failedTurnsGetNoAnswer(ended, history, &evidence)
    }

    private static func failedTurnsGetNoAnswer(
        _ ended: [ScopedName: (status: String, read: ObservedSessionRead)], _ history: Observations,
        _ evidence: inout Evidence
    ) {
        for turn in history.turns {
            guard let id = turn.turnId, let session = turn.sessionId,
                let shown = ended[ScopedName("\(session)/\(id)", of: turn.principal)], shown.status == "failed",
                let done = turn.dones.after(shown.read.event).first(where: { !$0.isReplayed && !$0.isDuplicate })
            else { continue }
            evidence.violate(
                "a turn was shown as failed before its answer", expected: "'running'", actual: "'failed'",
                at: [shown.read.event, done.event])
        }
    }

    /// TURN-13: "A server SHOULD state `retryable` in an `error` that ends a turn".
    static func endingErrorsSayWhetherToRetry(_ history: Observations, _ evidence: inout Evidence) {
        for ending in history.turns.flatMap(\.endings) where ending.kind == .error {
            evidence.test(
                ending["retryable"]?.boolValue != nil,
                otherwise: "an error that ends a turn has no 'retryable'",
                expected: "a Boolean 'retryable'", actual: shown(ending["retryable"]?.text()), at: [ending.event])
        }
    }

    // MARK: Turns that the end of the server's process interrupted

    /// TURN-2: "A server MUST make a question and its `clientMessageId` durable before any byte of its `ack` leaves and
    /// before its agent begins".
    ///
    /// Tested once for each kill on the bytes of an `ack` that was read after the next start; fewer than 20 prove
    /// nothing. PERSIST-2 judges losses without a crash.
    static func ackMeansDurable(_ history: Observations, _ evidence: inout Evidence) {
        let promises = history.promises(by: .ack)
        for promise in promises {
            guard let lost = promise.lostAt, history.hasCrashed(between: promise.madeAt, and: lost) else { continue }
            evidence.violate(
                "an acknowledged question is lost after a crash", expected: shown(promise.turn.request.prompt),
                actual: "a read without it", at: [promise.madeAt, lost])
        }
        evidence.take(ArmedKills(on: "ack", promises, in: history), on: "`ack`", "question")
    }

    /// TURN-8: "A server MUST, within `turn` after it accepts connections again, end every turn that its stop or crash
    /// broke, in session reads and the stream of a kept `epoch`".
    ///
    /// Tested once for each interrupted turn: by the first read after the restart that shows its end, else by one after
    /// the timeout.
    static func interruptedTurnsEnd(_ history: Observations, _ evidence: inout Evidence) {
        for (life, end) in history.lives.ended {
            for turn in history.turnsInterrupted(by: end, of: life) {
                let reads = history.readsAfterRestart(of: turn, since: life)
                evidence.test(
                    reads.contains(where: { history.showsEnd(of: turn, in: $0.read) }),
                    brokenBy: reads.first(where: { history.isLate($0.read, after: $0.start, for: turn) })
                ) { late in
                    Finding(
                        "a turn that the end of the process interrupted is not shown as ended",
                        expected: "its answer, or the status 'done' or 'failed'",
                        actual: late.read.entry(of: turn).map { shown($0.status) } ?? "no entry",
                        at: [turn.event, end.event, late.start, late.read.event], lacking: "turns")
                }
            }
        }
    }

    /// TURN-9: "A server MUST give the code `interrupted` to an `error` that ends a turn because the server stopped".
    ///
    /// Tested once for each turn that was running when the stage ended the process: by the first error with its end,
    /// live, replayed or in the copy for a repeat. If the server ended its connection during the stop, a turn without
    /// such an error also counts, because the server could have sent another code.
    static func stoppedTurnsAreInterrupted(_ history: Observations, _ evidence: inout Evidence) {
        let isScripted = history.subject.hasScriptedAgent
        for (life, end) in history.lives.ended where end.cause != .exited {
            for turn in history.turnsInterrupted(by: end, of: life) {
                let endings = (turn.endings + turn.replayed + turn.copies).after(end.event)
                guard let error = endings.filter({ $0.kind == .error }).earliest else {
                    let connection = turn.request.connection.map { history.connections[$0] }
                    if end.cause == .stopped, connection?.endByServer(after: end.event) != nil { evidence.keep() }
                    continue
                }
                // The turn may have failed for its own reason.
                let hasOwn = error.code == "agent_failed" && (!isScripted || turn.isScriptedToFail)
                let isInterrupted = error.code == "interrupted"
                guard isInterrupted || !hasOwn && !history.lives.refusedWrites(between: turn.event, and: error.event)
                else { continue }
                evidence.test(
                    isInterrupted, otherwise: "a turn interrupted by the end of the server has the wrong error code",
                    expected: "error interrupted", actual: called(error), at: [turn.event, end.event, error.event])
            }
        }
    }
}
