import HoldfastJSON

/// The numbered stream of one principal: assigns `seq` and keeps the newest frames for replay.
///
/// All limits hold at once: a frame is dropped if `maxFrames` newer ones follow, if it is older than
/// `maxAgeMs`, or if it and all newer ones exceed `maxBytes`. Only frames with a `seq` enter, so pings and acks cannot
/// push out an answer. The buffer lives in memory and ends with the process. A restart announces a new epoch or refills
/// the buffer, so no client relies on lost frames.
struct ReplayBuffer: Sendable {
    struct Entry: Sendable {
        let seq: Int
        /// In microseconds.
        let at: Int
        let frame: JSONValue
        /// The length of its text.
        let bytes: Int
    }

    /// The frames after a position, if they are known.
    enum Reading: Sendable {
        /// Every frame after the position, in order.
        case whole([Entry])
        /// Some frames after the position are gone; these remain.
        case evicted([Entry])
        /// The position is beyond the end of the stream.
        case unknown
    }

    /// The number of the newest frame, 0 before the first.
    private(set) var lastSeq = 0
    private let maxFrames: Int
    private let maxAge: Int
    private let maxBytes: Int
    private var bytes = 0
    private var entries: [Entry] = []
    /// Index of the oldest kept frame; the array is compacted occasionally.
    private var first = 0
    private var evictedThrough = 0

    init(maxFrames: Int, maxAgeMs: Int, maxBytes: Int) {
        self.maxFrames = max(0, maxFrames)
        maxAge = maxAgeMs * 1000
        self.maxBytes = maxBytes
    }

    /// Draws the next number; a larger step leaves numbers unused.
    mutating func draw(step: Int = 1) -> Int {
        lastSeq += step
        return lastSeq
    }

    /// Draws a number that derives from a time, so that the same frame gets it again after a restart.
    mutating func draw(at time: Int) -> Int { draw(step: max(1, time - lastSeq)) }

    mutating func keep(_ frame: JSONValue, seq: Int, bytes: Int, at now: Int) {
        entries.append(Entry(seq: seq, at: now, frame: frame, bytes: bytes))
        self.bytes += bytes
        while entries.count - first > maxFrames || self.bytes > maxBytes { evict(1) }
        dropOld(at: now)
    }

    /// Does not include the frame at the position.
    mutating func read(after position: Int, at now: Int) -> Reading {
        dropOld(at: now)
        guard position <= lastSeq else { return .unknown }
        let kept = entries[(first + index(after: position))...]
        return position < evictedThrough ? .evicted(Array(kept)) : .whole(Array(kept))
    }

    private func index(after position: Int) -> Int {
        var low = first
        var high = entries.count
        while low < high {
            let middle = (low + high) / 2
            if entries[middle].seq > position { high = middle } else { low = middle + 1 }
        }
        return low - first
    }

    private mutating func dropOld(at now: Int) {
        var count = 0
        while first + count < entries.count, now - entries[first + count].at >= maxAge { count += 1 }
        evict(count)
    }

    private mutating func evict(_ count: Int) {
        guard count > 0 else { return }
        for entry in entries[first..<(first + count)] { bytes -= entry.bytes }
        first += count
        evictedThrough = entries[first - 1].seq
        if first > 512, first * 2 > entries.count {
            entries.removeFirst(first)
            first = 0
        }
    }
}
