import Holdfast
import HoldfastBasics
import HoldfastJSON
import HoldfastTranscript

/// Position, replay and explicit gaps.
///
/// Evidence is what the same principal was shown, on any connection; a hole in `seq` alone proves nothing (SYNC-6).
enum SYNC {
    static let checks: [Check] = [
        Check(.SYNC, 1, greetingStatesThePosition), Check(.SYNC, 2, eachSyncHasOneAnswer),
        Check(.SYNC, 3, completeMeansWhole), Check(.SYNC, 4, heartbeatsTakeNoPlaces),
        Check(.SYNC, 5, positionIsExclusive), Check(.SYNC, 7, missedRises), Check(.SYNC, 8, replayIsAsFirstSent),
        Check(.SYNC, 9, restartsKeepTheStreamOrName), Check(.SYNC, 10, otherEpochIsTold),
        Check(.SYNC, 11, positionWithoutEpochIsNeverWhole),
        Check(.SYNC, 12, futurePositionIsTold), Check(.SYNC, 13, evictionIsTold), Check(.SYNC, 14, gapsHaveReasons),
        Check(.SYNC, 15, promisedFramesAreReplayed), Check(.SYNC, 16, zeroIsBeforeTheFirst),
        Check(.SYNC, 17, nothingReplayedComesLive), Check(.SYNC, 18, nothingFallsBetween),
        Check(.SYNC, 19, lastSeqCoversAll), Check(.SYNC, 20, othersAreNotReplayed),
        Check(.SYNC, 21, doneStaysReplayable),
        Check(.SYNC, 22, newerConnectionIsUndisturbed), Check(.SYNC, 23, limitIsKept),
        Check(.SYNC, 24, pagesHoldFrames), Check(.SYNC, 25, brokenTurnsEndInTheStream),
    ]

    /// SYNC-1: "A server MUST state `epoch` and `lastSeq` in `connected`".
    ///
    /// Once for each `connected`. Frames shown before the client's `auth` was sent bound `lastSeq` from below; later ones may
    /// have overtaken the greeting.
    static func greetingStatesThePosition(_ history: Observations, _ evidence: inout Evidence) {
        for connection in history.connections {
            guard let greeting = connection.greeting else { continue }
            guard let epoch = greeting.said?.id("epoch"), let last = greeting.said?["lastSeq"]?.intValue
            else {
                evidence.violate(
                    "connected does not state epoch and lastSeq", expected: "a string 'epoch' and an integer 'lastSeq'",
                    actual: "epoch \(text(greeting.said?["epoch"])), lastSeq \(text(greeting.said?["lastSeq"]))",
                    at: [greeting.event])
                continue
            }
            let begun = connection.auth ?? connection.opening
            let stream = history.stream(of: connection.principal, epoch: epoch)
            let isBeyond = stream.greatest(before: begun).map { $0 > last } ?? false
            let before = isBeyond ? stream.items(before: begun).last { $0.seq > last } : nil
            evidence.test(no: before) { before in
                Finding(
                    "lastSeq is smaller than a seq that this principal received",
                    expected: "lastSeq of at least \(before.seq)", actual: "lastSeq \(last)",
                    at: [before.event, greeting.event])
            }
        }
    }

    /// SYNC-2: "A server MUST answer each valid `sync` with exactly one `syncResult` on the connection that sent it".
    ///
    /// Once for each answer, and for each valid question that stayed without one for the whole bound, or on which the server
    /// ended the connection.
    static func eachSyncHasOneAnswer(_ history: Observations, _ evidence: inout Evidence) {
        for sync in history.syncs {
            let asked = sync.request.event
            func missing() -> Unanswered? {
                guard isValid(sync, history) else { return nil }
                return history.unanswered(asked, within: history.timeouts.sync, on: sync.connection)
            }
            evidence.test(sync.result != nil, orBy: missing()) { missing in
                Finding(
                    "a sync got no syncResult", expected: "one syncResult within the bound 'sync'",
                    actual: missing.actual, at: [asked, missing.proof])
            }
        }
        let answers = Set(history.syncs.compactMap { $0.result?.event })
        for connection in history.connections where !history.isCapture || connection.connected != nil {
            for frame in connection.received where frame.type == "syncResult" && !answers.contains(frame.event) {
                evidence.violate(
                    "a syncResult without a sync", expected: "one syncResult for each sync", actual: "one more",
                    at: [frame.event])
            }
        }
    }

    /// SYNC-5: "A server MUST put into `missed` only frames whose `seq` is greater than `lastSeqSeen`".
    ///
    /// Once for each answer to a position above 0 at or before which frames are known, or that replays any.
    static func positionIsExclusive(_ history: Observations, _ evidence: inout Evidence) {
        for (sync, result) in history.answeredSyncs {
            guard let position = sync.lastSeqSeen, position > 0 else { continue }
            let principal = history.principal(of: sync)
            let numbers = sync.missed.compactMap(\.seq)
            let early = numbers.filter { $0 <= position }
            let known = history.stream(of: principal, epoch: result.epoch).firstShown(upTo: position)
            evidence.test(
                early.isEmpty, keptIf: !numbers.isEmpty || known.contains { $0.event < result.event },
                otherwise: "missed contains frames at or before the position",
                expected: "only seq greater than \(position)", actual: "seq \(listed(early))",
                at: [sync.request.event, result.event])
        }
    }

    /// SYNC-7: "A server MUST list the frames of `missed` in strictly rising `seq`".
    ///
    /// Once for each two neighbours, and for each replay in pages of one frame: no page of such a server can be out of order,
    /// and its frames rise from page to page.
    static func missedRises(_ history: Observations, _ evidence: inout Evidence) {
        for (sync, result) in history.answeredSyncs {
            let numbers = sync.missed.compactMap(\.seq)
            for (before, after) in zip(numbers, numbers.dropFirst()) {
                evidence.test(
                    before < after, otherwise: "missed is not in increasing order",
                    expected: "a seq greater than \(before) after \(before)", actual: "seq \(after)", at: [result.event]
                )
            }
        }
        for replay in history.replays where replay.pages.count > 1 && replay.frames.count <= replay.pages.count {
            let numbers = replay.frames.compactMap(\.seq)
            if numbers.count > 1, zip(numbers, numbers.dropFirst()).allSatisfy(<) { evidence.keep() }
        }
    }

    /// SYNC-14: "A server MUST give a `reason` in every `syncResult` with `complete: false`, and none in one with
    /// `complete: true`".
    static func gapsHaveReasons(_ history: Observations, _ evidence: inout Evidence) {
        for result in history.received where result.type == "syncResult" {
            guard let complete = result.complete else { continue }
            evidence.test(
                complete == (result["reason"] == nil),
                otherwise: complete ? "a complete syncResult has a reason" : "an incomplete syncResult has no reason",
                expected: complete ? "no reason" : "epoch_changed, evicted, too_many or unknown_position",
                actual: text(result["reason"]), at: [result.event])
        }
    }

    /// SYNC-19: "A server MUST state in `syncResult` a `lastSeq` that is not smaller than the `seq` of any frame in `missed`
    /// or shown to this principal before the `sync` was sent".
    static func lastSeqCoversAll(_ history: Observations, _ evidence: inout Evidence) {
        for (sync, result) in history.answeredSyncs {
            guard let last = sync.lastSeq, let epoch = result.epoch else { continue }
            let stream = history.stream(of: history.principal(of: sync), epoch: epoch)
            let before = stream.greatest(before: sync.request.event)
            guard let greatest = [before, stream.greatest(at: result.event)].compactMap({ $0 }).max() else { continue }
            let beyond =
                greatest <= last
                ? nil
                : stream.items(before: sync.request.event).first { $0.seq > last }
                    ?? stream.items(after: result.event - 1).first { $0.seq > last }
            evidence.test(no: beyond) { beyond in
                Finding(
                    "lastSeq is smaller than a seq that this principal received",
                    expected: "lastSeq of at least \(greatest)", actual: "lastSeq \(last)", at: cited(beyond, result))
            }
        }
    }

    /// SYNC-23: "A server MUST NOT put more than `limit` frames into `missed` when `sync` states a `limit`".
    ///
    /// Once for each answer that had more frames to give.
    static func limitIsKept(_ history: Observations, _ evidence: inout Evidence) {
        for (sync, result) in history.answeredSyncs {
            guard let limit = sync.request["limit"]?.intValue, limit > 0 else { continue }
            let principal = history.principal(of: sync)
            let owed = history.stream(of: principal, epoch: result.epoch).firstShown(after: sync.lastSeqSeen ?? 0)
                .filter { $0.event < sync.request.event }
            evidence.test(
                sync.missed.count <= limit, keptIf: owed.count > limit || result.hasMore,
                otherwise: "missed contains more frames than the limit", expected: "at most \(limit) frames",
                actual: "\(sync.missed.count)", at: [sync.request.event, result.event])
        }
    }

    /// SYNC-24: "A server MUST put at least one frame into `missed` of a `syncResult` with `more: true`".
    static func pagesHoldFrames(_ history: Observations, _ evidence: inout Evidence) {
        for (sync, result) in history.answeredSyncs where result.hasMore {
            evidence.test(
                !sync.missed.isEmpty, otherwise: "an empty page says that more follows",
                expected: "at least one frame in missed", actual: "none", at: [sync.request.event, result.event])
        }
    }

    /// The event that proves that a turn's `done` was owed to a replay; nil without proof.
    static func ended(_ turn: ObservedTurn, _ replay: Replay, _ history: Observations) -> Int? {
        let live = turn.endings.first { $0.type == "done" }
        if let live, live.event < replay.first.request.event, let seq = live.seq, let item = replay.wanted[seq] {
            return history.isPromised(item, in: replay) ? replay.result.event : nil
        }
        // A turn that failed owes no `done`, also where only the replay tells.
        // Of one that nobody saw nobody knows how many frames came after it.
        guard live == nil, turn.endings.isEmpty, !turn.replayed.contains(where: { $0.type == "error" }),
            let session = turn.sessionId, replay.evicted == nil,
            replay.numbers.count < history.promise(on: replay.first.connection).messages
        else { return nil }
        // One that names no turn, and was nobody else's when it came live, may be its own.
        let own = history.turns.filter { $0.principal == turn.principal && $0.sessionId == session }
        let others = Set(own.flatMap(\.endings).compactMap(\.seq))
        let isHidden = replay.frames.contains {
            $0.type == "done" && $0.turnId == nil && $0.clientMessageId == nil && $0.sessionId == session
                && $0.seq.map { !others.contains($0) } ?? true
        }
        if isHidden { return nil }
        let later = history.turns.first { other in
            other.event > replay.result.event && other.sessionId == session && other.principal == turn.principal
                && turn.precedes(other) && other.endings.contains { $0.connection == replay.first.connection }
        }
        return later?.endings.first { $0.connection == replay.first.connection }?.event
    }

    /// A frame that belongs into an answer, where it was shown before, and the answer.
    private static func cited(_ item: NumberedFrame, _ result: Frame) -> [Int] {
        item.event < result.event ? [item.event, result.event] : [result.event]
    }

    /// A question the schema accepts, on a connection that was greeted.
    private static func isValid(_ sync: ObservedSync, _ history: Observations) -> Bool {
        let largest = 9_007_199_254_740_991
        guard !history.hostileFrames.contains(where: { $0.frame.event == sync.request.event }),
            let position = sync.lastSeqSeen, (0...largest).contains(position),
            sync.request["epoch"].map({ $0.stringValue?.isEmpty == false }) ?? true,
            sync.request["limit"].map({ ($0.intValue ?? 0) > 0 }) ?? true
        else { return false }
        return history.connections[sync.connection].connected.map { $0 < sync.request.event } ?? false
    }

    private static func judgeGap(
        _ sync: ObservedSync, _ result: Frame, reason: String, _ what: String, into evidence: inout Evidence
    ) {
        let complete = result.complete
        evidence.test(
            complete == false && result.string("reason") == reason,
            otherwise: "\(what), and syncResult does not say so", expected: "complete: false, reason \(reason)",
            actual: "complete: \(complete.map(String.init) ?? "absent"), reason \(text(result["reason"]))",
            at: [sync.request.event, result.event])
    }

    static func text(_ value: JSONValue?) -> String { excerpt(value?.text() ?? "absent") }

    // MARK: Gaps that must be told, and frames that must not be missing

    /// SYNC-3: "A server MUST set `complete` to true only when `missed` holds every sequenced frame after `lastSeqSeen` that
    /// this principal may see".
    ///
    /// Once for each answer to a position after which frames are known; one that says `complete: false` counts, because it
    /// was free to lie. One that says neither lies by nothing and keeps nothing (ENV-2).
    static func completeMeansWhole(_ history: Observations, _ evidence: inout Evidence) {
        for replay in history.replays where !replay.wanted.isEmpty && replay.result.complete != nil {
            let lacking = replay.last.claimsComplete ? replay.unspoken.first : nil
            evidence.test(no: lacking.flatMap { replay.wanted[$0] }) { item in
                Finding(
                    "complete is true, but a frame that this principal received is missing",
                    expected: "seq \(listed(replay.wanted.keys)) in missed", actual: "seq \(listed(replay.numbers))",
                    at: cited(item, replay.result))
            }
        }
    }

    /// SYNC-4: "A server MUST NOT let `ping`, `pong`, `ack`, `connected`, `syncResult` or errors that end no turn take the
    /// place of replayable frames".
    ///
    /// Once for each replay of promised frames that would have been pushed out, had the other frames been counted too: each
    /// `pong` as two, with the `ping` that it answers.
    static func heartbeatsTakeNoPlaces(_ history: Observations, _ evidence: inout Evidence) {
        for replay in history.replays where !replay.isCutShort {
            let promised = replay.promised(in: history)
            guard let oldest = promised.map(\.event).min() else { continue }
            let between = history.received.filter { $0.event > oldest && $0.event < replay.first.request.event }
            let others = between.filter { frame in
                !NumberedFrame.mayBeNumbered(frame) && history.principal(of: frame) == replay.principal
            }
            let places = history.promise(on: replay.first.connection).messages
            guard promised.count + others.count > places else { continue }
            // Frames that count have pushed others out, and then the rest was kept back.
            if replay.keepsBack, replay.wanted.count > places { continue }
            let lost = promised.filter { !replay.numbers.contains($0.seq) }
            // Another frame than those was lost for another reason, which is the matter of SYNC-15.
            let isPushedOut = lost.allSatisfy { item in
                let later = others.count { $0.event > item.event } * 2 + promised.count { $0.event > item.event }
                return later >= places
            }
            // What other people's frames push out of a buffer that all share is the matter of SYNC-15, too.
            let strangers = between.lazy.filter { frame in
                NumberedFrame.mayBeNumbered(frame) && history.principal(of: frame) != replay.principal
            }
            let isByStrangers = lost.contains { item in
                let later = (promised.map(\.event) + strangers.map(\.event)).count { $0 > item.event }
                return !strangers.isEmpty && later >= places
            }
            guard isPushedOut, !isByStrangers else { continue }
            evidence.test(
                lost.isEmpty,
                otherwise: "frames within the promised buffer are gone after \(others.count) frames that do not count",
                expected: "seq \(listed(promised.map(\.seq))) in missed", actual: "seq \(listed(replay.numbers))",
                at: [oldest, replay.result.event])
        }
    }

    /// SYNC-10: "A server MUST answer a `sync` that names another epoch with `complete: false` and the reason
    /// `epoch_changed`".
    static func otherEpochIsTold(_ history: Observations, _ evidence: inout Evidence) {
        for (sync, result) in history.answeredSyncs {
            guard let asked = sync.request.epoch,
                let current = result.epoch ?? history.epoch(on: sync.connection, before: result.event),
                asked != (history.epoch(on: sync.connection, before: sync.request.event) ?? current)
            else { continue }
            judgeGap(sync, result, reason: "epoch_changed", "the sync named another epoch", into: &evidence)
        }
    }

    /// SYNC-11: "A server MUST NOT set `complete` to true in the answer to a `sync` without `epoch` whose `lastSeqSeen` is
    /// greater than 0".
    static func positionWithoutEpochIsNeverWhole(_ history: Observations, _ evidence: inout Evidence) {
        for (sync, result) in history.answeredSyncs {
            guard sync.request["epoch"] == nil, let position = sync.lastSeqSeen, position > 0, result.complete != nil
            else { continue }
            evidence.test(
                !sync.claimsComplete, otherwise: "a position without an epoch was answered with complete: true",
                expected: "complete: false", actual: "complete: true", at: [sync.request.event, result.event])
        }
    }

    /// SYNC-12: "A server MUST answer a `sync` of its epoch whose `lastSeqSeen` is greater than its last `seq` with
    /// `complete: false` and the reason `unknown_position`".
    ///
    /// Once for each position in the current epoch beyond the `lastSeq` of its own answer.
    static func futurePositionIsTold(_ history: Observations, _ evidence: inout Evidence) {
        for (sync, result) in history.answeredSyncs {
            guard let position = sync.lastSeqSeen, let last = sync.lastSeq, position > last,
                let asked = sync.request.epoch, asked == result.epoch
            else { continue }
            judgeGap(
                sync, result, reason: "unknown_position", "position \(position) lies beyond \(last)", into: &evidence)
        }
    }

    /// SYNC-13: "A server MUST answer a `sync` of its epoch for whose position frames have already left the buffer with
    /// `complete: false` and the reason `evicted`".
    ///
    /// Once for each answer that lacks frames which are surely no longer promised; a server that keeps more is free to.
    static func evictionIsTold(_ history: Observations, _ evidence: inout Evidence) {
        for replay in history.replays {
            let gone = replay.lacking.filter { number in
                replay.wanted[number].map { history.isOutlived($0, in: replay) } ?? false
            }
            guard !gone.isEmpty else { continue }
            judgeGap(
                replay.last, replay.evicted ?? replay.result, reason: "evicted", "seq \(listed(gone)) left the buffer",
                into: &evidence)
        }
    }

    /// SYNC-15: "A server MUST replay every frame that is among the newest `limits.replayMessages` (1000 when not told) and
    /// younger than `limits.replaySeconds` (3600 when not told)".
    ///
    /// Once for each replay, all pages together, that owes frames which are surely inside both bounds. A new epoch excuses nobody
    /// whose process went on.
    static func promisedFramesAreReplayed(_ history: Observations, _ evidence: inout Evidence) {
        for (sync, result) in history.answeredSyncs {
            guard let lost = frameDropped(between: sync, and: result, history) else { continue }
            evidence.violate(
                "a stream was dropped with frames within the promised buffer",
                expected: "seq \(lost.seq) in missed", actual: "reason epoch_changed", at: [lost.event, result.event])
        }
        for replay in history.replays {
            let promised = replay.promised(in: history)
            guard !promised.isEmpty else { continue }
            let lost = promised.filter { !replay.numbers.contains($0.seq) }
            evidence.test(no: lost.min { $0.seq < $1.seq }) { first in
                Finding(
                    "a frame within the promised buffer was not replayed",
                    expected: "seq \(listed(promised.map(\.seq))) in missed", actual: "seq \(listed(replay.numbers))",
                    at: cited(first, replay.result))
            }
        }
    }

    /// A frame within the promised buffer that an answer in another epoch leaves out, although the process went on: a connection
    /// from before it still brings something after that.
    private static func frameDropped(
        between sync: ObservedSync, and result: Frame, _ history: Observations
    ) -> NumberedFrame? {
        guard !history.isCapture, result.string("reason") == "epoch_changed", let position = sync.lastSeqSeen,
            let epoch = sync.request.epoch, epoch != result.epoch
        else { return nil }
        let shown = history.stream(of: history.principal(of: sync), epoch: epoch).firstShown(after: position)
        let newest = shown.last?.seq ?? position
        return shown.first { item in
            guard item.event < sync.request.event,
                history.isPromised(item, before: newest, on: sync.connection, at: result.event)
            else { return false }
            return history.connections.contains { connection in
                connection.connected.map { $0 < item.event } == true
                    && connection.received.contains { $0.event > result.event }
            }
        }
    }

    /// SYNC-16: "A server MUST treat `lastSeqSeen: 0` in the current epoch, or without an epoch, as the position before the
    /// first frame".
    ///
    /// Once for each such question after promised frames were shown; an answer that replays some of them understood the
    /// position, and one that replays none did not. What a restart lost is the matter of SYNC-9 and SYNC-15; so is what is
    /// kept back because earlier frames are gone.
    static func zeroIsBeforeTheFirst(_ history: Observations, _ evidence: inout Evidence) {
        for replay in history.replays where replay.position == 0 {
            let life = history.life(of: replay.result)
            let promised = replay.promised(in: history).filter { history.life(of: $0.frame) == life }
            guard !promised.isEmpty, !replay.keepsBack else { continue }
            evidence.test(
                !replay.numbers.isDisjoint(with: promised.map(\.seq)),
                otherwise: "position 0 was not treated as the one before the first frame",
                expected: "seq \(listed(promised.map(\.seq))) in missed",
                actual: "seq \(listed(replay.numbers)), reason \(text(replay.result["reason"]))",
                at: [replay.first.request.event, replay.result.event])
        }
    }
}
