import Holdfast
import Transcript

/// What a server does when it is told to stop.
extension LIVE {
    /// LIVE-6: "A server MUST close every connection with 1001 or 1012 when it is told to stop".
    ///
    /// Once for each connection that was open when the stage told the server to stop and that ended before the next start.
    static func stoppingClosesConnections(_ observations: Observations) -> Evidence {
        var evidence = Evidence()
        for (life, end) in observations.lives.ended where end.cause == .stopped {
            for connection in observations.connections
            where connection.opened.map({ $0 < end.event }) == true && connection.pauses.isEmpty {
                guard observations.lives.life(at: connection.opening) == life, let ending = connection.ending,
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
                    Finding(
                        "a connection was not closed as one of a server that stops", expected: "close 1001 or 1012",
                        actual: actual, at: [end.event, ending.event]))
            }
        }
        return evidence
    }

    /// LIVE-7: "A server that is told to stop MUST finish, or end as failed, every running turn in a way that session reads
    /// show after the next start".
    ///
    /// Once for each turn that ran when the stage told the server to stop, by the reads after the next start: the question is
    /// there at once, its answer or final status within the bound of a turn, because a server may finish it then. Where no
    /// turns are listed, an error that the client was sent says how it ended.
    static func stoppedTurnsAreShownEnded(_ observations: Observations) -> Evidence {
        var evidence = Evidence()
        for (life, end) in observations.lives.ended where end.cause == .stopped {
            for turn in observations.turnsInterrupted(by: end, of: life) {
                let reads = observations.readsAfterRestart(of: turn, since: life)
                func violate(_ what: String, _ expected: String, _ actual: String, _ event: Int) {
                    evidence.violate(
                        Finding(what, expected: expected, actual: actual, at: [turn.event, end.event, event]))
                }
                if let lost = reads.first(where: { observations.question(of: turn, in: $0.read) == nil }) {
                    violate(
                        "a question is gone after the server was told to stop", shown(turn.request.prompt),
                        "a read without it", lost.read.event)
                } else if reads.contains(where: { hasEnded(turn, in: $0.read, observations) }) {
                    evidence.keep()
                } else if let late = reads.first(where: { observations.isLate($0.read, after: $0.start, for: turn) }) {
                    let entry = TURN.entry(of: turn, in: late.read)
                    violate(
                        "a turn has no end after the server was told to stop",
                        "its answer, or the status 'done' or 'failed'",
                        entry.map { "status \(shown($0.status))" } ?? "neither", late.read.event)
                }
            }
        }
        return evidence
    }

    private static func hasEnded(
        _ turn: ObservedTurn, in read: ObservedSessionRead, _ observations: Observations
    ) -> Bool {
        if observations.answer(of: turn, in: read) != nil { return true }
        if read.listsTurns { return !TURN.isRunning(turn, in: read, observations) && !read.turns.isEmpty }
        return turn.endings.contains { $0.type == "error" }
    }
}
