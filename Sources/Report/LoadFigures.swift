import Holdfast
import HoldfastBasics
import HoldfastJSON

/// Measurements under load over time: waiting times, judged clauses, and the stage's lag.
package struct LoadFigures: Sendable, Equatable {
    /// Measurements of an interval; times belong to the interval in which the action was scheduled.
    package struct Interval: Sendable, Equatable {
        package var frames = 0
        package var violations = 0
        package var lag = TimeHistogram()
        package var times: [LoadTime: TimeHistogram] = [:]

        package init() {}

        /// Whether the stage was so late that it, not the server, determined the times of this interval.
        package var isLate: Bool { (lag.percentile(0.99) ?? 0) > LoadFigures.maxLag }
    }

    /// The largest acceptable lag, in microseconds, for 99 % of all actions.
    static let maxLag = 50_000
    private static let maxLateShare = 0.1

    package let mix: String
    package let seed: UInt64
    package var devices: Int
    package var principals: Int
    package let seconds: Int
    package let rampSeconds: Int
    /// The length of an interval, in seconds.
    package let width: Int
    package var intervals: [Int: Interval] = [:]
    package var events = 0
    package var histories = 0
    package var exercised = 0
    /// Histories that arrived faster than they could be judged.
    package var unjudged = 0
    package var unconnected = 0
    package var unanswered = 0
    package var refused: [String: Int] = [:]
    package var cpuMs = 0
    package var cores = 1

    package init(mix: String, seed: UInt64, devices: Int, principals: Int, seconds: Int, rampSeconds: Int) {
        (self.mix, self.seed, self.devices, self.principals) = (mix, seed, devices, principals)
        (self.seconds, self.rampSeconds) = (seconds, rampSeconds)
        width = max(1, (seconds + 119) / 120)
    }

    /// The interval of a time, in microseconds since the beginning.
    package func interval(at moment: Int) -> Int { min(max(0, moment / 1_000_000), seconds) / width }

    /// The parameters that shards of one load share.
    var plan: String { "mix \(mix), seed \(seed), \(seconds) s, ramp \(rampSeconds) s" }

    mutating func add(_ other: LoadFigures) {
        devices += other.devices
        principals += other.principals
        events += other.events
        histories += other.histories
        exercised += other.exercised
        unjudged += other.unjudged
        unconnected += other.unconnected
        unanswered += other.unanswered
        cpuMs += other.cpuMs
        cores += other.cores
        refused.merge(other.refused, uniquingKeysWith: +)
        for (index, interval) in other.intervals {
            intervals[index, default: Interval()].frames += interval.frames
            intervals[index]?.violations += interval.violations
            // If one shard was late, only its lag is kept, because the sum would hide it.
            if interval.isLate || intervals[index]?.isLate == true {
                let late = interval.isLate ? interval.lag : intervals[index]?.lag
                intervals[index]?.lag = late ?? interval.lag
            } else {
                intervals[index]?.lag.add(interval.lag)
            }
            for (time, histogram) in interval.times {
                intervals[index]?.times[time, default: TimeHistogram()].add(histogram)
            }
        }
    }

    // MARK: derived figures

    /// Whether an interval is part of the run; the times of later events are unknown.
    func isDuring(_ index: Int) -> Bool { index * width < seconds }

    private var during: [Interval] { intervals.filter { isDuring($0.key) }.map(\.value) }
    private var onTime: [Interval] { intervals.values.filter { !$0.isLate } }
    private var late: [Interval] { intervals.values.filter(\.isLate) }

    /// The times of one kind, without intervals in which the stage was late.
    func times(_ time: LoadTime) -> TimeHistogram {
        onTime.reduce(into: TimeHistogram()) { $0.add($1.times[time] ?? TimeHistogram()) }
    }

    var lag: TimeHistogram { intervals.values.reduce(into: TimeHistogram()) { $0.add($1.lag) } }

    /// The highest rate of frames per second in an interval in which the stage was on time.
    var heldRate: Int { (during.filter { !$0.isLate }.map(\.frames).max() ?? 0) / width }

    /// The reason why the figures say nothing about the server; nil if they do.
    package var problem: String? {
        if unjudged > 0 {
            return """
                suite failure: \(counted(unjudged, "history", "histories")) came faster than they could be judged
                  expected: every history judged while the load runs; this machine held up to \(readable(heldRate)) frames/s
                  fix: fewer --devices, a longer pause in the mix, or a shard on each of several machines (--shard I/N)
                """
        }
        guard Double(late.count) > Self.maxLateShare * Double(during.count) else { return nil }
        return """
            suite failure: the suite, not the server, is the limit: its own acts were late in \(late.count) of \(during.count) \
            intervals, first at \(readable((late.map(\.frames).min() ?? 0) / width)) frames/s
              expected: 99 % of the acts at most \(Self.maxLag / 1000) ms late; this machine held up to \(readable(heldRate)) frames/s
              fix: fewer --devices, a longer pause in the mix, another machine for the server, or --shard I/N
            """
    }

    package var lines: [String] {
        let frames = during.reduce(0) { $0 + $1.frames }
        let most = (during.map(\.frames).max() ?? 0) / width
        var lines = [
            "load: \(counted(devices, "device")) of \(counted(principals, "principal")), mix \(mix), seed \(seed), \(seconds) s, "
                + "ramp \(rampSeconds) s",
            "judged: \(counted(events, "event")) in \(counted(histories, "history", "histories")); clauses exercised "
                + "\(readable(exercised))×",
            "frames: \(readable(frames / max(1, seconds)))/s on average, \(readable(most))/s at most",
        ]
        let failed =
            [(unconnected, "connection", "failed"), (unanswered, "question", "unanswered")].filter { $0.0 > 0 }
            .map { "\(counted($0.0, $0.1)) \($0.2)" }
            + refused.sorted { $0.key < $1.key }.map { "\(readable($0.value))× \($0.key)" }
        if !failed.isEmpty { lines.append("not answered: \(failed.joined(separator: ", "))") }
        if let problem { return lines + [stage, problem] }
        lines.append(stage)
        lines.append(
            padded("", 20) + ["count", "p50", "p90", "p99", "p99.9", "max"].map { aligned($0, 10) }.joined())
        for time in LoadTime.allCases {
            let histogram = times(time)
            guard histogram.count > 0 else { continue }
            let cells = Self.shares.map { Self.words(histogram.percentile($0.share) ?? 0) }
            lines.append(
                padded(time.words, 20) + ([readable(histogram.count)] + cells).map { aligned($0, 10) }.joined())
        }
        if !late.isEmpty {
            lines.append(
                "without \(counted(late.count, "interval")) in which the suite itself was late (from "
                    + "\(readable((late.map(\.frames).min() ?? 0) / width)) frames/s)")
        }
        return lines
    }

    private var stage: String {
        let cpu = Double(cpuMs) / 1000 / Double(max(1, seconds))
        return
            "suite: acts \(Self.words(lag.percentile(0.5) ?? 0)) late (p50), \(Self.words(lag.percentile(0.99) ?? 0)) (p99); "
            + "\(Int(cpu * 100)) % of one core, of \(cores)"
    }

    static let shares: [(name: String, share: Double)] = [
        ("p50Ms", 0.5), ("p90Ms", 0.9), ("p99Ms", 0.99), ("p999Ms", 0.999), ("maxMs", 1),
    ]

    static func words(_ time: Int) -> String {
        if time < 10_000 { return "\(time / 1000).\(time % 1000 / 100) ms" }
        return readable(.microseconds(time))
    }
}

extension LoadFigures: JSONRepresentable {
    package var json: JSONValue {
        JSONValue(members: [
            "mix": mix, "seed": "\(seed)", "devices": devices, "principals": principals, "seconds": seconds,
            "rampSeconds": rampSeconds, "events": events, "histories": histories, "exercised": exercised,
            "unjudged": unjudged, "unconnected": unconnected, "unanswered": unanswered,
            "refused": JSONValue.object(
                JSONObject(refused.sorted { $0.key < $1.key }.map { (key: $0.key, value: JSONValue($0.value)) })),
            "cpuMs": cpuMs, "cores": cores, "heldFramesPerSecond": heldRate,
            "times": problem == nil ? percentiles : JSONValue?.none,
            "intervals": intervals.sorted { $0.key < $1.key }.map { index, interval in
                var members: [(key: String, value: JSONValue)] = [
                    ("index", JSONValue(index)), ("frames", JSONValue(interval.frames)),
                    ("violations", JSONValue(interval.violations)), ("lag", Self.json(interval.lag)),
                ]
                members += LoadTime.allCases.compactMap { time in
                    interval.times[time].map { (time.rawValue, Self.json($0)) }
                }
                return JSONValue.object(JSONObject(members))
            },
        ])
    }

    private var percentiles: JSONValue {
        let members = LoadTime.allCases.map { time in
            let histogram = times(time)
            let shares = Self.shares.map { name, share in
                (key: name, value: JSONValue((histogram.percentile(share) ?? 0) / 1000))
            }
            return (
                key: time.rawValue,
                value: JSONValue.object(JSONObject([(key: "count", value: JSONValue(histogram.count))] + shares))
            )
        }
        return .object(JSONObject(members))
    }

    private static func json(_ histogram: TimeHistogram) -> JSONValue {
        .array(histogram.counts.sorted { $0.key < $1.key }.map { [JSONValue($0.key), JSONValue($0.value)] })
    }

    init(_ stored: MemberReader) {
        self.init(
            mix: stored.text("mix"), seed: UInt64(stored.text("seed")) ?? 0, devices: stored.number("devices"),
            principals: stored.number("principals"), seconds: stored.number("seconds"),
            rampSeconds: stored.number("rampSeconds"))
        (events, histories) = (stored.number("events"), stored.number("histories"))
        (exercised, unjudged) = (stored.number("exercised"), stored.number("unjudged"))
        (unconnected, unanswered) = (stored.number("unconnected"), stored.number("unanswered"))
        (cpuMs, cores) = (stored.number("cpuMs"), stored.number("cores"))
        if let codes = stored.members("refused") {
            refused = codes.object.keys.keyed(by: \.self).mapValues(codes.number)
        }
        for entry in stored.objects("intervals") {
            var interval = Interval()
            (interval.frames, interval.violations) = (entry.number("frames"), entry.number("violations"))
            interval.lag = Self.histogram(entry.value("lag"))
            for time in LoadTime.allCases {
                if let value = entry.value(time.rawValue) { interval.times[time] = Self.histogram(value) }
            }
            intervals[entry.number("index")] = interval
        }
    }

    private static func histogram(_ value: JSONValue?) -> TimeHistogram {
        let pairs = (value?.arrayValue ?? []).compactMap { pair -> (Int, Int)? in
            guard let bucket = pair[0]?.intValue, let count = pair[1]?.intValue else { return nil }
            return (bucket, count)
        }
        return TimeHistogram(counts: Dictionary(pairs, uniquingKeysWith: { $1 }))
    }
}
