import HoldfastJSON

// Replay: what was missed since a position, or why that cannot be told.
extension ServerCore {
    /// Room for what surrounds the frames of a page.
    private static let pageOverhead = 1024

    /// Answers a `sync` with one page.
    ///
    /// Nothing else happens while it is built, and the socket gets live frames already: what is in the stream now is in
    /// `missed` or told to be missing, and every later frame comes live with a number greater than `lastSeq`.
    mutating func answer(_ sync: ClientMessage.Sync, of principal: String, on socket: Int) {
        var stream = streams[principal] ?? newStream()
        var answer = SyncAnswer(lastSeq: stream.lastSeq)
        if let epoch = sync.epoch, epoch != self.epoch {
            answer.reason = .epochChanged
        } else if sync.epoch == nil, sync.lastSeqSeen > 0, rules.namesEpochs {
            // A position without its epoch may come from any stream.
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

    /// Puts frames into a page until one of its bounds is reached; at least one, so that following the pages ends.
    ///
    /// Where nothing can tell a page from the whole, a page would lose what comes after it without a word.
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
