import Holdfast
import HoldfastJSON
import HoldfastTranscript

/// The transition from replayed to live frames, and their visibility.
extension SYNC {
    /// SYNC-8: "A server MUST send live, after a `syncResult`, of its stream's frames exactly those with a `seq` above
    /// its `lastSeq`; the `message` of a `chat` sent there is free".
    ///
    /// Once for each live numbered frame after a `syncResult` of the connection, and for each higher frame that was
    /// shown elsewhere. A frame is lost once a later number came live on the connection, unless a later replay there
    /// contains it, or once the timeout `turn` passed.
    static func liveGoesOnWhereTheReplayEnds(_ history: Observations, _ evidence: inout Evidence) {
        var received: [Int: LiveFrames] = [:]
        for (sync, result) in history.answeredSyncs {
            guard let last = sync.lastSeq else { continue }
            let connection = history.connections[sync.connection]
            let live = received[sync.connection] ?? LiveFrames(on: sync.connection, history)
            received[sync.connection] = live
            let next = connection.received.first { $0.type == "syncResult" && $0.event > result.event }?.event ?? .max
            for frame in live.frames where frame.event > result.event && frame.event < next {
                guard let seq = frame.seq else { continue }
                evidence.test(
                    seq > last, otherwise: "a live frame has a number that the replay before it covers",
                    expected: "seq greater than \(last)", actual: "seq \(seq)", at: [result.event, frame.event])
            }
            guard let epoch = result.epoch else { continue }
            let end = connection.ending?.event ?? .max
            let stream = history.stream(of: connection.principal, epoch: epoch)
            func isElsewhere(_ item: NumberedFrame) -> Bool {
                item.frame.connection != sync.connection || item.frame.isReplayed
            }
            var judged = live.unowed
            for item in stream.items(after: result.event) {
                if item.event > end { break }
                guard item.seq > last, isElsewhere(item), judged.insert(item.seq).inserted else { continue }
                // In a capture the asker of a `message` may be unknown, and its own connection need not get it.
                if history.isCapture, item.frame.type == "message" { continue }
                if live.numbers.contains(item.seq) {
                    evidence.keep()
                    continue
                }
                let ownReplay = stream.items(numbered: item.seq).first {
                    $0.frame.isReplayed && $0.frame.connection == sync.connection && $0.event > result.event
                }?.event
                let overtaken = live.frames.first { ($0.seq ?? 0) > item.seq && $0.event > result.event }?.event
                let late = history.deadline(after: item.event, within: history.timeouts.turn, on: sync.connection)
                guard let proof = ownReplay ?? overtaken ?? late else { continue }
                evidence.violate(
                    "a frame after the replay was never sent live", expected: "seq \(item.seq) on this connection",
                    actual: "only other connections received it", at: [result.event, item.event, proof].sorted())
            }
        }
    }

    /// AUTH-6, rule 3: `missed` contains no frame of another principal.
    ///
    /// Once for each answer after another principal was shown its own frames.
    static func othersAreNotReplayed(_ history: Observations, _ evidence: inout Evidence) {
        var owners: [String: Set<String>] = [:]
        for frame in history.received where frame.type != "error" {
            let principal = history.principal(of: frame)
            for id in [frame.sessionId, frame.turnId].compactMap({ $0 }) { owners[id, default: []].insert(principal) }
        }
        for (sync, result) in history.answeredSyncs {
            let principal = history.principal(of: sync)
            let others = history.received.contains { frame in
                frame.event < sync.request.event && NumberedFrame.isOfStream(frame.type)
                    && history.principal(of: frame) != principal
            }
            guard others else { continue }
            let foreign = sync.missed.first { frame in
                [frame.sessionId, frame.turnId].compactMap { $0 }.contains { id in
                    owners[id].map { !$0.contains(principal) } ?? false
                }
            }
            evidence.test(no: foreign) { foreign in
                Finding(
                    "missed contains a frame of another principal", expected: "frames of \(principal) only",
                    actual: "session \(foreign.sessionId ?? "none"), seq \(text(foreign["seq"]))", at: [result.event])
            }
        }
    }

    /// SYNC-7, rule 2: the `done` of a turn that ended while no connection was open is replayed.
    ///
    /// Once for each turn whose `done` is replayed, and for each that ended unseen before a replay from an earlier
    /// position, as shown by the end of a later turn of its session on the asking connection. SYNC-5 judges which
    /// frames survive a restart.
    static func unseenAnswersAreReplayed(_ history: Observations, _ evidence: inout Evidence) {
        let whole = history.replays.filter { !$0.isCutShort && !$0.keepsBack }
        let replays = Dictionary(grouping: whole, by: \.principal)
        for turn in history.turns where turn.isAccepted {
            for replay in replays[turn.principal] ?? [] where turn.event < replay.first.request.event {
                let isThere = turn.replayed.contains { $0.type == "done" && replay.covers($0) }
                guard isThere || turn.endings.isEmpty, replay.position <= floor(of: turn, in: replay, history) else {
                    continue
                }
                if isThere {
                    evidence.keep()
                } else if history.life(of: turn) == history.life(of: replay.result),
                    !history.wasDisturbed(between: turn.event, and: replay.result.event),
                    let proof = ended(turn, replay, history)
                {
                    evidence.violate(
                        "the done of an ended turn is not replayed",
                        expected: "the done of turn \(turn.turnId ?? "asked")",
                        actual: "seq \(listed(replay.numbers)) in missed", at: [replay.result.event, proof].sorted())
                }
            }
        }
    }

    /// A lower bound for the number of a turn's `done`: the greatest number shown before its question, or by its own
    /// first frames.
    private static func floor(of turn: ObservedTurn, in replay: Replay, _ history: Observations) -> Int {
        let stream = history.stream(of: turn.principal, epoch: replay.epoch)
        let own = turn.frames.compactMap { stream.greatest(at: $0.event) }.max() ?? 0
        return max(own, stream.greatest(before: turn.event) ?? 0)
    }

    /// SYNC-10: "A server MUST keep a newer connection of a principal undisturbed when an older one of it closes, fails
    /// or times out".
    ///
    /// Once for each older connection that ended while a newer one was open, if a turn that was asked or seen on the
    /// newer one ended there afterwards, or should have. A turn from before may have ended earlier, and TURN-3 judges
    /// one whose time was already up. A newer connection that sent malformed messages, or was not read, proves nothing.
    /// ENV-5 judges an older one that was ended for a malformed message together with others, a process that exits ends
    /// both, and a silent one may have been ended for that (LIVE-3).
    static func newerConnectionIsUndisturbed(_ history: Observations, _ evidence: inout Evidence) {
        let hostile = Set(history.hostileFrames.map(\.frame.connection))
        var lastEnding: [Int: Int] = [:]
        for ending in history.turns.flatMap(\.endings) {
            lastEnding[ending.connection] = max(lastEnding[ending.connection] ?? 0, ending.event)
        }
        for (index, older) in history.connections.enumerated() {
            guard let end = older.ending else { continue }
            for position in history.connections.indices[(index + 1)...] {
                let newer = history.connections[position]
                if newer.opening >= end.event { break }
                guard newer.principal == older.principal, let connected = newer.connected, connected < end.event,
                    newer.isOpen(at: end.event), newer.pauses.isEmpty, !hostile.contains(position)
                else { continue }
                if let last = lastEnding[position], last > end.event {
                    evidence.keep()
                } else if newer.wasEndedByServer, newer.ending.map({ $0.isExcused && !$0.has(code: 1001) }) != true,
                    let lost = newer.ending?.event,
                    !history.wasStopped(between: newer.opening, and: lost)
                {
                    let isOfTheProcess =
                        history.endedWithItsProcess(end.event) && history.endedWithItsProcess(lost)
                    if older.wasEndedByServer, hostile.contains(index) || isOfTheProcess { continue }
                    if history.wasSilent(newer, before: lost) { continue }
                    evidence.violate(
                        "a newer connection ended when an older one did", expected: "it stays open",
                        actual: "the server ended it", at: [end.event, lost])
                } else if let late = history.turns.lazy.filter({ turn in
                    turn.principal == newer.principal && turn.isAccepted && turn.ended == nil && turn.event < end.event
                        && (turn.event > connected || turn.frames.contains { $0.connection == position })
                        && history.life(of: turn) == history.lives.life(at: newer.opening)
                }).compactMap({ history.turnDeadline(of: $0, on: position) }).first(where: { $0 > end.event }) {
                    evidence.violate(
                        "a newer connection receives nothing after an older one ended",
                        expected: "the ending of the running turn", actual: "none within the bound 'turn'",
                        at: [end.event, late])
                }
            }
        }
    }

    // MARK: Restarts

    /// SYNC-5: "A server MUST use a new `epoch` whenever it could otherwise give out a `seq` again, or a restart took
    /// promised frames from it".
    ///
    /// Once for each first `connected` of a principal after a restart, if it was shown frames before. An old epoch
    /// means the old stream: `lastSeq` continues, no number is reused, and a replay from before contains the frames
    /// shown.
    static func restartsKeepTheStreamOrName(_ history: Observations, _ evidence: inout Evidence) {
        let shown = history.shown.map { (item: $0, life: history.life(of: $0.frame)) }
        var judged: Set<OwnName> = []
        for connection in history.connections {
            guard let greeting = connection.greeting, let epoch = greeting.epoch else { continue }
            let life = history.lives.life(at: connection.opening)
            let key = OwnName("\(life)", of: connection.principal)
            guard life > 0, !judged.contains(key) else { continue }
            let earlier = shown.filter { $0.item.principal == connection.principal && $0.life < life }
            guard !earlier.isEmpty, judged.insert(key).inserted else { continue }
            let old = earlier.filter { $0.item.epoch == epoch }.map(\.item)
            guard let highest = old.max(by: { $0.seq < $1.seq }) else {
                evidence.keep()
                continue
            }
            let new = shown.filter {
                $0.item.principal == connection.principal && $0.life == life && $0.item.epoch == epoch
                    && !$0.item.frame.isReplayed
            }.map(\.item)
            let twice = new.lazy.compactMap { item in
                old.first { $0.seq == item.seq && $0.frame.identity != item.frame.identity }
                    .map { (old: $0, new: item) }
            }.first
            if let last = greeting["lastSeq"]?.intValue, last < highest.seq {
                evidence.violate(
                    "the server kept its epoch over a restart, but not its numbers",
                    expected: "a new epoch, or lastSeq of at least \(highest.seq)",
                    actual: "epoch \(epoch), lastSeq \(last)", at: [highest.event, greeting.event])
            } else if let twice {
                evidence.violate(
                    "a number from before a restart was used again for another frame",
                    expected: "a new epoch, or seq greater than \(highest.seq)", actual: "seq \(twice.new.seq) again",
                    at: [twice.old.event, greeting.event, twice.new.event])
            } else {
                judgeReplay(in: epoch, life, connection.principal, greeting, history, into: &evidence)
            }
        }
    }

    /// Judges by the replays of a life whether frames shown before it remain.
    private static func judgeReplay(
        in epoch: String, _ life: Int, _ principal: String, _ greeting: Frame, _ history: Observations,
        into evidence: inout Evidence
    ) {
        let own = history.replays.filter {
            $0.principal == principal && $0.epoch == epoch && history.life(of: $0.result) == life
        }
        let replays = own.map { replay in
            (replay, wanted: replay.promised(in: history).filter { history.life(of: $0.frame) < life })
        }.filter { !$0.wanted.isEmpty }
        for (replay, wanted) in replays {
            guard let lost = wanted.first(where: { !replay.numbers.contains($0.seq) }) else { continue }
            return evidence.violate(
                "the server kept its epoch over a restart, but does not replay its frames",
                expected: "a new epoch, or seq \(listed(wanted.map(\.seq))) in missed",
                actual: "seq \(listed(replay.numbers))", at: [lost.event, replay.result.event])
        }
        if !replays.isEmpty { return evidence.keep() }
        evidence.doubt(
            "the server kept its epoch over a restart, and no replay shows whether it kept the frames",
            expected: "a sync from before the restart", actual: "none", at: [greeting.event])
    }

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
                    let epoch = old.epoch, let floor = old["lastSeq"]?.intValue,
                    let greeting = history.connections.first(where: {
                        $0.principal == turn.principal && $0.greeting?.epoch != nil
                            && history.lives.life(at: $0.opening) > life
                    })?.greeting
                else { continue }
                let hasEnded = (turn.endings + turn.replayed).contains { $0.isEnding && history.life(of: $0) > life }
                if greeting.epoch != epoch || hasEnded {
                    evidence.keep()
                    continue
                }
                let whole = history.replays.filter { replay in
                    replay.principal == turn.principal && replay.epoch == epoch && replay.last.claimsComplete
                        && replay.position <= floor && history.life(of: replay.result) > life
                        // A frame without a turn may be its ending.
                        && !replay.frames.contains { $0.isEnding && $0.turnId == nil }
                }
                let proof = whole.lazy.compactMap { replay in
                    history.isOver(turn, behind: replay).map { [replay.result.event, $0] }
                }.first
                guard let name = turn.turnId, let proof else { continue }
                evidence.violate(
                    "a turn that a restart interrupted has no ending in the stream",
                    expected: "the ending of turn \(name)", actual: "a complete replay without it",
                    at: [turn.event, end.event] + proof)
            }
        }
    }
}

extension Observations {
    /// The event by which the ending of an interrupted turn would have come live after a replay; nil if it may still
    /// come.
    fileprivate func isOver(_ turn: ObservedTurn, behind replay: Replay) -> Int? {
        let index = replay.first.connection
        let later = siblings(of: turn).filter { $0.event > replay.result.event }
            .compactMap { $0.endings(on: index).first { !$0.isReplayed && !$0.isDuplicate }?.event }
        if let ended = later.first, !turn.toolUses.isEmpty { return ended }
        // Turns of a session may resume one after another, so the timeout starts once the earlier ones have ended.
        let earlier = siblings(of: turn).filter { $0.event < turn.event && $0.isAccepted }
        guard earlier.allSatisfy({ $0.ended != nil }) else { return nil }
        let begun = max(replay.result.event, earlier.compactMap(\.ended).max() ?? 0)
        return deadline(after: begun, within: timeouts.turn + turn.request.scriptedWait, on: index)
    }
}
