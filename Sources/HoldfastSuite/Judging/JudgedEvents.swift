import Holdfast
import HoldfastBasics
import HoldfastJudge
import HoldfastReport
import HoldfastTranscript

/// The events that a finding cites: the place of each in its file, its text as on the wire, and its chart.
struct JudgedEvents {
    let unit: JudgeSource.Unit
    /// The maximum number of characters of a text to show.
    private static let maxShown = 400
    private static let maxCited = 6
    /// The longest gap between two cited events that is drawn completely.
    private static let maxDrawn = 300

    private func cited(_ events: [Int]) -> [Int] {
        events.unique.filter(unit.history.events.indices.contains).suffix(Self.maxCited)
    }

    func lines(of events: [Int]) -> [String] {
        cited(events).map { index in
            let event = unit.history.events[index]
            let location = unit.locations.indices.contains(index) ? unit.locations[index].description : "event \(index)"
            let isTimed = unit.history.header.capture?.lacks.contains(.times) != true
            let time = isTimed ? ", +\(event.at / 1000) ms" : ""
            return "\(location)\(time)  \(event.lane) \(Self.text(of: event.kind))"
        }
    }

    /// A chart of the cited events and those around them; a long gap is drawn only at its ends.
    func chart(of events: [Int], on clause: ClauseID?) -> SequenceChart {
        let all = unit.history.events.indices
        let cited = cited(events)
        var drawn: Set<Int> = []
        for (position, event) in cited.enumerated() {
            let next = position + 1 < cited.count ? cited[position + 1] : event
            let end = (event...max(event, next)).count <= Self.maxDrawn ? max(event, next) : event
            drawn.formUnion((max(0, event - 8)...min(end + 4, all.upperBound - 1)))
        }
        let indices = drawn.sorted()
        let history = History(
            header: unit.history.header, events: indices.map { unit.history.events[$0] },
            frames: indices.map { unit.history.frames[$0] })
        let marked = cited.compactMap { event in indices.firstIndex(of: event) }
        return SequenceChart(history, marking: [.init(marked, on: clause)], maxVerbatim: 600)
    }

    static func text(of kind: Event.Kind) -> String {
        switch kind {
        case .opening(let opening): "opens \(cut(opening.path))"
        case .opened: "is open"
        case .refused(let status, let reason): "is refused \(status.map(String.init) ?? "") \(cut(reason))"
        case .text(let direction, let text): "\(arrow(direction)) \(cut(text))"
        case .binary(let direction, let bytes): "\(arrow(direction)) \(bytes.count) bytes, binary"
        case .ping(let direction): "\(arrow(direction)) WebSocket ping"
        case .pong(let direction): "\(arrow(direction)) WebSocket pong"
        case .close(let direction, let code, let reason):
            "\(arrow(direction)) close \(code.map(String.init) ?? "without code") \(cut(reason))"
        case .eof(let reason): "ended without a close frame" + (reason.isEmpty ? "" : ": \(cut(reason))")
        case .request(let request): "\(request.method) \(cut(request.path)) \(cut(request.body ?? ""))"
        case .response(let response): "\(response.status) \(cut(response.body))"
        case .failed(let reason): "failed: \(cut(reason))"
        case .act(let name, _): "stage: \(cut(name))"
        case .state(let state): "state \(cut(state.text()))"
        case .wait(let awaited, let met): "watched for \(cut(awaited)): \(met ? "it came" : "it did not come")"
        }
    }

    private static func arrow(_ direction: Direction) -> String { direction == .toServer ? "->" : "<-" }

    /// A text on one line without control characters, cut with its length.
    static func cut(_ text: String) -> String {
        let scalars = text.unicodeScalars
        let end = scalars.index(scalars.startIndex, offsetBy: maxShown, limitedBy: scalars.endIndex) ?? scalars.endIndex
        return visible(String(text[..<end])) + (end < scalars.endIndex ? "… (\(text.utf8.count) bytes)" : "")
    }
}
