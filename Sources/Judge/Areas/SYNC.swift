import Holdfast
import JSON
import Transcript

/// Position, replay and the honest gap.
///
/// Evidence is what the same principal was shown, on any connection; a hole in `seq` alone proves nothing (SYNC-6).
enum SYNC {
    static let checks: [Check] = [
        Check(.SYNC, 1, greetingStatesThePosition), Check(.SYNC, 2, eachSyncHasOneAnswer),
        Check(.SYNC, 3, completeMeansWhole), Check(.SYNC, 4, heartbeatsTakeNoPlaces),
        Check(.SYNC, 5, positionIsExclusive), Check(.SYNC, 7, missedRises), Check(.SYNC, 8, replayIsAsFirstSent),
        Check(.SYNC, 10, otherEpochIsTold), Check(.SYNC, 11, positionWithoutEpochIsNeverWhole),
        Check(.SYNC, 12, futurePositionIsTold), Check(.SYNC, 13, evictionIsTold), Check(.SYNC, 14, gapsHaveReasons),
        Check(.SYNC, 15, promisedFramesAreReplayed), Check(.SYNC, 16, zeroIsBeforeTheFirst),
        Check(.SYNC, 17, nothingReplayedComesLive), Check(.SYNC, 18, nothingFallsBetween),
        Check(.SYNC, 19, lastSeqCoversAll), Check(.SYNC, 20, othersAreNotReplayed),
        Check(.SYNC, 21, doneStaysReplayable),
        Check(.SYNC, 22, newerConnectionIsUndisturbed), Check(.SYNC, 23, limitIsKept),
        Check(.SYNC, 24, pagesHoldFrames),
    ]

    /// SYNC-1: "A server MUST state `epoch` and `lastSeq` in `connected`".
    ///
    /// Once for each `connected`. Frames shown before the client's `auth` was sent bound `lastSeq` from below; later ones may
    /// have overtaken the greeting.
    static func greetingStatesThePosition(_ history: Observations) -> Evidence {
        var evidence = Evidence()
        let shown = history.shown
        for connection in history.connections {
            guard let greeting = connection.greeting else { continue }
            guard let epoch = greeting.epoch, let last = greeting["lastSeq"]?.intValue else {
                evidence.violate(
                    Finding(
                        "connected does not state the position", expected: "epoch, a string, and lastSeq, an integer",
                        actual: "epoch \(text(greeting["epoch"])), lastSeq \(text(greeting["lastSeq"]))",
                        at: [greeting.event]))
                continue
            }
            let begun = connection.auth ?? connection.opening
            let before = shown.last { item in
                item.principal == connection.principal && item.epoch == epoch && item.event < begun && item.seq > last
            }
            if let before {
                evidence.violate(
                    Finding(
                        "lastSeq is smaller than a number this principal was shown before",
                        expected: "lastSeq of at least \(before.seq)", actual: "lastSeq \(last)",
                        at: [before.event, greeting.event]))
            } else {
                evidence.keep()
            }
        }
        return evidence
    }

    /// SYNC-2: "A server MUST answer each valid `sync` with exactly one `syncResult` on the connection that sent it".
    ///
    /// Once for each answer, and for each valid question that stayed without one for the whole bound.
    static func eachSyncHasOneAnswer(_ history: Observations) -> Evidence {
        var evidence = Evidence()
        for sync in history.syncs {
            if sync.result != nil {
                evidence.keep()
            } else if isValid(sync, history),
                let late = history.deadline(
                    after: sync.request.event, within: history.timeouts.sync, on: sync.connection)
            {
                evidence.violate(
                    Finding(
                        "a sync stayed without its syncResult", expected: "one syncResult within the bound 'sync'",
                        actual: "none", at: [sync.request.event, late]))
            }
        }
        let answers = Set(history.syncs.compactMap { $0.result?.event })
        for connection in history.connections {
            for frame in connection.received where frame.type == "syncResult" && !answers.contains(frame.event) {
                evidence.violate(
                    Finding(
                        "a syncResult that no sync asked for", expected: "one syncResult for each sync",
                        actual: "one more", at: [frame.event]))
            }
        }
        return evidence
    }

    /// SYNC-3: "A server MUST set `complete` to true only when `missed` holds every sequenced frame after `lastSeqSeen` that
    /// this principal may see".
    ///
    /// Once for each `syncResult`; one that says `complete: false` counts, because it was free to lie.
    static func completeMeansWhole(_ history: Observations) -> Evidence {
        var evidence = Evidence()
        for replay in history.replays {
            let lacking = replay.lacking
            if replay.last.claimsComplete, let first = lacking.first, let item = replay.wanted[first] {
                evidence.violate(
                    Finding(
                        "complete is true, but a frame this principal was shown is missing",
                        expected: "seq \(listed(replay.wanted.keys)) in missed",
                        actual: "seq \(listed(replay.numbers))",
                        at: [item.event, replay.result.event].sorted { $0 < $1 }.filter { $0 < replay.result.event }
                            + [replay.result.event]))
            } else {
                evidence.keep()
            }
        }
        return evidence
    }

    /// SYNC-4: "A server MUST NOT let `ping`, `pong`, `ack`, `connected`, `syncResult` or errors that end no turn take the
    /// place of replayable frames".
    ///
    /// Once for each replay of promised frames that would have been pushed out, had the other frames been counted too.
    static func heartbeatsTakeNoPlaces(_ history: Observations) -> Evidence {
        var evidence = Evidence()
        let received = history.received
        for replay in history.replays where replay.last.result?["more"]?.boolValue != true {
            let promised = replay.wanted.values.filter { history.isPromised($0, in: replay) }
            guard let oldest = promised.map(\.event).min() else { continue }
            let others = received.filter { frame in
                frame.event > oldest && frame.event < replay.first.request.event && !history.isNumbered(frame)
                    && history.connections[frame.connection].principal == replay.principal
            }
            guard promised.count + others.count > history.promise(on: replay.first.connection).messages else {
                continue
            }
            let lost = promised.filter { !replay.numbers.contains($0.seq) }
            if lost.isEmpty {
                evidence.keep()
            } else {
                evidence.violate(
                    Finding(
                        "frames that fit the promise are gone after \(others.count) frames that take no place",
                        expected: "seq \(listed(promised.map(\.seq))) in missed",
                        actual: "seq \(listed(replay.numbers))",
                        at: [oldest, replay.result.event]))
            }
        }
        return evidence
    }

    /// SYNC-5: "A server MUST put into `missed` only frames whose `seq` is greater than `lastSeqSeen`".
    ///
    /// Once for each answer to a position above 0 at or before which frames are known, or that replays any.
    static func positionIsExclusive(_ history: Observations) -> Evidence {
        var evidence = Evidence()
        let shown = history.shown
        for (sync, result) in history.answeredSyncs {
            guard let position = sync.lastSeqSeen, position > 0 else { continue }
            let principal = history.principal(of: sync)
            let numbers = sync.missed.compactMap(\.seq)
            let early = numbers.filter { $0 <= position }
            let isKnown = shown.contains {
                $0.principal == principal && $0.epoch == result.epoch && $0.seq <= position && $0.event < result.event
            }
            if !early.isEmpty {
                evidence.violate(
                    Finding(
                        "missed holds frames at or before the position", expected: "only seq greater than \(position)",
                        actual: "seq \(listed(early))", at: [sync.request.event, result.event]))
            } else if !numbers.isEmpty || isKnown {
                evidence.keep()
            }
        }
        return evidence
    }

    /// SYNC-7: "A server MUST list the frames of `missed` in strictly rising `seq`".
    ///
    /// Once for each two neighbours.
    static func missedRises(_ history: Observations) -> Evidence {
        var evidence = Evidence()
        for (sync, result) in history.answeredSyncs {
            let numbers = sync.missed.compactMap(\.seq)
            for (before, after) in zip(numbers, numbers.dropFirst()) {
                if before < after {
                    evidence.keep()
                } else {
                    evidence.violate(
                        Finding(
                            "missed does not rise", expected: "a seq greater than \(before) after \(before)",
                            actual: "seq \(after)", at: [result.event]))
                }
            }
        }
        return evidence
    }

    /// SYNC-8: "A server MUST replay every frame as it was first sent, with the same members and values".
    ///
    /// Once for each replayed frame that was shown before under the same number of the same epoch.
    static func replayIsAsFirstSent(_ history: Observations) -> Evidence {
        var evidence = Evidence()
        var first: [Place: Shown] = [:]
        for item in history.shown {
            let place = Place(principal: item.principal, epoch: item.epoch, seq: item.seq)
            guard let before = first[place] else {
                first[place] = item
                continue
            }
            guard item.frame.isReplayed else { continue }
            if before.frame.value == item.frame.value {
                evidence.keep()
            } else {
                evidence.violate(
                    Finding(
                        "a frame comes back changed", expected: "\(text(before.frame.value))",
                        actual: text(item.frame.value), at: [before.event, item.event]))
            }
        }
        return evidence
    }

    /// SYNC-10: "A server MUST answer a `sync` that names another epoch with `complete: false` and the reason
    /// `epoch_changed`".
    static func otherEpochIsTold(_ history: Observations) -> Evidence {
        var evidence = Evidence()
        for (sync, result) in history.answeredSyncs {
            guard let asked = sync.request.epoch,
                let current = result.epoch ?? history.epoch(on: sync.connection, before: result.event),
                asked != (history.epoch(on: sync.connection, before: sync.request.event) ?? current)
            else { continue }
            judgeGap(sync, result, reason: "epoch_changed", "another epoch was asked for", into: &evidence)
        }
        return evidence
    }

    /// SYNC-11: "A server MUST NOT set `complete` to true in the answer to a `sync` without `epoch` whose `lastSeqSeen` is
    /// greater than 0".
    static func positionWithoutEpochIsNeverWhole(_ history: Observations) -> Evidence {
        var evidence = Evidence()
        for (sync, result) in history.answeredSyncs {
            guard sync.request["epoch"] == nil, let position = sync.lastSeqSeen, position > 0 else { continue }
            if sync.claimsComplete {
                evidence.violate(
                    Finding(
                        "a position without its epoch is answered as whole", expected: "complete: false",
                        actual: "complete: true", at: [sync.request.event, result.event]))
            } else {
                evidence.keep()
            }
        }
        return evidence
    }

    /// SYNC-12: "A server MUST answer a `sync` whose `lastSeqSeen` is greater than its last `seq` with `complete: false` and
    /// the reason `unknown_position`".
    ///
    /// Once for each position in the current epoch beyond the `lastSeq` of its own answer.
    static func futurePositionIsTold(_ history: Observations) -> Evidence {
        var evidence = Evidence()
        for (sync, result) in history.answeredSyncs {
            guard let position = sync.lastSeqSeen, let last = sync.lastSeq, position > last,
                let asked = sync.request.epoch, asked == result.epoch
            else { continue }
            judgeGap(
                sync, result, reason: "unknown_position", "position \(position) lies beyond \(last)", into: &evidence)
        }
        return evidence
    }

    /// SYNC-13: "A server MUST answer a `sync` for whose position frames have already left the buffer with
    /// `complete: false` and the reason `evicted`".
    ///
    /// Once for each answer that lacks frames which are surely no longer promised; a server that keeps more is free to.
    static func evictionIsTold(_ history: Observations) -> Evidence {
        var evidence = Evidence()
        for replay in history.replays where replay.result["more"]?.boolValue != true {
            let gone = replay.lacking.filter { number in
                replay.wanted[number].map { history.isOutlived($0, in: replay) } ?? false
            }
            guard !gone.isEmpty else { continue }
            judgeGap(
                replay.last, replay.result, reason: "evicted", "seq \(listed(gone)) left the buffer", into: &evidence)
        }
        return evidence
    }

    /// SYNC-14: "A server MUST give a `reason` in every `syncResult` with `complete: false`, and none in one with
    /// `complete: true`".
    static func gapsHaveReasons(_ history: Observations) -> Evidence {
        var evidence = Evidence()
        for result in history.received where result.type == "syncResult" {
            guard let complete = result["complete"]?.boolValue else { continue }
            if complete == (result["reason"] == nil) {
                evidence.keep()
            } else {
                evidence.violate(
                    Finding(
                        complete ? "a whole answer gives a reason for a gap" : "a gap has no reason",
                        expected: complete ? "no reason" : "epoch_changed, evicted, too_many or unknown_position",
                        actual: text(result["reason"]), at: [result.event]))
            }
        }
        return evidence
    }

    /// SYNC-15: "A server MUST replay every frame that is among the newest `limits.replayMessages` (1000 when not told) and
    /// younger than `limits.replaySeconds` (3600 when not told)".
    ///
    /// Once for each replay, all pages together, that owes frames which are surely inside both bounds.
    static func promisedFramesAreReplayed(_ history: Observations) -> Evidence {
        var evidence = Evidence()
        for replay in history.replays {
            let promised = replay.wanted.values.filter { history.isPromised($0, in: replay) }
            guard !promised.isEmpty else { continue }
            let lost = promised.filter { !replay.numbers.contains($0.seq) }
            if let first = lost.min(by: { $0.seq < $1.seq }) {
                evidence.violate(
                    Finding(
                        "a frame inside the promised bounds is not replayed",
                        expected: "seq \(listed(promised.map(\.seq))) in missed",
                        actual: "seq \(listed(replay.numbers))",
                        at: [first.event, replay.result.event].filter { $0 < replay.result.event }
                            + [replay.result.event]))
            } else {
                evidence.keep()
            }
        }
        return evidence
    }

    /// SYNC-16: "A server MUST treat `lastSeqSeen: 0` in the current epoch, or without an epoch, as the position before the
    /// first frame".
    ///
    /// Once for each such question after promised frames were shown; an answer that replays some of them understood the
    /// position, and one that replays none did not.
    static func zeroIsBeforeTheFirst(_ history: Observations) -> Evidence {
        var evidence = Evidence()
        for replay in history.replays where replay.position == 0 {
            let promised = replay.wanted.values.filter { history.isPromised($0, in: replay) }
            guard !promised.isEmpty else { continue }
            if replay.numbers.isDisjoint(with: promised.map(\.seq)) {
                evidence.violate(
                    Finding(
                        "position 0 is not taken for the one before the first frame",
                        expected: "seq \(listed(promised.map(\.seq))) in missed",
                        actual: "seq \(listed(replay.numbers)), reason \(text(replay.result["reason"]))",
                        at: [replay.first.request.event, replay.result.event]))
            } else {
                evidence.keep()
            }
        }
        return evidence
    }

    /// SYNC-17: "A server MUST NOT send live, after a `syncResult`, a frame whose `seq` is not greater than its `lastSeq`".
    ///
    /// Once for each live numbered frame after a `syncResult` of the connection.
    static func nothingReplayedComesLive(_ history: Observations) -> Evidence {
        var evidence = Evidence()
        for connection in history.connections {
            var answer: ObservedFrame?
            for frame in connection.received {
                if frame.type == "syncResult" { answer = frame }
                guard history.isNumbered(frame), let seq = frame.seq, let answer, let last = answer["lastSeq"]?.intValue
                else { continue }
                if seq > last {
                    evidence.keep()
                } else {
                    evidence.violate(
                        Finding(
                            "a live frame lies inside the replay before it", expected: "seq greater than \(last)",
                            actual: "seq \(seq)", at: [answer.event, frame.event]))
                }
            }
        }
        return evidence
    }

    /// SYNC-18: "A server MUST send live, on the connection that asked, every frame of the stream whose `seq` is greater than
    /// the `lastSeq` of the `syncResult`".
    ///
    /// Once for each such frame that was shown elsewhere. It is lost once a later number came live on the connection, a later
    /// replay on it holds the frame, or the bound `turn` passed.
    static func nothingFallsBetween(_ history: Observations) -> Evidence {
        var evidence = Evidence()
        let shown = history.shown
        for (sync, result) in history.answeredSyncs {
            guard let last = sync.lastSeq, let epoch = result.epoch else { continue }
            let connection = history.connections[sync.connection]
            let live = connection.received.filter { history.isNumbered($0) }
            var judged: Set<Int> = []
            for item in shown where item.principal == connection.principal && item.epoch == epoch && item.seq > last {
                let isElsewhere = item.frame.connection != sync.connection || item.frame.isReplayed
                guard isElsewhere, item.event > result.event, judged.insert(item.seq).inserted else { continue }
                if live.contains(where: { $0.seq == item.seq }) {
                    evidence.keep()
                    continue
                }
                if let ending = connection.ending, ending.event < item.event { continue }
                let ownReplay = shown.first {
                    $0.frame.isReplayed && $0.frame.connection == sync.connection && $0.seq == item.seq
                        && $0.epoch == epoch && $0.event > result.event
                }?.event
                let overtaken = live.first { ($0.seq ?? 0) > item.seq && $0.event > result.event }?.event
                let late = history.deadline(after: item.event, within: history.timeouts.turn, on: sync.connection)
                guard let proof = ownReplay ?? overtaken ?? late else { continue }
                evidence.violate(
                    Finding(
                        "a frame after the replay never came live", expected: "seq \(item.seq) on this connection",
                        actual: "it was shown elsewhere only", at: [result.event, item.event, proof].sorted()))
            }
        }
        return evidence
    }

    /// SYNC-19: "A server MUST state in `syncResult` a `lastSeq` that is not smaller than the `seq` of any frame in `missed`
    /// or shown to this principal before the `sync` was sent".
    static func lastSeqCoversAll(_ history: Observations) -> Evidence {
        var evidence = Evidence()
        let shown = history.shown
        for (sync, result) in history.answeredSyncs {
            guard let last = sync.lastSeq, let epoch = result.epoch else { continue }
            let principal = history.principal(of: sync)
            let known = shown.filter { item in
                item.principal == principal && item.epoch == epoch
                    && (item.event < sync.request.event || item.event == result.event)
            }
            if let beyond = known.first(where: { $0.seq > last }) {
                evidence.violate(
                    Finding(
                        "lastSeq is smaller than a number this principal was shown",
                        expected: "lastSeq of at least \(known.map(\.seq).max() ?? beyond.seq)",
                        actual: "lastSeq \(last)",
                        at: beyond.event < result.event ? [beyond.event, result.event] : [result.event]))
            } else if !known.isEmpty {
                evidence.keep()
            }
        }
        return evidence
    }

    /// SYNC-20: "A server MUST NOT put into `missed` a frame of another principal".
    ///
    /// Once for each answer after another principal was shown frames of its own.
    static func othersAreNotReplayed(_ history: Observations) -> Evidence {
        var evidence = Evidence()
        var owners: [String: Set<String>] = [:]
        for frame in history.received where frame.type != "error" {
            let principal = history.connections[frame.connection].principal
            for id in [frame.sessionId, frame.turnId].compactMap({ $0 }) { owners[id, default: []].insert(principal) }
        }
        for (sync, result) in history.answeredSyncs {
            let principal = history.principal(of: sync)
            let others = history.received.contains { frame in
                frame.event < sync.request.event && Observations.streamTypes.contains(frame.type ?? "")
                    && history.connections[frame.connection].principal != principal
            }
            guard others else { continue }
            let foreign = sync.missed.first { frame in
                [frame.sessionId, frame.turnId].compactMap { $0 }.contains { id in
                    owners[id].map { !$0.contains(principal) } ?? false
                }
            }
            if let foreign {
                evidence.violate(
                    Finding(
                        "missed holds a frame of another principal", expected: "frames of \(principal) only",
                        actual: "session \(foreign.sessionId ?? "none"), seq \(text(foreign["seq"]))",
                        at: [result.event]))
            } else {
                evidence.keep()
            }
        }
        return evidence
    }

    /// SYNC-21: "A server MUST keep `done` replayable after its turn has ended, also when no connection was open at that
    /// moment".
    ///
    /// Once for each turn that had ended before a replay from before it. That it had ended is shown by its live `done`, or,
    /// when nobody was there, by the end of a later turn of the session on the connection that asked.
    static func doneStaysReplayable(_ history: Observations) -> Evidence {
        var evidence = Evidence()
        let shown = history.shown
        for replay in history.replays where replay.result["more"]?.boolValue != true {
            for turn in history.turns where turn.principal == replay.principal {
                guard turn.event < replay.first.request.event, turn.isAccepted else { continue }
                // The done comes after everything shown before the question, and after the turn's own first frames.
                let before = shown.filter { item in
                    item.principal == turn.principal && item.epoch == replay.epoch
                        && (item.event < turn.event || turn.frames.contains { $0.event == item.event })
                }
                guard replay.position <= before.map(\.seq).max() ?? 0 else { continue }
                if let replayed = turn.replayed.first(where: { $0.type == "done" && $0.event == replay.result.event }) {
                    if turn.endings.first.map({ $0.event < replayed.event || $0.isReplayed }) ?? true {
                        evidence.keep()
                    }
                    continue
                }
                guard let proof = ended(turn, replay, history) else { continue }
                evidence.violate(
                    Finding(
                        "the done of an ended turn is not replayed",
                        expected: "the done of turn \(turn.turnId ?? "asked")",
                        actual: "seq \(listed(replay.numbers)) in missed", at: [replay.result.event, proof].sorted()))
            }
        }
        return evidence
    }

    /// The event that proves that a turn's `done` was owed to a replay; nil without proof.
    private static func ended(_ turn: ObservedTurn, _ replay: Replay, _ history: Observations) -> Int? {
        let live = turn.endings.first { $0.type == "done" }
        if let live, live.event < replay.first.request.event, let seq = live.seq, let item = replay.wanted[seq] {
            return history.isPromised(item, in: replay) ? replay.result.event : nil
        }
        guard live == nil, turn.endings.isEmpty, let session = turn.sessionId else { return nil }
        let later = history.turns.first { other in
            other.event > replay.result.event && other.sessionId == session && other.principal == turn.principal
                && other.endings.contains { $0.connection == replay.first.connection }
        }
        return later?.endings.first { $0.connection == replay.first.connection }?.event
    }

    /// SYNC-22: "A server MUST keep a newer connection of a principal undisturbed when an older one of it closes, fails or
    /// times out".
    ///
    /// Once for each older connection that ended while a newer one was open, when a turn ended on the newer one afterwards,
    /// or should have. A newer connection that sent something malformed, or was not read, proves nothing.
    static func newerConnectionIsUndisturbed(_ history: Observations) -> Evidence {
        var evidence = Evidence()
        for (index, older) in history.connections.enumerated() {
            guard let end = older.ending else { continue }
            for (position, newer) in history.connections.enumerated() where position > index {
                guard newer.principal == older.principal, let connected = newer.connected, connected < end.event,
                    newer.ending.map({ $0.event > end.event }) ?? true, newer.pauses.isEmpty,
                    newer.sent.allSatisfy({ $0.type != nil })
                else { continue }
                let endings = history.turns.flatMap { $0.endings(on: position) }
                if endings.contains(where: { $0.event > end.event }) {
                    evidence.keep()
                } else if newer.wasEndedByServer, let lost = newer.ending?.event,
                    !history.acts.contains(where: { $0.event < lost && ($0.name == "kill" || $0.name == "stop") })
                {
                    evidence.violate(
                        Finding(
                            "a newer connection ended after an older one did", expected: "it stays open",
                            actual: "the server ended it", at: [end.event, lost]))
                } else if let late = history.turns.lazy.filter({ turn in
                    turn.principal == newer.principal && turn.isAccepted && turn.ended == nil && turn.event < end.event
                }).compactMap({ history.turnDeadline(of: $0, on: position) }).first {
                    evidence.violate(
                        Finding(
                            "a newer connection receives nothing more after an older one ended",
                            expected: "the ending of the running turn", actual: "none within the bound 'turn'",
                            at: [end.event, late]))
                }
            }
        }
        return evidence
    }

    /// SYNC-23: "A server MUST NOT put more than `limit` frames into `missed` when `sync` states a `limit`".
    ///
    /// Once for each answer that had more frames to give.
    static func limitIsKept(_ history: Observations) -> Evidence {
        var evidence = Evidence()
        let shown = history.shown
        for (sync, result) in history.answeredSyncs {
            guard let limit = sync.request["limit"]?.intValue, limit > 0 else { continue }
            let principal = history.principal(of: sync)
            let owed = Set(
                shown.filter { item in
                    item.principal == principal && item.epoch == result.epoch && item.event < sync.request.event
                        && item.seq > sync.lastSeqSeen ?? 0
                }.map(\.seq))
            if sync.missed.count > limit {
                evidence.violate(
                    Finding(
                        "missed holds more than the limit", expected: "at most \(limit) frames",
                        actual: "\(sync.missed.count)", at: [sync.request.event, result.event]))
            } else if owed.count > limit || result["more"]?.boolValue == true {
                evidence.keep()
            }
        }
        return evidence
    }

    /// SYNC-24: "A server MUST put at least one frame into `missed` of a `syncResult` with `more: true`".
    static func pagesHoldFrames(_ history: Observations) -> Evidence {
        var evidence = Evidence()
        for (sync, result) in history.answeredSyncs where result["more"]?.boolValue == true {
            if sync.missed.isEmpty {
                evidence.violate(
                    Finding(
                        "a page without frames promises more", expected: "at least one frame in missed", actual: "none",
                        at: [sync.request.event, result.event]))
            } else {
                evidence.keep()
            }
        }
        return evidence
    }

    private struct Place: Hashable {
        let principal: String
        let epoch: String
        let seq: Int
    }

    /// A question the schema accepts, on a connection that was greeted.
    private static func isValid(_ sync: ObservedSync, _ history: Observations) -> Bool {
        let largest = 9_007_199_254_740_991
        guard let position = sync.lastSeqSeen, (0...largest).contains(position),
            sync.request["epoch"].map({ $0.stringValue?.isEmpty == false }) ?? true,
            sync.request["limit"].map({ ($0.intValue ?? 0) > 0 }) ?? true
        else { return false }
        return history.connections[sync.connection].connected.map { $0 < sync.request.event } ?? false
    }

    private static func judgeGap(
        _ sync: ObservedSync, _ result: ObservedFrame, reason: String, _ what: String, into evidence: inout Evidence
    ) {
        let complete = result["complete"]?.boolValue
        if complete == false, sync.reason == reason {
            evidence.keep()
        } else {
            evidence.violate(
                Finding(
                    "\(what), and the answer does not say so", expected: "complete: false, reason \(reason)",
                    actual: "complete: \(complete.map(String.init) ?? "absent"), reason \(text(result["reason"]))",
                    at: [sync.request.event, result.event]))
        }
    }

    private static func text(_ value: JSONValue?) -> String {
        let text = value?.text() ?? "absent"
        return text.count > 120 ? "\(text.prefix(120))… (\(text.count) characters)" : text
    }
}
