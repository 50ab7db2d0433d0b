import Holdfast
import Transcript

/// What a client may not step over.
extension CLIENT {
    /// CLIENT-27: "A client MUST NOT move its position past frames that an unanswered or incomplete `sync` has still to
    /// bring".
    ///
    /// Once for each first `sync` of a connection while an earlier one is unanswered, is a page short of the whole, or was
    /// answered as incomplete without a session read since, and frames are owed that the client was not sent. A client that
    /// gave up an unanswered `sync` and read a session waits for it no longer; what it may do then is not said.
    static func holesAreKept(_ history: Observations, _ evidence: inout Evidence) {
        let places = ClientPlaces(history)
        for (sync, position) in history.firstSyncs {
            guard let greeted = history.connections[sync.connection].connected, let hole = places.hole(before: greeted),
                hole.sync.connection != sync.connection, let old = history.connections[hole.sync.connection].greeting
            else { continue }
            if hole.told == nil, places.isRead(since: hole.sync, before: sync.request.event) { continue }
            let given = places.given(from: places.installation(at: greeted), to: sync.request.event)
            func isOwed(_ epoch: String?, after floor: Int, upTo last: Int) -> Bool {
                guard last > floor else { return false }
                return Set(given.filter { $0.epoch == epoch && $0.seq > floor && $0.seq <= last }.map(\.seq)).count
                    < last - floor
            }
            let allowed: Int
            if let told = hole.told, told.epoch != hole.epoch, sync.request.epoch == told.epoch {
                guard position <= places.ceiling(of: told.epoch, before: sync.request.event),
                    isOwed(told.epoch, after: 0, upTo: max(position, told.lastSeq))
                else { continue }
                allowed = 0
            } else {
                let last = hole.told?.lastSeq ?? (old.epoch == hole.epoch ? old["lastSeq"]?.intValue : nil) ?? 0
                let isNewStream = hole.told.map { $0.epoch != hole.epoch } ?? (old.epoch != hole.epoch)
                guard sync.request.epoch.map({ $0 == hole.epoch }) ?? (position == 0),
                    isNewStream || isOwed(hole.epoch, after: hole.floor, upTo: last)
                else { continue }
                allowed = hole.floor
            }
            evidence.test(
                position <= allowed, otherwise: "the position moved past frames that a sync has still to bring",
                expected: "lastSeqSeen of at most \(allowed)",
                actual: "epoch \(shown(sync.request.epoch)), lastSeqSeen \(position)",
                at: [hole.sync.request.event, sync.request.event])
        }
    }

    /// CLIENT-28: "A client MUST take up the position of a new epoch together with that epoch, and never combine it
    /// with a number of the old one".
    ///
    /// Once for each `sync` that names an epoch after two were told: its number has to be one of that epoch, and once a frame
    /// of the newest epoch was surely taken, with nothing still to come, no older epoch is named again.
    static func epochsComeWhole(_ history: Observations, _ evidence: inout Evidence) {
        let places = ClientPlaces(history)
        for sync in history.syncs {
            guard let epoch = sync.request.epoch, let position = sync.lastSeqSeen else { continue }
            let told = places.epochs(toldBefore: sync.request.event)
            guard told.count > 1, let age = told.firstIndex(of: epoch) else { continue }
            let ceiling = places.ceiling(of: epoch, before: sync.request.event)
            let held = places.held(before: history.connections[sync.connection].connected ?? sync.request.event)
            let actual = "epoch '\(epoch)', lastSeqSeen \(position)"
            if position > ceiling {
                evidence.violate(
                    "an epoch is combined with a number of another", expected: "lastSeqSeen of at most \(ceiling)",
                    actual: actual, at: [sync.request.event])
            } else if let held, let newest = told.firstIndex(of: held.epoch), age < newest,
                places.isClosed(before: history.connections[sync.connection].connected ?? sync.request.event)
            {
                evidence.violate(
                    "the old epoch is asked about after frames of a new one",
                    expected: "epoch '\(held.epoch)', lastSeqSeen \(held.seq)", actual: actual,
                    at: [held.frame.event, sync.request.event])
            } else {
                evidence.keep()
            }
        }
    }
}
