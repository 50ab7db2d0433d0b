/// One frame of a principal's numbered stream, as it was shown once: live or inside a `syncResult`.
struct Shown {
    let frame: ObservedFrame
    let principal: String
    let epoch: String
    let seq: Int

    /// The event that showed it.
    var event: Int { frame.event }

    /// Every numbered frame shown to anyone, in the order of time; a replay in the order of its list.
    static func all(on connections: [ObservedConnection], syncs: [ObservedSync]) -> [Shown] {
        var shown: [Shown] = []
        for connection in connections {
            var epoch: String?
            for frame in connection.received {
                if frame.type == "connected" || frame.type == "syncResult" { epoch = frame.epoch ?? epoch }
                guard Observations.isNumbered(frame), let seq = frame.seq, let epoch else { continue }
                shown.append(Shown(frame: frame, principal: connection.principal, epoch: epoch, seq: seq))
            }
        }
        for sync in syncs {
            guard let epoch = sync.result?.epoch else { continue }
            let principal = connections[sync.connection].principal
            for frame in sync.missed {
                guard let seq = frame.seq else { continue }
                shown.append(Shown(frame: frame, principal: principal, epoch: epoch, seq: seq))
            }
        }
        return shown.sorted {
            ($0.event, $0.frame.replayIndex ?? 0) < ($1.event, $1.frame.replayIndex ?? 0)
        }
    }
}

/// What was shown of one numbered stream.
struct Stream {
    /// Streams belong to a principal and have an epoch.
    struct Key: Hashable {
        let principal: String
        let epoch: String
    }

    /// Everything shown of it, in the order of time.
    private(set) var items: [Shown] = []
    /// For each number, when it was shown first; in the order of the numbers.
    private var firsts: [Shown] = []
    /// The greatest number up to and with each item.
    private var greatest: [Int] = []
    /// The places of each number among the items.
    private var places: [Int: [Int]] = [:]

    /// Nothing shown yet.
    init() {}

    static func all(in shown: [Shown]) -> [Key: Stream] {
        var streams: [Key: Stream] = [:]
        var known: [Key: Set<Int>] = [:]
        for item in shown {
            let key = Key(principal: item.principal, epoch: item.epoch)
            if known[key, default: []].insert(item.seq).inserted { streams[key, default: Stream()].firsts.append(item) }
            streams[key, default: Stream()].take(item)
        }
        for key in streams.keys { streams[key]?.firsts.sort { $0.seq < $1.seq } }
        return streams
    }

    private mutating func take(_ item: Shown) {
        places[item.seq, default: []].append(items.count)
        items.append(item)
        greatest.append(max(item.seq, greatest.last ?? item.seq))
    }

    /// For each number after a position, when it was shown first; in the order of the numbers.
    func firstShown(after position: Int) -> ArraySlice<Shown> {
        firsts[firsts.boundary { $0.seq > position }...]
    }

    /// For each number up to a position, when it was shown first; in the order of the numbers.
    func firstShown(upTo position: Int) -> ArraySlice<Shown> {
        firsts[..<firsts.boundary { $0.seq > position }]
    }

    /// Everything shown under a number, in the order of time.
    func items(numbered seq: Int) -> [Shown] { (places[seq] ?? []).map { items[$0] } }

    /// What was shown before an event, in the order of time.
    func items(before event: Int) -> ArraySlice<Shown> {
        items[..<items.boundary { $0.event >= event }]
    }

    /// What was shown after an event, in the order of time.
    func items(after event: Int) -> ArraySlice<Shown> {
        items[items.boundary { $0.event > event }...]
    }

    /// The greatest number shown before an event; nil when nothing was.
    func greatest(before event: Int) -> Int? {
        let place = items.boundary { $0.event >= event }
        return place > 0 ? greatest[place - 1] : nil
    }

    /// The greatest number shown by an event; nil when it showed none.
    func greatest(at event: Int) -> Int? {
        items(after: event - 1).prefix { $0.event == event }.map(\.seq).max()
    }
}
