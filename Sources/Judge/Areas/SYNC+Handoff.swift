import Holdfast
import HoldfastJSON
import HoldfastTranscript

extension SYNC {
    /// SYNC-8: "A server MUST, after a `syncResult`, send live exactly those frames of its stream whose `seq` is above
    /// its `lastSeq`; the `message` of a `chat` sent there is exempt".
    ///
    /// Tested once for each live numbered frame after a `syncResult` of the connection, and for each higher frame that
    /// was shown elsewhere. A frame is lost once a later number came live on the connection, unless a later replay
    /// there contains it, or once the timeout `turn` passed. A frame above `lastSeq` that came before the answer left a
    /// hole behind it.
    static func liveFollowsTheReplay(_ history: Observations, _ evidence: inout Evidence) {
        var received: [Int: LiveFrames] = [:]
        for (sync, result) in history.answeredSyncs {
            guard let last = sync.lastSeq else { continue }
            let connection = history.connections[sync.connection]
            let live = received[sync.connection] ?? LiveFrames(on: sync.connection, history)
            received[sync.connection] = live
            let next = connection.received.after(result.event).first { $0.kind == .syncResult }?.event ?? .max
            for frame in live.frames.between(result.event, next) {
                guard let seq = frame.seq else { continue }
                evidence.test(
                    seq > last, otherwise: "a live frame has a number that the replay before it covers",
                    expected: "seq greater than \(last)", actual: "seq \(seq)", at: [result.event, frame.event])
            }
            for early in live.frames.between(sync.request.event, result.event) where early.seq ?? 0 > last {
                if live.own.contains(early.seq ?? 0) { continue }
                evidence.violate(
                    "a live frame above the lastSeq of a replay came before it", expected: "the replay first",
                    actual: "seq \(early.seq ?? 0), then lastSeq \(last)", at: [early.event, result.event])
            }
            for item in framesOwedLive(after: sync, result, above: last, unless: live.unowed, history) {
                if live.numbers.contains(item.seq) {
                    evidence.keep()
                } else if let proof = proofOfLoss(of: item, after: result, live, history) {
                    evidence.violate(
                        "a frame after the replay was never sent live", expected: "seq \(item.seq) on this connection",
                        actual: "only other connections received it", at: inOrder(result.event, item.event, proof))
                }
            }
        }
    }

    /// The frames above the `lastSeq` of an answer that were shown elsewhere while its connection was open, each once.
    private static func framesOwedLive(
        after sync: ObservedSync, _ result: Frame, above last: Int, unless unowed: Set<Int>, _ history: Observations
    ) -> [NumberedFrame] {
        let connection = history.connections[sync.connection]
        var known = unowed
        let shown = history.stream(of: connection.principal, epoch: result.epoch).items(after: result.event)
        return shown.prefix { connection.isOpen(at: $0.event - 1) }.filter { item in
            let isElsewhere = item.frame.connection != sync.connection || item.frame.isReplayed
            guard item.seq > last, isElsewhere, known.insert(item.seq).inserted else { return false }
            // In a capture the asker of a `message` may be unknown, and its own connection need not get it.
            return !history.isCapture || item.frame.kind != .message
        }
    }

    /// The event that proves that a frame will not come live: a replay with it, a later number, or the end of `turn`.
    private static func proofOfLoss(
        of item: NumberedFrame, after result: Frame, _ live: LiveFrames, _ history: Observations
    ) -> (any HasEvent)? {
        let replayed = history.stream(of: item.principal, epoch: item.epoch).items(numbered: item.seq).first {
            $0.frame.isReplayed && $0.frame.connection == result.connection && $0.isAfter(result.event)
        }
        let overtaking = live.frames.after(result.event).first { ($0.seq ?? 0) > item.seq }
        return replayed?.event ?? overtaking?.event
            ?? history.deadline(after: item.event, within: history.timeouts.turn, on: result.connection)
    }

    /// AUTH-6, rule 3: `missed` contains no frame of another principal.
    static func othersAreNotReplayed(_ history: Observations, _ evidence: inout Evidence) {
        var owners: [String: Set<String>] = [:]
        for frame in history.received where frame.kind != .error {
            let principal = history.principal(of: frame)
            for id in [frame.sessionId, frame.turnId].compactMap(\.self) { owners[id, default: []].insert(principal) }
        }
        for (sync, result) in history.answeredSyncs {
            let principal = history.principal(of: sync)
            let others = history.received.before(sync.request.event).contains { frame in
                NumberedFrame.isInStream(frame.kind) && history.principal(of: frame) != principal
            }
            guard others else { continue }
            let foreign = sync.missed.first { frame in
                [frame.sessionId, frame.turnId].compactMap(\.self).contains { id in
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
    /// Tested once for each turn whose `done` is replayed, and for each that ended unseen before a replay from an
    /// earlier position, as shown by the end of a later turn of its session on the asking connection. SYNC-5 judges
    /// which frames survive a restart.
    static func unseenAnswersAreReplayed(_ history: Observations, _ evidence: inout Evidence) {
        let whole = history.replays.filter { !$0.isCutShort && ($0.evicted == nil || !$0.numbers.isEmpty) }
        let replays = Dictionary(grouping: whole, by: \.principal)
        for turn in history.turns where turn.isAccepted {
            for replay in replays[turn.principal] ?? [] where replay.first.request.isAfter(turn.event) {
                let isThere = turn.replayed.contains { $0.kind == .done && replay.covers($0) }
                guard isThere || turn.endings.isEmpty, replay.position <= floor(of: turn, in: replay, history) else {
                    continue
                }
                if isThere {
                    evidence.keep()
                } else if history.life(of: turn) == history.life(of: replay.result),
                    !history.wasDisturbed(between: turn.event, and: replay.result.event),
                    let proof = proofOfMissedDone(turn, replay, history)
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
    /// Tested once for each older connection that ended while a newer one was open, if a turn that was asked or seen on
    /// the newer one ended there afterwards, or should have. TURN-3 judges a turn whose timeout had passed before. A
    /// newer connection that sent malformed messages, or was not read, proves nothing. ENV-5 judges an older connection
    /// that the server ended, together with others, for a malformed message. LIVE-10 judges two that end with the code
    /// of a stop, restart or overload. A process that exits ends both. The server may have ended a silent one for its
    /// silence (LIVE-3).
    static func newerConnectionIsUndisturbed(_ history: Observations, _ evidence: inout Evidence) {
        let hostile = Set(history.hostileFrames.map(\.frame.connection))
        let lastEnding = Dictionary(
            history.turns.flatMap(\.endings).map { ($0.connection, $0.event) }, uniquingKeysWith: max)
        for (index, older) in history.connections.enumerated() {
            guard let end = older.ending?.event else { continue }
            let others = history.connections.indices[(index + 1)...].prefix { history.connections[$0].opening < end }
            for position in others where !hostile.contains(position) {
                let newer = history.connections[position]
                guard newer.principal == older.principal, newer.isGreeted(before: end), newer.isOpen(at: end),
                    newer.pauses.isEmpty
                else { continue }
                if lastEnding[position].isAfter(end) {
                    evidence.keep()
                } else if let lost = newer.endByServer(), !lost.isExcused || lost.has(code: 1001),
                    !history.wasStopped(between: newer.opening, and: lost.event)
                {
                    let isOfTheProcess = history.endedWithItsProcess(end) && history.endedWithItsProcess(lost.event)
                    let isOneCause = older.ending?.kind == lost.kind && lost.announcesStop
                    if older.wasEndedByServer, hostile.contains(index) || isOfTheProcess || isOneCause { continue }
                    if history.wasSilent(newer, before: lost.event) { continue }
                    evidence.violate("a newer connection ended when an older one did", at: [end, lost.event])
                } else if let late = missedEnding(on: position, after: end, history) {
                    evidence.violate(
                        "a newer connection receives nothing after an older one ended",
                        expected: "the ending of the running turn", actual: "none within the bound 'turn'",
                        at: [end, late])
                }
            }
        }
    }

    /// The event after an end that proves that a turn which a connection saw running did not end there.
    private static func missedEnding(on index: Int, after end: Int, _ history: Observations) -> Expiry? {
        let connection = history.connections[index]
        let life = history.lives.life(at: connection.opening)
        return history.turns.before(end).filter { turn in
            turn.principal == connection.principal && turn.isAccepted && turn.ended == nil
                && (connection.isGreeted(before: turn.event) || !turn.frames.on(index).isEmpty)
                && history.life(of: turn) == life
        }.compactMap { history.turnDeadline(of: $0, on: index) }.first { $0.isAfter(end) }
    }

    // MARK: Restarts

    /// SYNC-5: "A server MUST use a new `epoch` whenever it could otherwise give out a `seq` again, or a restart lost
    /// some of its promised frames".
    ///
    /// Tested once for each first `connected` of a principal after a restart, if it was shown frames before. An old
    /// epoch means the old stream: `lastSeq` continues, no number is reused, and a replay from before contains the
    /// frames shown.
    static func restartsKeepTheStreamOrName(_ history: Observations, _ evidence: inout Evidence) {
        let shown = history.shown.map { (item: $0, life: history.life(of: $0.frame)) }
        var judged: Set<ScopedName> = []
        for connection in history.connections {
            guard let greeting = connection.greeting, let epoch = greeting.epoch else { continue }
            let life = history.lives.life(at: connection.opening)
            let key = ScopedName("\(life)", of: connection.principal)
            guard life > 0, !judged.contains(key) else { continue }
            let own = shown.filter { $0.item.principal == connection.principal && $0.life <= life }
            guard own.contains(where: { $0.life < life }), judged.insert(key).inserted else { continue }
            let old = own.filter { $0.life < life && $0.item.epoch == epoch }.map(\.item)
            guard let highest = old.max(by: { $0.seq < $1.seq }) else {
                evidence.keep()
                continue
            }
            let new = own.filter { $0.life == life && $0.item.epoch == epoch && !$0.item.frame.isReplayed }.map(\.item)
            if let last = greeting["lastSeq"]?.intValue, last < highest.seq {
                evidence.violate(
                    "the server kept its epoch over a restart, but not its numbers",
                    expected: "a new epoch, or lastSeq of at least \(highest.seq)",
                    actual: "epoch \(epoch), lastSeq \(last)", at: [highest.event, greeting.event])
            } else if let twice = firstReused(of: old, in: new) {
                evidence.violate(
                    "a number from before a restart was used again for another frame",
                    expected: "a new epoch, or seq greater than \(highest.seq)", actual: "seq \(twice.new.seq) again",
                    at: [twice.old.event, greeting.event, twice.new.event])
            } else {
                judgeReplay(in: epoch, life, connection.principal, greeting, history, into: &evidence)
            }
        }
    }

    private static func firstReused(
        of old: [NumberedFrame], in new: [NumberedFrame]
    ) -> (old: NumberedFrame, new: NumberedFrame)? {
        let names = Dictionary(grouping: old, by: \.seq)
        return new.lazy.compactMap { item in
            names[item.seq]?.first { $0.frame.identity != item.frame.identity }.map { ($0, item) }
        }.first
    }

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
    /// Tested once for each turn that was running when the process ended: a new `epoch` in the next greeting satisfies
    /// it, and so does an ending under the old one, replayed or live. A complete replay without it counts once the
    /// ending can no longer come: the timeout `turn` has passed since, or a later turn of its session, in which the
    /// interrupted one had used a tool, has ended live after the replay.
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
                        && replay.evicted == nil && replay.position <= floor && history.life(of: replay.result) > life
                        && !replay.hasNamelessEnding
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
    /// The event by which the ending of an interrupted turn was due after a replay; nil if it may still come.
    fileprivate func isOver(_ turn: ObservedTurn, behind replay: Replay) -> (any HasEvent)? {
        let index = replay.first.connection
        let later = siblings(of: turn).after(replay.result.event)
            .compactMap { $0.endings(on: index).first?.event }
        if let ended = later.first, !turn.toolUses.isEmpty { return ended }
        // Turns of a session may resume one after another, so the timeout starts once the earlier ones have ended.
        let earlier = siblings(of: turn).before(turn.event).filter(\.isAccepted)
        guard earlier.allSatisfy({ $0.ended != nil }) else { return nil }
        let begun = max(replay.result.event, earlier.compactMap(\.ended).max() ?? 0)
        return deadline(after: begun, within: timeouts.turn + turn.request.scriptedWait, on: index)
    }
}
