import Holdfast
import JSON

extension Defect {
    static let syncTellsPositionZero = Defect(
        "sync-tells-position-zero", .SYNC, 1, "States `lastSeq` 0 in every `connected`; shows after the first frame.")
    static let syncAnswersNothingNewWithSilence = Defect(
        "sync-answers-nothing-new-with-silence", .SYNC, 2, "Sends no `syncResult` when nothing would be in `missed`.")
    static let syncClaimsCompleteAfterEviction = Defect(
        "sync-claims-complete-after-eviction", .SYNC, 3,
        "Says `complete` although frames have left the buffer; shows with more than `replayMessages` frames.")
    static let syncSkipsToolFrames = Defect(
        "sync-skips-tool-frames", .SYNC, 3, "Replays no `toolUse` and says `complete`.")
    static let syncLetsPongsPushFramesOut = Defect(
        "sync-lets-pongs-push-frames-out", .SYNC, 4,
        "Gives every `pong` a place in the buffer; shows after `replayMessages` pings.")
    static let syncReplaysTheLastSeenFrame = Defect(
        "sync-replays-the-last-seen-frame", .SYNC, 5, "Takes `lastSeqSeen` as inclusive.")
    static let syncReplaysNewestFirst = Defect(
        "sync-replays-newest-first", .SYNC, 7, "Puts the newest frame first into `missed`.")
    static let syncReplaysWithoutTheKey = Defect(
        "sync-replays-without-the-key", .SYNC, 8, "Leaves `clientMessageId` out of the frames in `missed`.")
    static let syncKeepsTheEpochAcrossRestarts = Defect(
        "sync-keeps-the-epoch-across-restarts", .SYNC, 9, need: .restart,
        "Names the same `epoch` after every start, with an empty buffer.")
    static let syncIgnoresTheEpoch = Defect(
        "sync-ignores-the-epoch", .SYNC, 10, "Takes a position of any `epoch` for one of its own.")
    static let syncTakesAMissingEpochAsItsOwn = Defect(
        "sync-takes-a-missing-epoch-as-its-own", .SYNC, 11, "Trusts a position that names no `epoch`.")
    static let syncCallsTheFutureComplete = Defect(
        "sync-calls-the-future-complete", .SYNC, 12, "Says `complete` to a position behind the end of the stream.")
    static let syncCallsEvictionAPage = Defect(
        "sync-calls-eviction-a-page", .SYNC, 13,
        "Gives the reason `too_many` when frames have left the buffer; shows with more than `replayMessages` frames.")
    static let syncGivesNoReason = Defect(
        "sync-gives-no-reason", .SYNC, 14, "Says `complete: false` without `reason`.")
    static let syncKeepsLessThanItPromises = Defect(
        "sync-keeps-less-than-it-promises", .SYNC, 15,
        "Keeps half of `replayMessages` frames; shows with more than that many.")
    static let syncIgnoresPositionZero = Defect(
        "sync-ignores-position-zero", .SYNC, 16, "Replays nothing after `lastSeqSeen` 0.")
    static let syncRepeatsReplayedFramesLive = Defect(
        "sync-repeats-replayed-frames-live", .SYNC, 17, "Sends the last frame of `missed` once more after `syncResult`."
    )
    static let syncLosesAFrameAfterReplay = Defect(
        "sync-loses-a-frame-after-replay", .SYNC, 18,
        "Does not send the first frame after a `syncResult` on that connection; shows while a turn runs.")
    static let syncTellsAStalePosition = Defect(
        "sync-tells-a-stale-position", .SYNC, 19, "States the `lastSeqSeen` of the client as `lastSeq`.")
    static let syncReplaysOtherPrincipals = Defect(
        "sync-replays-other-principals", .SYNC, 20, "Puts frames of every principal into `missed`; shows with two.")
    static let syncForgetsAnswersNobodyHeard = Defect(
        "sync-forgets-answers-nobody-heard", .SYNC, 21, "Keeps no `done` that was sent while no connection was open.")
    static let syncEndsNewerConnections = Defect(
        "sync-ends-newer-connections", .SYNC, 22, "Cuts the newer connections of a principal when an older one ends.")
    static let syncIgnoresTheLimit = Defect(
        "sync-ignores-the-limit", .SYNC, 23, "Puts more than `limit` frames into `missed`.")
    static let syncPromisesMoreWithoutFrames = Defect(
        "sync-promises-more-without-frames", .SYNC, 24, "Answers a `sync` that does not fit with an empty page.")

    static let sync = [
        syncTellsPositionZero, syncAnswersNothingNewWithSilence, syncClaimsCompleteAfterEviction, syncSkipsToolFrames,
        syncLetsPongsPushFramesOut, syncReplaysTheLastSeenFrame, syncReplaysNewestFirst, syncReplaysWithoutTheKey,
        syncKeepsTheEpochAcrossRestarts, syncIgnoresTheEpoch, syncTakesAMissingEpochAsItsOwn,
        syncCallsTheFutureComplete, syncCallsEvictionAPage, syncGivesNoReason, syncKeepsLessThanItPromises,
        syncIgnoresPositionZero, syncRepeatsReplayedFramesLive, syncLosesAFrameAfterReplay, syncTellsAStalePosition,
        syncReplaysOtherPrincipals, syncForgetsAnswersNobodyHeard, syncEndsNewerConnections, syncIgnoresTheLimit,
        syncPromisesMoreWithoutFrames,
    ]
}

extension Saboteur {
    func rewriteSYNC(_ frame: inout JSONValue, _ type: String?) {
        if has(.syncTellsPositionZero), type == "connected" { frame["lastSeq"] = 0 }
        if has(.syncGivesNoReason), type == "syncResult" { frame["reason"] = nil }
    }

    func epoch(_ drawn: String) -> String { has(.syncKeepsTheEpochAcrossRestarts) ? "epo_the-only-one" : drawn }

    func capacity(_ frames: Int) -> Int { has(.syncKeepsLessThanItPromises) ? frames / 2 : frames }

    func position(_ seen: Int) -> Int { has(.syncReplaysTheLastSeenFrame) ? max(0, seen - 1) : seen }
}

extension ServerCore {
    /// A page as broken servers fill it.
    func distort(_ answer: inout SyncAnswer, _ sync: ClientMessage.Sync, of principal: String) {
        guard !saboteur.isHealthy else { return }
        answer.missed.removeAll { $0.isNull }
        if broken(.syncIgnoresPositionZero), sync.lastSeqSeen == 0 {
            answer = SyncAnswer(lastSeq: answer.lastSeq, reason: .unknownPosition)
        }
        if broken(.syncClaimsCompleteAfterEviction), answer.reason == .evicted { answer.reason = nil }
        if broken(.syncCallsEvictionAPage), answer.reason == .evicted { answer.reason = .tooMany }
        if broken(.syncCallsTheFutureComplete), answer.reason == .unknownPosition, sync.epoch == epoch {
            answer.reason = nil
        }
        if broken(.syncSkipsToolFrames) { answer.missed.removeAll { $0["type"]?.stringValue == "toolUse" } }
        if broken(.syncReplaysNewestFirst) { answer.missed.reverse() }
        if broken(.syncTellsAStalePosition) { answer.lastSeq = min(answer.lastSeq, sync.lastSeqSeen) }
        if broken(.syncPromisesMoreWithoutFrames), answer.hasMore { answer.missed = [] }
        if broken(.syncReplaysWithoutTheKey) {
            answer.missed = answer.missed.map { frame in
                var frame = frame
                frame["clientMessageId"] = nil
                return frame
            }
        }
        guard broken(.syncReplaysOtherPrincipals), answer.reason == nil else { return }
        for (other, var stream) in streams where other != principal {
            guard case .whole(let entries) = stream.read(after: 0, at: now.steady) else { continue }
            answer.missed += entries.map(\.frame).filter { ($0["seq"]?.intValue ?? 0) > sync.lastSeqSeen }
        }
        answer.missed.sort { ($0["seq"]?.intValue ?? 0) < ($1["seq"]?.intValue ?? 0) }
    }

    /// What comes after a `syncResult`.
    mutating func spoil(_ answer: SyncAnswer, on socket: Int) {
        if broken(.syncLosesAFrameAfterReplay) { mischief.losesNextFrame.insert(socket) }
        if broken(.syncRepeatsReplayedFramesLive), let last = answer.missed.last {
            effects.append(.send(socket: socket, shaper.text(ofShaped: last)))
        }
    }

    func keepsForReplay(_ frame: JSONValue, _ turn: LiveTurn) -> Bool {
        !(broken(.syncForgetsAnswersNobodyHeard) && frame["type"]?.stringValue == "done"
            && connections.sockets(of: turn.principal).isEmpty)
    }

    /// Lets something that is no frame of the stream take a place in the buffer.
    mutating func crowdOut(_ principal: String) {
        guard broken(.syncLetsPongsPushFramesOut), var stream = streams[principal] else { return }
        stream.keep(.null, seq: stream.lastSeq, bytes: 0, at: now.steady)
        streams[principal] = stream
    }
}
