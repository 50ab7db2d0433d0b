import HoldfastJSON

// Replay: the frames after a position, or the reason why they are unavailable.
extension ServerCore {
    /// Room for the envelope of a page.
    private static let pageOverhead = 1024

    /// Answers a `sync` with one page.
    ///
    /// This is one step, and the socket already gets live frames: everything in the stream now is in `missed` or
    /// reported as missing, and every later frame arrives live with a number greater than `lastSeq`.
    mutating func answer(_ sync: ClientMessage.Sync, of principal: String, on socket: Int) {
        var stream = streams[principal] ?? newStream()
        var answer = SyncAnswer(lastSeq: stream.lastSeq)
        if let epoch = sync.epoch, epoch != self.epoch {
            answer.reason = .epochChanged
        } else if sync.epoch == nil, sync.lastSeqSeen > 0, rules.namesEpochs {
            // A position without an epoch may come from any stream.
            answer.reason = .unknownPosition
        } else {
            switch stream.read(after: sync.lastSeqSeen, at: now.steady) {
            case .whole(let entries): fill(&answer, with: entries, limit: sync.limit)
            case .evicted(let entries):
                fill(&answer, with: entries, limit: sync.limit)
                answer.reason = .evicted
            case .unknown: answer.reason = .unknownPosition
            }
        }
        streams[principal] = stream
        send(Frames.syncResult(answer, epoch: epoch), to: socket)
    }

    /// Adds frames to a page up to its limits; at least one, so that paging always ends.
    ///
    /// A wire that cannot mark a page as partial has no limits: its client would never request the rest.
    private func fill(_ answer: inout SyncAnswer, with entries: [ReplayBuffer.Entry], limit: Int?) {
        var room = !rules.hasPages ? .max : rules.maxSentBytes - Self.pageOverhead
        for entry in entries.prefix(limit ?? .max) {
            guard answer.missed.isEmpty || entry.bytes < room else { break }
            room -= entry.bytes + 1
            answer.missed.append(entry.frame)
        }
        guard answer.missed.count < entries.count else { return }
        answer.reason = .tooMany
        answer.hasMore = true
    }
}
