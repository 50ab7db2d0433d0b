import Holdfast
import HoldfastJudge
import HoldfastTranscript

/// Shortens a history that breaks a clause to a readable one: removes the events that the finding does not need.
struct HistoryShrinking {
    let clause: ClauseID
    /// The clauses that the whole history breaks; a shorter one must break no others.
    let broken: Set<ClauseID>
    let specification: Specification
    private static let maxAttempts = 200

    /// The smallest history found that is broken in the same way, and all verdicts on it.
    func smallest(_ history: History, breaking finding: Finding) -> (history: History, verdicts: [Verdict]) {
        var best = history
        var attemptsLeft = Self.maxAttempts
        func tryKeeping(_ isKept: (Int) -> Bool) -> Bool {
            guard attemptsLeft > 0 else { return false }
            attemptsLeft -= 1
            let smaller = best.keeping(isKept)
            guard smaller.events.count < best.events.count, breaks(judge(smaller, under: specification), finding) else {
                return false
            }
            best = smaller
            return true
        }
        if let last = finding.events.max() { _ = tryKeeping { $0 <= last } }
        var size = Set(best.pieces).count / 2
        while size >= 1 {
            var start = 0
            while true {
                let pieces = best.pieces
                let names = pieces.unique
                guard start < names.count else { break }
                let dropped = Set(names[start..<min(start + size, names.count)])
                if !tryKeeping({ !dropped.contains(pieces[$0]) }) { start += size }
                if attemptsLeft == 0 { break }
            }
            size /= 2
        }
        return (best, judge(best, under: specification))
    }

    private func breaks(_ verdicts: [Verdict], _ finding: Finding) -> Bool {
        verdicts.allSatisfy { $0.outcome != .violation || broken.contains($0.clause) }
            && verdicts.contains { verdict in
                verdict.clause == clause && verdict.outcome == .violation
                    && verdict.findings.contains { $0.what == finding.what }
            }
    }
}

extension History {
    /// The history with some of its events; those that were judged before stay marked.
    fileprivate func keeping(_ isKept: (Int) -> Bool) -> History {
        let kept = events.indices.filter(isKept)
        var header = header
        if let capture = header.capture { header.capture?.carried = kept.count { $0 < capture.carried } }
        return History(header: header, events: kept.map { events[$0] }, frames: kept.map { frames[$0] })
    }

    /// The unit of each event, which is kept or removed as a whole: a turn on a connection, an exchange, or the rest of
    /// a connection.
    fileprivate var pieces: [String] {
        var turns: [String: String] = [:]
        for case let frame? in frames {
            if let key = frame.clientMessageId, let turn = frame.turnId { turns[turn] = key }
        }
        var openings: [Lane: Int] = [:]
        return zip(events, frames).map { event, frame in
            if case .opening = event.kind { openings[event.lane, default: 0] += 1 }
            let lane = "\(event.lane) \(openings[event.lane] ?? 0)"
            if case .ping = event.kind { return "\(lane) ping" }
            if case .pong = event.kind { return "\(lane) ping" }
            let key = frame?.clientMessageId ?? frame?.turnId.flatMap { turns[$0] ?? $0 }
            return key.map { "turn \($0)" } ?? lane
        }
    }
}
