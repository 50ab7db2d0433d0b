import HoldfastJSON
import HoldfastTranscript

extension Observations {
    /// The epoch of a connection at an event, from `connected` or a later `syncResult`.
    func epoch(on connection: Int, before event: Int) -> String? {
        connections[connection].received.last {
            $0.event < event && $0.tellsPosition && $0.epoch != nil
        }?.epoch
    }

    /// The frames shown from a stream; empty without an epoch.
    func stream(of principal: String, epoch: String?) -> Stream {
        epoch.flatMap { streams[Stream.Key(principal: principal, epoch: $0)] } ?? Stream()
    }

    /// The promised replay of a connection, in frames and time.
    func promise(on connection: Int) -> (messages: Int, microseconds: Int) {
        let seconds = connections[connection].limit("replaySeconds") ?? 3600
        return (connections[connection].limit("replayMessages") ?? 1000, min(max(seconds, 0), 1 << 32) * 1_000_000)
    }

    func principal(of sync: ObservedSync) -> String { connections[sync.connection].principal }

    var answeredSyncs: [(sync: ObservedSync, result: Frame)] {
        syncs.compactMap { sync in sync.result.map { (sync, $0) } }
    }

    /// The last page of every answer with missing frames, and the event of the first page that reported them.
    ///
    /// Further pages do not contain frames that are missing before the first page (CLIENT-17).
    var gaps: [(sync: ObservedSync, result: Frame, reportedAt: Int)] {
        var open: [Int: Int] = [:]
        return answeredSyncs.compactMap { sync, result in
            let isReported = result.complete == false && !(result.hasMore && result.string("reason") == "too_many")
            let reportedAt = open[sync.connection] ?? (isReported ? result.event : nil)
            open[sync.connection] = result.hasMore ? reportedAt : nil
            return result.hasMore ? nil : reportedAt.map { (sync, result, $0) }
        }
    }
}

/// One requested position, with all pages of the answer.
struct Replay {
    /// The requests of the pages, in order; each has an answer.
    let syncs: [ObservedSync]
    let result: Frame
    let position: Int
    let principal: String
    let epoch: String
    let numbers: Set<Int>
    /// The last number covered by the pages: `lastSeq`, or the last frame if a further page was not requested.
    let covered: Int
    /// The greatest number that the principal was shown before the last page.
    let newestShown: Int
    /// The frames ever shown to the principal between the position and `covered`, by number.
    let wanted: [Int: NumberedFrame]

    var first: ObservedSync { syncs[0] }
    var last: ObservedSync { syncs[syncs.endIndex - 1] }
    var frames: [Frame] { syncs.flatMap(\.missed) }
    var isCutShort: Bool { result.hasMore }

    /// The wanted numbers that no page contains.
    var lacking: [Int] { wanted.keys.filter { !numbers.contains($0) }.sorted() }

    func covers(_ frame: Frame) -> Bool { syncs.contains { $0.result?.event == frame.event } }

    /// Whether it has an ending without a turn, which may belong to any turn.
    var hasNamelessEnding: Bool { frames.contains { $0.isEnding && $0.turnId == nil } }

    var evicted: Frame? {
        syncs.lazy.compactMap(\.result).first { $0.complete == false && $0.string("reason") == "evicted" }
    }

    /// The wanted numbers that no page contains, within the scope of the last page: after a page that reports a loss,
    /// the next one starts anew.
    var silentlyMissing: [Int] {
        guard evicted != nil, let from = last.lastSeqSeen else { return lacking }
        return lacking.filter { $0 > from }
    }
}

extension Replay {
    static func all(
        of syncs: [ObservedSync], on connections: [ObservedConnection], from streams: [Stream.Key: Stream]
    ) -> [Replay] {
        // Frames with types outside this version also have positions.
        let isPlain = connections.allSatisfy { connection in
            connection.received.allSatisfy { !NumberedFrame.mayBeNumbered($0) || NumberedFrame.isNumbered($0) }
        }
        let numbered =
            isPlain
            ? streams
            : Stream.all(in: NumberedFrame.all(on: connections, syncs: syncs, hasPosition: NumberedFrame.mayBeNumbered))
        var runs: [[ObservedSync]] = []
        /// By connection, the index of the replay that a further page would continue.
        var open: [Int: Int] = [:]
        for sync in syncs where sync.result != nil {
            if let run = open[sync.connection], let last = runs[run].last, sync.continues(last) {
                runs[run].append(sync)
            } else if let epoch = sync.result?.epoch, let last = sync.lastSeqSeen,
                // The position is meaningful: it names the epoch of the answer, or is 0.
                sync.request.epoch == epoch || sync.request["epoch"] == nil && last == 0
            {
                open[sync.connection] = runs.count
                runs.append([sync])
            }
        }
        return runs.compactMap { run in
            guard let last = run.last, let result = last.result, let epoch = result.epoch,
                let position = run[0].lastSeqSeen
            else { return nil }
            let numbers = run.flatMap(\.missed).compactMap(\.seq)
            let covered = result.hasMore ? numbers.last ?? position : last.lastSeq ?? position
            let key = Stream.Key(principal: connections[last.connection].principal, epoch: epoch)
            // Frames shown before the sync belong to the answer, wherever it claims to end.
            let wanted = (streams[key]?.firstShown(after: position) ?? []).filter { item in
                item.seq <= covered || item.event < run[0].request.event && !result.hasMore
            }
            return Replay(
                syncs: run, result: result, position: position, principal: key.principal, epoch: epoch,
                numbers: Set(numbers), covered: covered,
                newestShown: numbered[key]?.greatest(before: result.event) ?? 0,
                wanted: Dictionary(wanted.map { ($0.seq, $0) }, uniquingKeysWith: { first, _ in first }))
        }
    }
}

extension ObservedSync {
    fileprivate func continues(_ page: ObservedSync) -> Bool {
        guard let before = page.result, before.hasMore, result?.epoch == before.epoch,
            request.event > before.event, let position = page.missed.last?.seq, lastSeqSeen == position
        else { return false }
        // A position of another epoch is unrelated, and one without an epoch may be meaningless.
        return request["epoch"] == nil ? reason != "unknown_position" : request.epoch == before.epoch
    }
}

extension Observations {
    /// Whether a frame is certainly covered by the replay promise: fewer numbers follow than frames are promised, it is
    /// younger than half of the promised age, and all frames from it on are known to fit the promised bytes.
    ///
    /// Gaps in numbers are legal, so the difference of two numbers is an upper bound for the frames between them. The
    /// difference counts from the newest frame at that time, even if the answer is a page that ends earlier or does not
    /// state the end of the stream.
    func isPromised(_ item: NumberedFrame, in replay: Replay) -> Bool {
        let newest = max(replay.covered, replay.last.lastSeq ?? 0, replay.newestShown, item.seq)
        return isPromised(item, before: newest, on: replay.first.connection, at: replay.result.event)
    }

    /// The same for a connection's answer at an event, given the newest number at that time.
    func isPromised(_ item: NumberedFrame, before newest: Int, on connection: Int, at answer: Int) -> Bool {
        let promise = promise(on: connection)
        guard !item.frame.isReplayed else { return false }
        let (distance, overflows) = newest.subtractingReportingOverflow(item.seq)
        return !overflows && distance < promise.messages
            && (time(of: answer) - time(of: item.event)) * 2 <= promise.microseconds
            && fits(item, before: newest, at: answer)
    }

    private static let promisedBytes = 1_000_000

    /// Whether a frame and all newer ones certainly fit the promised bytes.
    ///
    /// If some were never shown live, such as a question to the connection that asked, all must fit half the bytes.
    private func fits(_ item: NumberedFrame, before newest: Int, at answer: Int) -> Bool {
        let known = (streams[item.stream] ?? Stream()).bytes(from: item.seq, through: newest)
        if known.isComplete { return known.sum <= Self.promisedBytes }
        let asked = turns[turns.boundary { $0.event > item.event }...].prefix { $0.event < answer }
            .filter { $0.principal == item.principal }.compactMap { size(of: $0.request) }
        return (known.sum + asked.reduce(0, +)) * 2 <= Self.promisedBytes
    }

    /// Whether a frame is certainly no longer covered: as many frames as promised were shown after it, it is too old,
    /// or all frames from it on exceed the promised bytes.
    ///
    /// Frames that existed at the time of the request count, even if the answer is a page that ends before them.
    func isOutlived(_ item: NumberedFrame, in replay: Replay) -> Bool {
        let promise = promise(on: replay.first.connection)
        let asked = replay.first.request.event
        let stream = stream(of: replay.principal, epoch: replay.epoch)
        let after = stream.firstShown(after: item.seq)
        let known = stream.bytes(from: item.seq, through: replay.covered)
        return time(of: asked) - time(of: item.event) > promise.microseconds || known.sum > Self.promisedBytes
            || after.boundary { $0.seq > replay.covered } - after.startIndex >= promise.messages
            || after.count >= promise.messages
                && after.lazy.filter { $0.seq <= replay.covered || $0.event < asked }.prefix(promise.messages).count
                    >= promise.messages
    }
}

/// Numbers for a message: the first ten, then the count of the rest.
func listed(_ numbers: some Collection<Int>) -> String {
    let sorted = numbers.sorted()
    let shown = sorted.prefix(10).map(String.init).joined(separator: ", ")
    return sorted.isEmpty ? "none" : sorted.count > 10 ? "\(shown) and \(sorted.count - 10) more" : shown
}
