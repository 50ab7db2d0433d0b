import HoldfastTranscript

extension Observations {
    /// The turns that the server had certainly accepted in a life, and that had not ended when that life did.
    ///
    /// Frames read after a kill were sent before it, so they count; frames after a request to stop do not. A later read
    /// that shows such a turn as running also counts.
    func turnsInterrupted(by end: SubjectLives.End, of life: Int) -> [ObservedTurn] {
        let limit = end.cause == .stopped ? end.event : Int.max
        return turns.filter { turn in
            let endings = turn.endings + turn.copies
            let hasEnded =
                endings.contains { self.life(of: $0) <= life && $0.event < limit }
                || turn.requests.contains { self.life(of: $0) <= life && ($0.outcome ?? .max) < limit }
            guard !hasEnded, turn.requests.contains(where: { self.life(of: $0) == life && $0.event < end.event }) else {
                return false
            }
            return (turn.acks + turn.frames + endings).contains { self.life(of: $0) == life && $0.event < limit }
                || reads(of: turn).contains { read in
                    lives.life(at: read.request) == life && read.request > turn.event
                        && question(of: turn, in: read) != nil
                }
                // A later read shows it as running, although all its requests belong to that life.
                || readsAfterRestart(of: turn, since: life).contains { read, _ in
                    read.entry(of: turn)?.status == "running"
                        && turn.requests.allSatisfy { $0.isAfter(read.event) || self.life(of: $0) == life }
                }
        }
    }

    /// Reads of a turn's session after a life ended, each with the start of the life in which it was requested.
    func readsAfterRestart(of turn: ObservedTurn, since life: Int) -> [(read: ObservedSessionRead, start: Int)] {
        reads(of: turn).compactMap { read in
            let later = lives.life(at: read.request)
            guard later > life, let start = lives.start(of: later) else { return nil }
            return (read, start)
        }
    }

    /// Whether a read is so late after a start that every resumed turn must have ended.
    func isLate(_ read: ObservedSessionRead, after start: Int, for turn: ObservedTurn) -> Bool {
        let bound = (timeouts.turn + turn.request.scriptedWait).microseconds
        return effectiveTime(of: read.request) >= effectiveTime(of: start) + bound
    }
}

extension Observations {
    /// The sessions with a turn running at the end of a life, and the session of the last question.
    func sessionsInUse(in life: Int, at end: Int) -> Set<String> {
        let asked = turns.filter { turn in
            turn.requests.contains { self.life(of: $0) == life && $0.event < end }
        }
        let running = asked.filter { turn in turn.ended.map { $0 > end } ?? !turn.isRefused }
        return Set((running + asked.suffix(1)).compactMap { $0.session })
    }
}
