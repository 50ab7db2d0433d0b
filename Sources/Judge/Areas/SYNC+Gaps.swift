import Transcript

/// Gaps that must be told, and frames that must not be missing.
extension SYNC {
    /// SYNC-3: "A server MUST set `complete` to true only when `missed` holds every sequenced frame after `lastSeqSeen` that
    /// this principal may see".
    ///
    /// Once for each answer to a position after which frames are known; one that says `complete: false` counts, because it
    /// was free to lie. One that says neither lies by nothing and keeps nothing (ENV-2).
    static func completeMeansWhole(_ history: Observations, _ evidence: inout Evidence) {
        for replay in history.replays where !replay.wanted.isEmpty {
            guard replay.result["complete"]?.boolValue != nil else { continue }
            let lacking = replay.unspoken
            if replay.last.claimsComplete, let first = lacking.first, let item = replay.wanted[first] {
                evidence.violate(
                    "complete is true, but a frame this principal was shown is missing",
                    expected: "seq \(listed(replay.wanted.keys)) in missed", actual: "seq \(listed(replay.numbers))",
                    at: [item.event, replay.result.event].sorted { $0 < $1 }.filter { $0 < replay.result.event } + [
                        replay.result.event
                    ])
            } else {
                evidence.keep()
            }
        }
    }

    /// SYNC-4: "A server MUST NOT let `ping`, `pong`, `ack`, `connected`, `syncResult` or errors that end no turn take the
    /// place of replayable frames".
    ///
    /// Once for each replay of promised frames that would have been pushed out, had the other frames been counted too.
    static func heartbeatsTakeNoPlaces(_ history: Observations, _ evidence: inout Evidence) {
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
            evidence.test(
                lost.isEmpty,
                otherwise: "frames that fit the promise are gone after \(others.count) frames that take no place",
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
            judgeGap(sync, result, reason: "epoch_changed", "another epoch was asked for", into: &evidence)
        }
    }

    /// SYNC-11: "A server MUST NOT set `complete` to true in the answer to a `sync` without `epoch` whose `lastSeqSeen` is
    /// greater than 0".
    static func positionWithoutEpochIsNeverWhole(_ history: Observations, _ evidence: inout Evidence) {
        for (sync, result) in history.answeredSyncs {
            guard sync.request["epoch"] == nil, let position = sync.lastSeqSeen, position > 0,
                result["complete"]?.boolValue != nil
            else { continue }
            evidence.test(
                !sync.claimsComplete, otherwise: "a position without its epoch is answered as whole",
                expected: "complete: false", actual: "complete: true", at: [sync.request.event, result.event])
        }
    }

    /// SYNC-12: "A server MUST answer a `sync` whose `lastSeqSeen` is greater than its last `seq` with `complete: false` and
    /// the reason `unknown_position`".
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

    /// SYNC-13: "A server MUST answer a `sync` for whose position frames have already left the buffer with
    /// `complete: false` and the reason `evicted`".
    ///
    /// Once for each answer that lacks frames which are surely no longer promised; a server that keeps more is free to.
    static func evictionIsTold(_ history: Observations, _ evidence: inout Evidence) {
        for replay in history.replays where replay.result["more"]?.boolValue != true {
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
    /// Once for each replay, all pages together, that owes frames which are surely inside both bounds.
    static func promisedFramesAreReplayed(_ history: Observations, _ evidence: inout Evidence) {
        for replay in history.replays {
            let promised = replay.wanted.values.filter { history.isPromised($0, in: replay) }
            guard !promised.isEmpty else { continue }
            let lost = promised.filter { !replay.numbers.contains($0.seq) }
            let first = lost.min(by: { $0.seq < $1.seq })
            evidence.test(no: first) { first in
                Finding(
                    "a frame inside the promised bounds is not replayed",
                    expected: "seq \(listed(promised.map(\.seq))) in missed", actual: "seq \(listed(replay.numbers))",
                    at: [first.event, replay.result.event].filter { $0 < replay.result.event } + [replay.result.event])
            }
        }
    }

    /// SYNC-16: "A server MUST treat `lastSeqSeen: 0` in the current epoch, or without an epoch, as the position before the
    /// first frame".
    ///
    /// Once for each such question after promised frames were shown; an answer that replays some of them understood the
    /// position, and one that replays none did not.
    static func zeroIsBeforeTheFirst(_ history: Observations, _ evidence: inout Evidence) {
        for replay in history.replays where replay.position == 0 {
            let promised = replay.wanted.values.filter { history.isPromised($0, in: replay) }
            guard !promised.isEmpty else { continue }
            evidence.test(
                !replay.numbers.isDisjoint(with: promised.map(\.seq)),
                otherwise: "position 0 is not taken for the one before the first frame",
                expected: "seq \(listed(promised.map(\.seq))) in missed",
                actual: "seq \(listed(replay.numbers)), reason \(text(replay.result["reason"]))",
                at: [replay.first.request.event, replay.result.event])
        }
    }
}
