import HoldfastTranscript

/// One showing of a frame in a principal's numbered stream: live or in a `syncResult`.
struct NumberedFrame: HasEvent {
    let frame: Frame
    let stream: Stream.Key
    let seq: Int

    /// Whether frames of a type have a position in the stream.
    static func isInStream(_ kind: Frame.Kind) -> Bool {
        kind == .toolUse || kind == .done || kind == .message || kind == .error
    }

    /// Whether frames of a type never have a position, whatever their members.
    static func isOutsideStream(_ kind: Frame.Kind) -> Bool {
        kind == .ack || kind == .connected || kind == .syncResult || kind == .pong
    }

    var event: Int { frame.event }
    var principal: String { stream.principal }
    var epoch: String { stream.epoch }
    var isOfKnownType: Bool { Self.isInStream(frame.kind) }

    /// Every numbered frame shown to anyone, in time order; replayed frames in list order.
    ///
    /// Only live frames that satisfy `hasPosition` count; copies have no position.
    static func all(
        on connections: [ObservedConnection], syncs: [ObservedSync], hasPosition: (Frame) -> Bool = isNumbered
    ) -> [NumberedFrame] {
        var shown: [NumberedFrame] = []
        for connection in connections {
            var stream: Stream.Key?
            for frame in connection.received {
                if frame.tellsPosition, let epoch = frame.epoch {
                    stream = Stream.Key(principal: connection.principal, epoch: epoch)
                }
                guard let stream, let seq = frame.seq, !frame.isDuplicate, hasPosition(frame) else { continue }
                shown.append(NumberedFrame(frame: frame, stream: stream, seq: seq))
            }
        }
        for sync in syncs {
            guard let epoch = sync.result?.epoch else { continue }
            let stream = Stream.Key(principal: connections[sync.connection].principal, epoch: epoch)
            // A type without a live position has none in a replay either.
            shown += sync.missed.filter { !isOutsideStream($0.kind) }.compactMap { frame in
                frame.seq.map { NumberedFrame(frame: frame, stream: stream, seq: $0) }
            }
        }
        return shown.sorted { ($0.event, $0.frame.replayIndex ?? 0) < ($1.event, $1.frame.replayIndex ?? 0) }
    }

    /// Whether a live frame has a position in the stream; copies have none.
    static func isNumbered(_ frame: Frame) -> Bool { isInStream(frame.kind) && mayBeNumbered(frame) }

    /// Whether a live frame may have a position, including frames with types outside this version.
    static func mayBeNumbered(_ frame: Frame) -> Bool {
        !frame.isDuplicate && frame.seq != nil && !isOutsideStream(frame.kind)
    }
}

extension Frame {
    /// Whether it states an epoch and its last position.
    var tellsPosition: Bool { kind == .connected || kind == .syncResult }
}

struct Stream {
    /// A class with a stored hash, because every numbered frame has one.
    final class Key: Hashable {
        let principal: String
        let epoch: String
        private let hash: Int

        init(principal: String, epoch: String) {
            (self.principal, self.epoch) = (principal, epoch)
            var hasher = Hasher()
            hasher.combine(principal)
            hasher.combine(epoch)
            hash = hasher.finalize()
        }

        static func == (one: Key, other: Key) -> Bool {
            one === other
                || one.hash == other.hash && one.principal == other.principal && one.epoch == other.epoch
        }

        func hash(into hasher: inout Hasher) { hasher.combine(hash) }
    }

    private(set) var items: [NumberedFrame] = []
    /// The first showing of each number, in number order.
    private var firsts: [NumberedFrame] = []
    /// The cumulative bytes of `firsts`, starting with 0, and the number of frames among them never shown live.
    private var sizes: [(bytes: Int, unsized: Int)] = []
    /// The greatest number up to each item.
    private var greatest: [Int] = []
    /// The index of each number's first item.
    private var firstIndices: [Int: Int] = [:]
    /// The indices of each number's further items.
    private var further: [Int: [Int]] = [:]

    static func all(in shown: [NumberedFrame]) -> [Key: Stream] {
        var streams: [Key: Stream] = [:]
        for item in shown {
            streams[item.stream, default: Stream()].take(item)
        }
        for key in streams.keys { streams[key]?.measure() }
        return streams
    }

    private mutating func measure() {
        firsts.sort { $0.seq < $1.seq }
        sizes = firsts.reduce(into: [(0, 0)]) { sizes, item in
            // A frame inside a page has no wire text of its own.
            let live = item.frame.isReplayed ? items(numbered: item.seq).first { !$0.frame.isReplayed } : item
            let bytes = live?.frame.wireBytes ?? item.frame.value?.text().utf8.count ?? 0
            let last = sizes[sizes.endIndex - 1]
            sizes.append((last.0 + bytes, last.1 + (live == nil ? 1 : 0)))
        }
    }

    /// The total bytes of the shown frames in a range of numbers, and whether that includes all such frames.
    func bytes(from seq: Int, through last: Int) -> (sum: Int, isComplete: Bool) {
        let (low, high) = (firsts.boundary { $0.seq >= seq }, firsts.boundary { $0.seq > last })
        guard low < high else { return (0, false) }
        let count = last.subtractingReportingOverflow(seq).partialValue + 1
        return (
            sizes[high].bytes - sizes[low].bytes, high - low == count && sizes[high].unsized == sizes[low].unsized
        )
    }

    private mutating func take(_ item: NumberedFrame) {
        if firstIndices[item.seq] == nil {
            firsts.append(item)
            firstIndices[item.seq] = items.count
        } else {
            further[item.seq, default: []].append(items.count)
        }
        items.append(item)
        greatest.append(max(item.seq, greatest.last ?? item.seq))
    }

    func firstShown(after position: Int) -> ArraySlice<NumberedFrame> {
        firsts[firsts.boundary { $0.seq > position }...]
    }

    func firstShown(upTo position: Int) -> ArraySlice<NumberedFrame> {
        firsts[..<firsts.boundary { $0.seq > position }]
    }

    func items(numbered seq: Int) -> [NumberedFrame] {
        firstIndices[seq].map { first in ([first] + (further[seq] ?? [])).map { items[$0] } } ?? []
    }

    func items(before event: Int) -> ArraySlice<NumberedFrame> { items[..<items.boundary { $0.event >= event }] }

    func items(after event: Int) -> ArraySlice<NumberedFrame> { items[items.boundary { $0.event > event }...] }

    /// The greatest number shown before an event, if any.
    func greatest(before event: Int) -> Int? {
        let next = items.boundary { $0.event >= event }
        return next > 0 ? greatest[next - 1] : nil
    }

    /// The greatest number that an event shows, if any; a `syncResult` may show several.
    func greatest(at event: Int) -> Int? { items(after: event - 1).prefix { $0.event == event }.map(\.seq).max() }
}
