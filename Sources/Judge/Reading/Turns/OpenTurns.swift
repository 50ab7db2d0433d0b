import Transcript

/// Turns that may still go on, as each connection sees it.
///
/// Frames come in the order of time, and what has ended stays so: each turn is taken up once and dropped once.
struct OpenTurns {
    private struct Known {
        var turns: [Int] = []
        /// How many of the principal's turns were looked at.
        var seen = 0
    }

    private var byConnection: [Int: Known] = [:]
    /// What was open when the newest connection of a principal was asked for: later ones go on from there.
    private var newest: [String: (opening: Int, known: Known)] = [:]

    /// The turns asked before a frame that had not ended before its connection was asked for, and not on it since.
    ///
    /// `asked` holds every turn of the principal with the event that asked it, in order; `ended` the turns that have ended
    /// on the connection; `firstEnd` the event at which a turn first ended anywhere.
    mutating func turns(
        for frame: Frame, opening: Int, of principal: String, asked: [(turn: Int, event: Int)],
        ended: Set<Int>, firstEnd: [Int: Int]
    ) -> [Int] {
        let before = newest[principal]
        let isNewest = before.map { $0.opening <= opening } ?? true
        let own = byConnection[frame.connection]
        var known = own ?? (isNewest ? before?.known : nil) ?? Known()
        while known.seen < asked.count, asked[known.seen].event < frame.event {
            known.turns.append(asked[known.seen].turn)
            known.seen += 1
        }
        known.turns.removeAll { firstEnd[$0].map { $0 < opening } ?? false }
        if own == nil, isNewest { newest[principal] = (opening, known) }
        known.turns.removeAll { ended.contains($0) }
        byConnection[frame.connection] = known
        return known.turns
    }
}
