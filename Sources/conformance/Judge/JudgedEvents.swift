import Holdfast
import Transcript

/// The events that a finding cites: where each stands in its file, and its text as it was on the wire.
struct JudgedEvents {
    private let unit: JudgeSource.Unit
    /// The most characters of a text that are shown.
    private static let most = 400

    init(_ unit: JudgeSource.Unit) {
        self.unit = unit
    }

    /// A line for each of the last events cited.
    func lines(of events: [Int]) -> [String] {
        var seen: Set<Int> = []
        return events.filter { seen.insert($0).inserted }.suffix(6).compactMap { index in
            guard unit.history.events.indices.contains(index) else { return nil }
            let event = unit.history.events[index]
            let place = unit.places.indices.contains(index) ? unit.places[index].description : "event \(index)"
            let isTimed = unit.history.header.capture?.lacks.contains(.times) != true
            let time = isTimed ? ", +\(event.at / 1000) ms" : ""
            return "\(place)\(time)  \(event.lane) \(Self.text(of: event.kind))"
        }
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
        case .eof(let reason): "ended without a close frame \(cut(reason))"
        case .request(let request): "\(request.method) \(cut(request.path)) \(cut(request.body ?? ""))"
        case .response(let response): "\(response.status) \(cut(response.body))"
        case .failed(let reason): "failed: \(cut(reason))"
        case .act(let name, _): "stage: \(cut(name))"
        case .state(let state): "state \(cut(state.text()))"
        case .wait(let awaited, let met): "watched for \(cut(awaited)): \(met ? "it came" : "it did not come")"
        }
    }

    private static func arrow(_ direction: Direction) -> String { direction == .toServer ? "->" : "<-" }

    /// A text on one line that steers no terminal, cut with its length.
    static func cut(_ text: String) -> String {
        var shown = ""
        var count = 0
        for scalar in text.unicodeScalars {
            count += 1
            if count > most { return "\(shown)… (\(text.utf8.count) bytes)" }
            if scalar.value < 0x20 || (0x7F...0x9F).contains(scalar.value) {
                shown += "\\u{\(String(scalar.value, radix: 16))}"
            } else {
                shown.unicodeScalars.append(scalar)
            }
        }
        return shown
    }
}
