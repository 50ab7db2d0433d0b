import Holdfast
import Transcript

/// What a server does when it is told to stop.
extension LIVE {
    /// LIVE-6: "A server MUST close every connection with 1001 or 1012 when it is told to stop".
    ///
    /// Once for each connection that was open when the stage told the server to stop and that ended before the next start.
    static func stoppingClosesConnections(_ history: Observations, _ evidence: inout Evidence) {
        for (life, end) in history.lives.ended where end.cause == .stopped {
            for connection in history.connections
            where connection.opened.map({ $0 < end.event }) == true && connection.pauses.isEmpty {
                guard history.lives.life(at: connection.opening) == life, let ending = connection.ending,
                    ending.event > end.event
                else { continue }
                let actual: String
                switch ending.kind {
                case .closed(.fromServer, 1001), .closed(.fromServer, 1012):
                    evidence.keep()
                    continue
                case .closed(.fromServer, let code): actual = "close \(code.map(String.init) ?? "without a code")"
                case .lost: actual = "the end of the socket without a close frame"
                case .closed(.toServer, _), .cut: continue
                }
                evidence.violate(
                    "a connection was not closed as one of a server that stops", expected: "close 1001 or 1012",
                    actual: actual, at: [end.event, ending.event])
            }
        }
    }

    /// LIVE-7: "A server that is told to stop MUST finish, or end as failed, every running turn in a way that session reads
    /// show after the next start".
    ///
    /// Once for each turn that ran when the stage told the server to stop, by the reads after the next start: the question is
    /// there at once, its answer or final status within the bound of a turn, because a server may finish it then. Where no
    /// turns are listed, an error that the client was sent says how it ended.
    static func stoppedTurnsAreShownEnded(_ history: Observations, _ evidence: inout Evidence) {
        for (life, end) in history.lives.ended where end.cause == .stopped {
            for turn in history.turnsInterrupted(by: end, of: life) {
                let reads = history.readsAfterRestart(of: turn, since: life)
                func violate(_ what: String, _ expected: String, _ actual: String, _ event: Int) {
                    evidence.violate(what, expected: expected, actual: actual, at: [turn.event, end.event, event])
                }
                if let lost = reads.first(where: { history.question(of: turn, in: $0.read) == nil }) {
                    violate(
                        "a question is gone after the server was told to stop", shown(turn.request.prompt),
                        "a read without it", lost.read.event)
                } else if reads.contains(where: { hasEnded(turn, in: $0.read, history) }) {
                    evidence.keep()
                } else if let late = reads.first(where: { history.isLate($0.read, after: $0.start, for: turn) }) {
                    let entry = TURN.entry(of: turn, in: late.read)
                    violate(
                        "a turn has no end after the server was told to stop",
                        "its answer, or the status 'done' or 'failed'",
                        entry.map { "status \(shown($0.status))" } ?? "neither", late.read.event)
                }
            }
        }
    }

    private static func hasEnded(_ turn: ObservedTurn, in read: ObservedSessionRead, _ history: Observations) -> Bool {
        if history.answer(of: turn, in: read) != nil { return true }
        if read.listsTurns { return !TURN.isRunning(turn, in: read, history) && !read.turns.isEmpty }
        return turn.endings.contains { $0.type == "error" }
    }
}
