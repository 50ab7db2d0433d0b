import Transcript

/// Turns that ran when a life of the subject's process ended.
extension Observations {
    /// The turns that the server had surely taken on in a life, and that had not ended when the life did.
    ///
    /// What was read from a connection after a kill was sent before it, so it counts; after the order to stop the server
    /// goes on speaking, and that is what is judged.
    func turnsInterrupted(by end: SubjectLives.End, of life: Int) -> [ObservedTurn] {
        let limit = end.cause == .stopped ? end.event : Int.max
        return turns.filter { turn in
            let frames = turn.acks + turn.frames + turn.endings + turn.copies
            let own = frames.filter { self.life(of: $0) == life }
            let shows =
                own.contains { $0.event < limit }
                || reads(of: turn).contains { read in
                    lives.life(at: read.request) == life && read.request > turn.event
                        && question(of: turn, in: read) != nil
                }
            guard shows, turn.requests.contains(where: { self.life(of: $0) == life && $0.event < end.event }) else {
                return false
            }
            let endings = turn.endings + turn.copies
            let hasEnded =
                endings.contains { self.life(of: $0) <= life && $0.event < limit }
                || turn.requests.contains { self.life(of: $0) <= life && ($0.outcome ?? .max) < limit }
            return !hasEnded
        }
    }

    /// Reads of a turn's session after a life ended, with the event that began the life each fell into.
    func readsAfterRestart(of turn: ObservedTurn, since life: Int) -> [(read: ObservedSessionRead, start: Int)] {
        reads(of: turn).compactMap { read in
            let later = lives.life(at: read.request)
            guard later > life, let start = lives.start(of: later) else { return nil }
            return (read, start)
        }
    }

    /// Whether a read is so late after a start that every turn which it resumes has to have ended.
    func isLate(_ read: ObservedSessionRead, after start: Int, for turn: ObservedTurn) -> Bool {
        let bound = (timeouts.turn + turn.request.scriptedWait).microseconds
        return patience(of: read.request) >= patience(of: start) + bound
    }
}
