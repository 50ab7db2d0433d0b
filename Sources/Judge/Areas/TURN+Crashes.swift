import Holdfast
import Transcript

/// Checks of turns that the end of the server's process interrupted.
extension TURN {
    /// TURN-3: "A server MUST make the user's message durable before any byte of its `ack` leaves".
    ///
    /// Once for each kill on the bytes of an `ack` that was read after the next start; fewer than 20 prove nothing. What is missing without a crash is the
    /// matter of TURN-20.
    static func ackMeansDurable(_ history: Observations, _ evidence: inout Evidence) {
        let promises = history.promisedQuestions
        let fates = history.fates(ofQuestions: promises)
        for (promise, fate) in zip(promises, fates) {
            guard let lost = fate.lostAt, history.hasCrashed(between: promise.told, and: lost) else { continue }
            evidence.violate(
                "an acknowledged question is gone after a crash", expected: shown(promise.turn.request.prompt),
                actual: "a read without it", at: [promise.told, lost])
        }
        let kills = ArmedKills(on: "ack", promises, fates, in: history)
        for _ in kills.kept { evidence.keep() }
        if let doubt = kills.doubt(on: "`ack`", "question") { evidence.doubts.append(doubt) }
        evidence.remarks = [kills.remark(on: "`ack`", "question")].compactMap { $0 }
    }

    /// TURN-13: "A server that shows `turns` MUST bring every turn that its own crash interrupted to `done` or `failed`
    /// within `turn` after it accepts connections again".
    ///
    /// Once for each interrupted turn: by the first read after the restart that does not show it as running, else by one
    /// begun after the bound. A read that lists no turns shows none as running.
    static func interruptedTurnsEnd(_ history: Observations, _ evidence: inout Evidence) {
        for (life, end) in history.lives.ended where end.cause != .stopped {
            for turn in history.turnsInterrupted(by: end, of: life) {
                let reads = history.readsAfterRestart(of: turn, since: life)
                if reads.contains(where: { !isRunning(turn, in: $0.read, history) }) {
                    evidence.keep()
                } else if let late = reads.first(where: { history.isLate($0.read, after: $0.start, for: turn) }) {
                    evidence.violate(
                        "a turn that a crash interrupted is still shown as running", expected: "'done' or 'failed'",
                        actual: "'running'", at: [turn.event, end.event, late.start, late.read.event])
                }
            }
        }
    }

    /// Whether a read shows a turn as running; where nothing names it, any running turn may be the one.
    static func isRunning(_ turn: ObservedTurn, in read: ObservedSessionRead, _ history: Observations) -> Bool {
        if let entry = entry(of: turn, in: read) { return entry.status != "done" && entry.status != "failed" }
        guard turn.turnId == nil, turn.clientMessageId == nil else { return false }
        return read.turns.contains { $0.status == "running" }
    }

    /// TURN-14: "A server MUST give the code `interrupted` to an `error` that ends a turn because the server stopped".
    ///
    /// Once for each turn that ran when the process was ended: by the first error that tells of its end, live, replayed or as
    /// the copy a repeat gets. A turn whose connection was watched to its end while the server stopped counts without one,
    /// because the server was free to give another code.
    static func stoppedTurnsAreInterrupted(_ history: Observations, _ evidence: inout Evidence) {
        let isScripted = history.subject.hasScriptedAgent
        for (life, end) in history.lives.ended where end.cause != .exited {
            for turn in history.turnsInterrupted(by: end, of: life) {
                let errors = (turn.endings + turn.replayed + turn.copies).filter {
                    $0.type == "error" && $0.event > end.event
                }
                guard let error = errors.min(by: { $0.event < $1.event }) else {
                    guard end.cause == .stopped, let index = turn.request.connection,
                        let ending = history.connections[index].ending, ending.event > end.event,
                        history.connections[index].wasEndedByServer
                    else { continue }
                    evidence.keep()
                    continue
                }
                if error.code == "interrupted" {
                    evidence.keep()
                    continue
                }
                // The turn may have failed for a reason of its own.
                let mayFail = !isScripted || turn.request.script.contains { $0["fail"] != nil }
                if error.code == "agent_failed", mayFail { continue }
                if history.lives.refusedWrites(between: turn.event, and: error.event) { continue }
                evidence.violate(
                    "a turn that the end of the server interrupted is called something else",
                    expected: "error interrupted", actual: called(error), at: [turn.event, end.event, error.event])
            }
        }
    }
}
