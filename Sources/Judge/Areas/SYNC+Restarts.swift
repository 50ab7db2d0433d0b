import Holdfast
import Transcript

/// What a restart means for the numbered stream.
extension SYNC {
    /// SYNC-9: "A server MUST use a new `epoch` whenever it could otherwise give out a `seq` again or can no longer replay
    /// what it gave out before a restart".
    ///
    /// Once for each first `connected` of a principal after a restart that had been shown frames before. An old epoch means
    /// the old stream: `lastSeq` goes on from it, no number comes again, and a replay from before holds what was shown.
    static func restartsKeepTheStreamOrName(_ history: Observations, _ evidence: inout Evidence) {
        let shown = history.shown.map { (item: $0, life: history.life(of: $0.frame)) }
        var judged: Set<TurnNames.Key> = []
        for connection in history.connections {
            guard let greeting = connection.greeting, let epoch = greeting.epoch else { continue }
            let life = history.lives.life(at: connection.opening)
            guard life > 0, !judged.contains(TurnNames.Key(principal: connection.principal, name: "\(life)")) else {
                continue
            }
            let earlier = shown.filter { $0.item.principal == connection.principal && $0.life < life }
            guard !earlier.isEmpty,
                judged.insert(TurnNames.Key(principal: connection.principal, name: "\(life)")).inserted
            else { continue }
            let old = earlier.filter { $0.item.epoch == epoch }.map(\.item)
            guard let highest = old.max(by: { $0.seq < $1.seq }) else {
                evidence.keep()
                continue
            }
            func violate(_ what: String, _ expected: String, _ actual: String, _ events: [Int]) {
                evidence.violate(what, expected: expected, actual: actual, at: events)
            }
            let new = shown.filter {
                $0.item.principal == connection.principal && $0.life == life && $0.item.epoch == epoch
                    && !$0.item.frame.isReplayed
            }.map(\.item)
            let twice = new.lazy.compactMap { item in
                old.first { $0.seq == item.seq && ORDER.identity($0.frame) != ORDER.identity(item.frame) }
                    .map { (old: $0, new: item) }
            }.first
            if let last = greeting["lastSeq"]?.intValue, last < highest.seq {
                violate(
                    "the epoch of before a restart is used on, but its numbers are not",
                    "a new epoch, or lastSeq of at least \(highest.seq)", "epoch \(epoch), lastSeq \(last)",
                    [highest.event, greeting.event])
            } else if let twice {
                violate(
                    "a number of before a restart comes again on another frame",
                    "a new epoch, or seq greater than \(highest.seq)", "seq \(twice.new.seq) again",
                    [twice.old.event, greeting.event, twice.new.event])
            } else {
                judgeReplay(of: old, epoch, life, connection.principal, greeting, history, into: &evidence)
            }
        }
    }

    /// Judges by the replays of a life whether frames shown before it are still there.
    private static func judgeReplay(
        of old: [NumberedFrame], _ epoch: String, _ life: Int, _ principal: String, _ greeting: ObservedFrame,
        _ history: Observations, into evidence: inout Evidence
    ) {
        let replays = history.replays.filter {
            $0.principal == principal && $0.epoch == epoch && history.life(of: $0.result) == life
        }
        var isWhole = false
        for replay in replays {
            let wanted = Set(old.filter { $0.seq > replay.position && history.isPromised($0, in: replay) }.map(\.seq))
            guard !wanted.isEmpty else { continue }
            let missing = wanted.subtracting(replay.numbers)
            if let first = missing.min(), let item = old.first(where: { $0.seq == first }) {
                return evidence.violate(
                    "the epoch of before a restart is used on, but its frames are not replayed",
                    expected: "a new epoch, or seq \(listed(wanted)) in missed",
                    actual: "seq \(listed(replay.numbers))", at: [item.event, replay.result.event])
            }
            isWhole = true
        }
        if isWhole { return evidence.keep() }
        evidence.doubt(
            "the epoch outlived a restart, and no replay shows whether its frames did",
            expected: "a sync from before the restart", actual: "none", at: [greeting.event])
    }
}
