import Holdfast
import HoldfastJSON
import HoldfastTranscript

/// Where replay ends and live begins, and who is shown what.
extension SYNC {
    /// SYNC-8: "A server MUST replay every frame as it was first sent, with the same members and values".
    ///
    /// Once for each replayed frame that was shown before under the same number of the same epoch.
    static func replayIsAsFirstSent(_ history: Observations, _ evidence: inout Evidence) {
        for item in history.shown where item.frame.isReplayed {
            let stream = history.stream(of: item.principal, epoch: item.epoch)
            guard let before = stream.firstShown(upTo: item.seq).last,
                (before.event, before.frame.replayIndex) != (item.event, item.frame.replayIndex)
            else { continue }
            evidence.test(
                before.frame.value == item.frame.value, otherwise: "a replayed frame differs from the original",
                expected: text(before.frame.value), actual: text(item.frame.value), at: [before.event, item.event])
        }
    }

    /// SYNC-17: "A server MUST NOT send live, after a `syncResult`, a frame whose `seq` is not greater than its `lastSeq`".
    ///
    /// Once for each live numbered frame after a `syncResult` of the connection.
    static func nothingReplayedComesLive(_ history: Observations, _ evidence: inout Evidence) {
        for connection in history.connections {
            var answer: Frame?
            for frame in connection.received {
                if frame.type == "syncResult" { answer = frame }
                guard history.isNumbered(frame), let seq = frame.seq, let answer, let last = answer["lastSeq"]?.intValue
                else { continue }
                evidence.test(
                    seq > last, otherwise: "a live frame has a number that the replay before it covers",
                    expected: "seq greater than \(last)", actual: "seq \(seq)", at: [answer.event, frame.event])
            }
        }
    }

    /// SYNC-18: "A server MUST send live, on the connection that asked, every frame of the stream whose `seq` is greater than
    /// the `lastSeq` of the `syncResult`, save the `message` of a `chat` sent there".
    ///
    /// Once for each such frame that was shown elsewhere. It is lost once a later number came live on the connection, a later
    /// replay on it holds the frame, or the bound `turn` passed.
    static func nothingFallsBetween(_ history: Observations, _ evidence: inout Evidence) {
        var received: [Int: LiveFrames] = [:]
        for (sync, result) in history.answeredSyncs {
            guard let last = sync.lastSeq, let epoch = result.epoch else { continue }
            let connection = history.connections[sync.connection]
            let live = received[sync.connection] ?? LiveFrames(on: sync.connection, history)
            received[sync.connection] = live
            let end = connection.ending?.event ?? .max
            let stream = history.stream(of: connection.principal, epoch: epoch)
            func isElsewhere(_ item: NumberedFrame) -> Bool {
                item.frame.connection != sync.connection || item.frame.isReplayed
            }
            var judged = live.unowed
            for item in stream.items(after: result.event) {
                if item.event > end { break }
                guard item.seq > last, isElsewhere(item), judged.insert(item.seq).inserted else { continue }
                // Without names nothing tells whose question a message is, and its own connection need not see it.
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
            // What is shown elsewhere only after the connection ended counts when it had come live before.
            guard end < .max else { continue }
            for seq in live.numbers where seq > last && !judged.contains(seq) {
                let isShown = stream.items(numbered: seq).contains {
                    $0.event > max(end, result.event) && isElsewhere($0)
                }
                if isShown { evidence.keep() }
            }
        }
    }

    /// SYNC-20: "A server MUST NOT put into `missed` a frame of another principal".
    ///
    /// Once for each answer after another principal was shown frames of its own.
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

    /// SYNC-21: "A server MUST keep `done` replayable after its turn has ended, also when no connection was open at that
    /// moment, for as long as any other frame".
    ///
    /// Once for each turn that had ended before a replay from before it. That it had ended is shown by its live `done`, or,
    /// when nobody was there, by the end of a later turn of the session on the connection that asked. What a restart keeps of
    /// the stream is the matter of SYNC-9, and a replay without any frame that of SYNC-15.
    static func doneStaysReplayable(_ history: Observations, _ evidence: inout Evidence) {
        var floors: [Stream.Key: [StreamFloor]] = [:]
        for replay in history.replays where !replay.isCutShort && !replay.keepsBack {
            let key = Stream.Key(principal: replay.principal, epoch: replay.epoch)
            let all = floors[key] ?? StreamFloor.all(of: key, history)
            floors[key] = all
            for floor in all[all.boundary { $0.highest >= replay.position }...] {
                let turn = history.turns[floor.turn]
                if turn.event >= replay.first.request.event { break }
                guard replay.position <= floor.seq else { continue }
                if let replayed = turn.replayed.first(where: { $0.type == "done" && replay.covers($0) }) {
                    if turn.endings.first.map({ $0.event < replayed.event || $0.isReplayed }) ?? true {
                        evidence.keep()
                    }
                    continue
                }
                guard history.life(of: turn) == history.life(of: replay.result),
                    !history.wasDisturbed(between: turn.event, and: replay.result.event),
                    let proof = ended(turn, replay, history)
                else { continue }
                evidence.violate(
                    "the done of an ended turn is not replayed", expected: "the done of turn \(turn.turnId ?? "asked")",
                    actual: "seq \(listed(replay.numbers)) in missed", at: [replay.result.event, proof].sorted())
            }
        }
    }

    /// SYNC-22: "A server MUST keep a newer connection of a principal undisturbed when an older one of it closes, fails or
    /// times out".
    ///
    /// Once for each older connection that ended while a newer one was open, when a turn ended on the newer one afterwards,
    /// or should have: one that was asked or seen there, for an earlier one may have ended before, and whose time was not up
    /// when the older one ended, which is the matter of TURN-5. A newer connection that sent something malformed, or was not
    /// read, proves nothing; where the older one was ended for something malformed, and others with it, that is the matter of
    /// ENV-10, and a process that ends by itself ends both.
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
                } else if newer.wasEndedByServer, newer.ending?.isExcused != true, let lost = newer.ending?.event,
                    !history.wasStopped(between: newer.opening, and: lost)
                {
                    let isOfTheProcess =
                        history.endedWithItsProcess(end.event) && history.endedWithItsProcess(lost)
                    if older.wasEndedByServer, hostile.contains(index) || isOfTheProcess { continue }
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

    // MARK: What a restart means for the numbered stream

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
            let key = TurnNames.Key(principal: connection.principal, name: "\(life)")
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
                judgeReplay(of: old, epoch, life, connection.principal, greeting, history, into: &evidence)
            }
        }
    }

    /// Judges by the replays of a life whether frames shown before it are still there; the pages of one that nobody followed
    /// to its end hold the first of them.
    private static func judgeReplay(
        of old: [NumberedFrame], _ epoch: String, _ life: Int, _ principal: String, _ greeting: Frame,
        _ history: Observations, into evidence: inout Evidence
    ) {
        let replays = history.replays.filter {
            $0.principal == principal && $0.epoch == epoch && history.life(of: $0.result) == life
        }
        var isWhole = false
        for replay in replays {
            let wanted = Set(
                old.filter {
                    $0.seq > replay.position && !(replay.isCutShort && $0.seq > replay.covered)
                        && history.isPromised($0, in: replay)
                }.map(\.seq))
            guard !wanted.isEmpty else { continue }
            let missing = wanted.subtracting(replay.numbers)
            if let first = missing.min(), let item = old.first(where: { $0.seq == first }) {
                return evidence.violate(
                    "the server kept its epoch over a restart, but does not replay its frames",
                    expected: "a new epoch, or seq \(listed(wanted)) in missed",
                    actual: "seq \(listed(replay.numbers))", at: [item.event, replay.result.event])
            }
            isWhole = true
        }
        if isWhole { return evidence.keep() }
        evidence.doubt(
            "the server kept its epoch over a restart, and no replay shows whether it kept the frames",
            expected: "a sync from before the restart", actual: "none", at: [greeting.event])
    }
}
