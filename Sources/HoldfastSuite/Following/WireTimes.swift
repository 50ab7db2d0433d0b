import Holdfast
import HoldfastBasics
import HoldfastJSON
import HoldfastTranscript

/// Measures how long clients wait: for the ack of a question, for its answer, and for missed frames.
struct WireTimes: Sendable {
    private(set) var toAck = Histogram()
    private(set) var toDone = Histogram()
    /// From the start of a connection to its first `syncResult`.
    private(set) var toCaughtUp = Histogram()
    /// The start of each question without an ack, turn without an ending, and connection without a `syncResult`.
    private var asked: [String: Int] = [:]
    private var turns: [String: Int] = [:]
    private var opened: [Lane: Int] = [:]
    private let dialect: Dialect
    /// The maximum number of entries of each table; beyond it, the oldest half is dropped.
    private static let maxOpen = 20_000

    init(by dialect: Dialect) { self.dialect = dialect }

    var openTurns: Int { turns.count }

    mutating func forgetOpen() { (asked, turns, opened) = ([:], [:], [:]) }

    mutating func take(_ event: Event) {
        switch event.kind {
        case .opening: Self.note(event.lane, event.at, in: &opened)
        case .eof, .close, .refused: opened[event.lane] = nil
        case .request(let request) where request.method == "POST" && request.path.hasPrefix("/api/chat"):
            Self.note("\(event.lane)", event.at, in: &asked)
        case .response(let response):
            guard let start = asked.removeValue(forKey: "\(event.lane)"), response.status == 200,
                let body = try? JSONParser.value(response.body)
            else { return }
            accept(body, from: start, at: event.at)
        case .text(let direction, let text):
            guard let wire = try? JSONParser.value(text) else { return }
            if let frame = dialect.meaning(of: wire, sentBy: direction.sender) { take(frame, direction, event) }
        default: break
        }
    }

    private mutating func take(_ frame: JSONValue, _ direction: Direction, _ event: Event) {
        let turn = frame["turnId"]?.stringValue
        let question = "\(event.lane) \(frame["clientMessageId"]?.stringValue ?? "")"
        switch (frame["type"]?.stringValue, direction) {
        case ("chat", .toServer): Self.note(question, event.at, in: &asked)
        case ("ack", .fromServer):
            if let start = asked.removeValue(forKey: question) { accept(frame, from: start, at: event.at) }
        case ("done", .fromServer), ("error", .fromServer):
            asked[question] = nil
            if let turn, let start = turns.removeValue(forKey: turn), frame["type"] == "done" {
                toDone.add(event.at - start)
            }
        case ("syncResult", .fromServer):
            for missed in frame["missed"]?.arrayValue ?? [] { take(missed, direction, event) }
            if let start = opened.removeValue(forKey: event.lane) { toCaughtUp.add(event.at - start) }
        default: break
        }
    }

    /// Handles an ack, or the response in its place; a duplicate begins no turn.
    private mutating func accept(_ ack: JSONValue, from start: Int, at now: Int) {
        toAck.add(now - start)
        if ack["duplicate"]?.boolValue != true, let turn = ack["turnId"]?.stringValue {
            Self.note(turn, start, in: &turns)
        }
    }

    private static func note<Name>(_ name: Name, _ at: Int, in table: inout [Name: Int]) {
        guard table[name] == nil else { return }
        table[name] = at
        table.dropOldest(beyond: maxOpen, by: \.self)
    }
}

/// Counts times by bounds, as a Prometheus histogram does.
struct Histogram: Sendable {
    private static let bounds = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 120]
    /// The number of times within each bound, and beyond the last one.
    private var counts = [Int](repeating: 0, count: bounds.count + 1)
    private var microseconds = 0

    mutating func add(_ time: Int) {
        let time = max(0, time)
        counts[Self.bounds.firstIndex { Double(time) <= $0 * 1e6 } ?? Self.bounds.count] += 1
        microseconds += time
    }

    mutating func add(_ other: Histogram) {
        for index in counts.indices { counts[index] += other.counts[index] }
        microseconds += other.microseconds
    }

    /// The samples, each without the name of the metric in front.
    var samples: [String] {
        var (lines, sum) = ([String](), 0)
        for (bound, count) in zip(Self.bounds.map { "\($0)" } + ["+Inf"], counts) {
            sum += count
            lines.append("_bucket{le=\"\(bound)\"} \(sum)")
        }
        return lines + ["_sum \(Double(microseconds) / 1e6)", "_count \(sum)"]
    }
}
