import Holdfast
import HoldfastTranscript

/// Endings of interrupted turns in a stream that survives restarts.
extension SYNC {
    /// TURN-8, rule 2: each interrupted turn ends in the stream of an `epoch` that is kept over a restart.
    ///
    /// Once for each turn that was running when the process ended: a new `epoch` in the next greeting satisfies it, and
    /// so does an ending under the old one, replayed or live. A complete replay without it counts once the ending can
    /// no longer come: the timeout `turn` has passed since, or a later turn of its session, in which the interrupted
    /// one had used a tool, has ended live after the replay.
    static func brokenTurnsEndInTheStream(_ history: Observations, _ evidence: inout Evidence) {
        for (life, end) in history.lives.ended {
            for turn in history.turnsInterrupted(by: end, of: life) {
                guard let index = turn.request.connection, let old = history.connections[index].greeting,
                    let epoch = old.epoch, let floor = old["lastSeq"]?.intValue
                else { continue }
                let next = history.connections.first {
                    $0.principal == turn.principal && $0.greeting?.epoch != nil
                        && history.lives.life(at: $0.opening) > life
                }
                guard let greeting = next?.greeting else { continue }
                let endings = (turn.endings + turn.replayed).filter { frame in
                    frame.type != "toolUse" && frame.type != "message" && history.life(of: frame) > life
                }
                if greeting.epoch != epoch || !endings.isEmpty {
                    evidence.keep()
                    continue
                }
                guard let name = turn.turnId else { continue }
                let proof = history.replays.lazy.compactMap { replay -> [Int]? in
                    guard replay.principal == turn.principal, replay.epoch == epoch, replay.last.claimsComplete,
                        replay.position <= floor, history.life(of: replay.result) > life,
                        // A frame without a turn may be its ending.
                        !replay.frames.contains(where: { isEnding($0) && $0.turnId == nil })
                    else { return nil }
                    return history.isOver(turn, behind: replay).map { [replay.result.event, $0] }
                }.first
                guard let proof else { continue }
                evidence.violate(
                    "a turn that a restart interrupted has no ending in the stream",
                    expected: "the ending of turn \(name)",
                    actual: "a complete replay without it", at: [turn.event, end.event] + proof)
            }
        }
    }

    private static func isEnding(_ frame: Frame) -> Bool { frame.type == "done" || frame.type == "error" }
}

extension Observations {
    /// The event by which the ending of an interrupted turn would have come live after a replay; nil if it may still
    /// come.
    ///
    /// Turns of a session may resume one after another, so the timeout starts once the earlier turns have ended.
    fileprivate func isOver(_ turn: ObservedTurn, behind replay: Replay) -> Int? {
        let later = turns.lazy.compactMap { other -> Int? in
            guard other.event > replay.result.event, other.principal == turn.principal, other.session == turn.session,
                turn.session != nil, turn.frames.contains(where: { $0.type == "toolUse" })
            else { return nil }
            return other.endings(on: replay.first.connection).first { !$0.isReplayed && !$0.isDuplicate }?.event
        }.first
        if let later { return later }
        var cause = replay.result.event
        for other in turns where other.event < turn.event && other.isAccepted && other.principal == turn.principal {
            guard other.session == turn.session || other.session == nil || turn.session == nil else { continue }
            guard let ended = other.ended else { return nil }
            cause = max(cause, ended)
        }
        let bound = timeouts.turn + turn.request.scriptedWait
        return deadline(after: cause, within: bound, on: replay.first.connection)
    }
}
