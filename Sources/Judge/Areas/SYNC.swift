import Holdfast
import HoldfastBasics
import HoldfastJSON
import HoldfastTranscript

/// Position, replay and reported gaps.
///
/// Every frame shown to the principal on any connection is evidence; a gap in `seq` alone proves nothing (ORDER-3).
enum SYNC {
    static let checks: [Check] = [
        Check(.SYNC, 1, greetingStatesThePosition),
        Check(.SYNC, 2, eachSyncHasOneAnswer),
        Check(.SYNC, 3, completeMeansWhole),
        Check(.SYNC, 4, missedRisesFromThePosition),
        Check(.SYNC, 5, restartsKeepTheStreamOrName),
        Check(.SYNC, 6, gapsAreReported),
        Check(.SYNC, 7, promisedFramesAreReplayed, unseenAnswersAreReplayed),
        Check(.SYNC, 8, liveFollowsTheReplay),
        Check(.SYNC, 9, lastSeqCoversAll),
        Check(.SYNC, 10, newerConnectionIsUndisturbed),
        Check(.SYNC, 11, limitIsKept),
    ]

    /// SYNC-1: "A server MUST state in `connected` its `epoch`, and a `lastSeq` not below any `seq` of that epoch that
    /// this principal was shown before the `auth`".
    ///
    /// Tested once for each `connected`. Frames shown before the client sent `auth` are a lower bound for `lastSeq`;
    /// later ones may have overtaken the greeting.
    static func greetingStatesThePosition(_ history: Observations, _ evidence: inout Evidence) {
        for connection in history.connections {
            guard let greeting = connection.greeting else { continue }
            guard let epoch = greeting.stated?.id("epoch"), let last = greeting.stated?["lastSeq"]?.intValue
            else {
                evidence.violate(
                    "connected does not state epoch and lastSeq", expected: "a string 'epoch' and an integer 'lastSeq'",
                    actual: "epoch \(text(greeting.stated?["epoch"])), lastSeq \(text(greeting.stated?["lastSeq"]))",
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
                    expected: "lastSeq of at least \(before.seq)", actual: "lastSeq \(last)", at: [before, greeting])
            }
        }
    }

    /// SYNC-2: "A server MUST answer each valid `sync` with exactly one `syncResult` on the connection that sent it".
    ///
    /// Tested once for each answer, and for each valid sync without one for the whole timeout, or on a connection that
    /// the server ended.
    static func eachSyncHasOneAnswer(_ history: Observations, _ evidence: inout Evidence) {
        for sync in history.syncs {
            if sync.result != nil {
                evidence.keep()
            } else if history.connections[sync.connection].isGreeted(before: sync.request.event),
                !history.hostileFrames.contains(where: { $0.frame.event == sync.request.event }),
                let missing = history.unanswered(
                    sync.request.event, within: history.timeouts.sync, on: sync.connection)
            {
                evidence.violate(
                    "a sync got no syncResult", expected: "one syncResult within the bound 'sync'", by: missing)
            }
        }
        let answers = Set(history.syncs.compactMap { $0.result?.event })
        for connection in history.connections where !history.isCapture || connection.connected != nil {
            for frame in connection.received where frame.kind == .syncResult && !answers.contains(frame.event) {
                evidence.violate(
                    "a syncResult without a sync", expected: "one syncResult for each sync", actual: "one more",
                    at: [frame.event])
            }
        }
    }

    /// SYNC-4: "A server MUST put into `missed` only frames whose `seq` is greater than `lastSeqSeen`, in strictly
    /// rising order, and none if the position names another epoch".
    ///
    /// Tested once for each answer with two or more frames, or to a position of another epoch, or to one above 0 if
    /// frames at or before it are known or any are replayed.
    static func missedRisesFromThePosition(_ history: Observations, _ evidence: inout Evidence) {
        for (sync, result) in history.answeredSyncs {
            guard let position = sync.lastSeqSeen else { continue }
            let numbers = sync.missed.compactMap(\.seq)
            if let asked = sync.request.epoch, let epoch = result.epoch, asked != epoch {
                evidence.test(
                    numbers.isEmpty, otherwise: "frames were replayed for a position of another epoch",
                    expected: "an empty missed", actual: "seq \(listed(numbers))", at: [sync.request, result])
                continue
            }
            let stream = history.stream(of: history.principal(of: sync), epoch: result.epoch)
            let mightRepeat = !numbers.isEmpty || !stream.firstShown(upTo: position).before(result.event).isEmpty
            evidence.test(
                no: zip([position] + numbers, numbers).first { $0 >= $1 },
                keptIf: numbers.count > 1 || position > 0 && mightRepeat
            ) { before, number in
                Finding(
                    "missed does not rise from the position", expected: "a seq greater than \(before)",
                    actual: "seq \(number)", at: [sync.request.event, result.event])
            }
        }
    }

    /// SYNC-9: "A server MUST state in `syncResult` a `lastSeq` not below any `seq` of its epoch in `missed`, or shown
    /// to this principal before the `sync` was sent".
    static func lastSeqCoversAll(_ history: Observations, _ evidence: inout Evidence) {
        for (sync, result) in history.answeredSyncs {
            guard let last = sync.lastSeq, let epoch = result.epoch else { continue }
            let stream = history.stream(of: history.principal(of: sync), epoch: epoch)
            let asked = sync.request.event
            let numbers = [stream.greatest(before: asked), sync.missed.compactMap(\.seq).max()].compactMap(\.self)
            guard let greatest = numbers.max() else { continue }
            let shown = greatest > last ? stream.items(before: asked).first { $0.seq > last } : nil
            evidence.test(
                greatest <= last, otherwise: "lastSeq is smaller than a seq that this principal received",
                expected: "lastSeq of at least \(greatest)", actual: "lastSeq \(last)",
                at: [shown?.event].compactMap(\.self) + [result.event])
        }
    }

    /// SYNC-11: "A server MUST NOT put more than `limit` frames into `missed` when `sync` states a `limit`".
    static func limitIsKept(_ history: Observations, _ evidence: inout Evidence) {
        for (sync, result) in history.answeredSyncs {
            guard let limit = sync.request["limit"]?.intValue, limit > 0 else { continue }
            let principal = history.principal(of: sync)
            let owed = history.stream(of: principal, epoch: result.epoch).firstShown(after: sync.lastSeqSeen ?? 0)
                .before(sync.request.event)
            evidence.test(
                sync.missed.count <= limit, keptIf: owed.count > limit || result.hasMore,
                otherwise: "missed contains more frames than the limit", expected: "at most \(limit) frames",
                actual: "\(sync.missed.count)", at: [sync.request.event, result.event])
        }
    }

    /// The event that proves that an unseen `done` had to be in a replay, if there is one.
    static func proofOfMissedDone(_ turn: ObservedTurn, _ replay: Replay, _ history: Observations) -> Int? {
        // A failed turn has no `done`, even if only the replay shows the failure. If no one saw the frame, the number
        // of frames after it is unknown.
        guard turn.endings.isEmpty, !turn.replayed.contains(where: { $0.kind == .error }), replay.evicted == nil,
            !replay.hasNamelessEnding,
            replay.numbers.count < history.promise(on: replay.first.connection).messages
        else { return nil }
        return history.siblings(of: turn).after(replay.result.event).filter { turn.precedes($0) }
            .compactMap { $0.endings(on: replay.first.connection).first?.event }.first
    }

    /// The events to cite: the frame's, if it came before the answer, and the answer's.
    private static func cited(_ item: NumberedFrame, _ result: Frame) -> [Int] {
        item.isBefore(result.event) ? [item.event, result.event] : [result.event]
    }

    /// Judges whether an answer reports its gap, with the given reason or, if `reason` is nil, with any.
    private static func judgeGap(
        _ sync: ObservedSync, _ result: Frame, reason: String?, _ what: String, into evidence: inout Evidence
    ) {
        let complete = result.complete
        if complete == false, reason == nil || result.string("reason") == reason { return evidence.keep() }
        evidence.violate(
            Finding(
                "\(what), and syncResult does not say so",
                expected: "complete: false" + (reason.map { ", reason \($0)" } ?? ""),
                actual: "complete: \(complete.map(String.init) ?? "absent"), reason \(text(result["reason"]))",
                at: [sync.request.event, result.event], lacking: complete == false ? "reason" : nil))
    }

    static func text(_ value: JSONValue?) -> String { excerpt(value?.text() ?? "absent") }

    // MARK: Reported gaps, and promised frames

    /// SYNC-3: "A server MUST set `complete` to true only when `missed` holds every sequenced frame after `lastSeqSeen`
    /// that this principal may see".
    ///
    /// Tested once for each answer to a position with known later frames; `complete: false` counts, because the server
    /// could have stated `true`. An answer without `complete` proves nothing (ENV-2). In a capture, which may lack the
    /// frame itself, `lastSeq` proves that it exists.
    static func completeMeansWhole(_ history: Observations, _ evidence: inout Evidence) {
        let isPlain = history.isCapture && history.history.header.dialect.isCanonical
        for replay in history.replays where isPlain && replay.last.claimsComplete && !replay.isCutShort {
            guard let last = replay.last.lastSeq, replay.silentlyMissing.isEmpty,
                case let end = max(replay.position, replay.numbers.max() ?? 0), end < last
            else { continue }
            evidence.violate(
                "complete is true, but the last frame of its own stream is missing", expected: "seq \(last) in missed",
                actual: replay.numbers.isEmpty ? "no frame" : "seq \(end) as the last", at: [replay.result.event])
        }
        for replay in history.replays where !replay.wanted.isEmpty && replay.result.complete != nil {
            let lacking = replay.last.claimsComplete ? replay.silentlyMissing.first : nil
            evidence.test(no: lacking.flatMap { replay.wanted[$0] }) { item in
                Finding(
                    "complete is true, but a frame that this principal received is missing",
                    expected: "seq \(listed(replay.wanted.keys)) in missed", actual: "seq \(listed(replay.numbers))",
                    at: cited(item, replay.result))
            }
        }
    }

    /// SYNC-6: "A server MUST answer a `sync` from a position that it cannot resume with `complete: false` and the
    /// `reason` that chapter 5.3 gives".
    ///
    /// Tested once for each position of another epoch, without an epoch, or beyond the `lastSeq` of its own answer; and
    /// for each answer without frames that are certainly no longer promised: a server may keep more.
    static func gapsAreReported(_ history: Observations, _ evidence: inout Evidence) {
        for (sync, result) in history.answeredSyncs {
            guard let (reason, what) = gap(sync, result, history) else { continue }
            judgeGap(sync, result, reason: reason, what, into: &evidence)
        }
        for replay in history.replays {
            let gone = replay.lacking.filter { number in
                replay.wanted[number].map { history.isOutlived($0, in: replay) } ?? false
            }
            guard !gone.isEmpty else { continue }
            judgeGap(
                replay.last, replay.evicted ?? replay.result, reason: "evicted",
                "seq \(listed(gone)) is not replayed, and no longer promised", into: &evidence)
        }
    }

    /// The explanation and the required reason if a position is not in the stream; a nil reason accepts any.
    private static func gap(
        _ sync: ObservedSync, _ result: Frame, _ history: Observations
    ) -> (reason: String?, what: String)? {
        guard let asked = sync.request.epoch else {
            // ENV-2 judges an answer without `complete`.
            let isAbsent = sync.request["epoch"] == nil && result.complete != nil
            return isAbsent && sync.lastSeqSeen ?? 0 > 0 ? (nil, "the sync named a position without an epoch") : nil
        }
        let current = history.epoch(on: sync.connection, before: sync.request.event) ?? result.epoch
        if let current, asked != current { return ("epoch_changed", "the sync named another epoch") }
        guard let position = sync.lastSeqSeen, let last = sync.lastSeq, position > last, asked == result.epoch else {
            return nil
        }
        return ("unknown_position", "position \(position) lies beyond \(last)")
    }

    /// SYNC-7: "A server MUST replay every promised frame after a position of its epoch, or after 0 without one".
    ///
    /// Tested once for each replay, all pages together, that must contain certainly promised frames. A new epoch is no
    /// excuse while the process continues.
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
            evidence.test(no: promised.first { !replay.numbers.contains($0.seq) }) { first in
                Finding(
                    "a frame within the promised buffer was not replayed",
                    expected: "seq \(listed(promised.map(\.seq))) in missed", actual: "seq \(listed(replay.numbers))",
                    at: cited(first, replay.result))
            }
        }
    }

    /// A promised frame that an answer in another epoch omits although the process continued, as a later frame on an
    /// earlier connection shows.
    private static func frameDropped(
        between sync: ObservedSync, and result: Frame, _ history: Observations
    ) -> NumberedFrame? {
        guard !history.isCapture, result.string("reason") == "epoch_changed", let position = sync.lastSeqSeen,
            let epoch = sync.request.epoch, epoch != result.epoch
        else { return nil }
        let shown = history.stream(of: history.principal(of: sync), epoch: epoch).firstShown(after: position)
        let newest = shown.last?.seq ?? position
        return shown.first { item in
            guard item.isBefore(sync.request.event),
                history.isPromised(item, before: newest, on: sync.connection, at: result.event)
            else { return false }
            return history.connections.contains { connection in
                connection.isGreeted(before: item.event) && !connection.received.after(result.event).isEmpty
            }
        }
    }
}
