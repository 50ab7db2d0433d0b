import Holdfast
import HoldfastJSON
import HoldfastTranscript

/// Reads notes by hand.
///
/// From the first line of a letter on, notes contain every message of its connection, unless a line `…`, or data
/// without a letter, marks a gap. A letter begins a new connection at its first line, at `OPEN`, and after `CLOSED`.
struct NoteReader {
    private(set) var leftOut = CaptureOmissions()
    var people: CapturePrincipals
    private var open: Set<String> = []
    private var exchanges = 0
    /// Whether a request lacks the body that it surely had.
    private(set) var lacksBodies = false
    private var owners = CaptureOwners()
    /// An answer whose body may continue in the following lines.
    private var pending: (exchange: NoteLine, location: CaptureLocation)?
    /// The maximum number of bytes of a body that spans several lines; the rest is dropped.
    private static let maxBodyBytes = 1 << 20

    var isReversed = false

    init(people: CapturePrincipals) { self.people = people }

    mutating func take(_ line: String, _ location: CaptureLocation) -> [CaptureItem] {
        let note = NoteLine(line)
        if case .exchange(let method, let path, let request, let status, let body)? = pending?.exchange {
            let continues = note == .prose || (note == .comment && !line.drop(while: \.isWhitespace).hasPrefix("##"))
            if continues, body.utf8.count < Self.maxBodyBytes {
                pending?.exchange = .exchange(
                    method: method, path: path, request: request, status: status, body: body + "\n" + line)
                return []
            }
        }
        var items = finish()
        switch note {
        case .comment: break
        case .prose: leftOut.note("a line of text", location)
        case .gap:
            leftOut.note("data without a connection", location)
            items.append(.gap)
        case .exchange(_, _, _, _, let body):
            // Only a body that is not JSON may continue: a JSON value is on one line.
            if body.drop(while: \.isWhitespace).hasPrefix("<") {
                pending = (note, location)
            } else {
                items += exchange(note, location)
            }
        case .text(let lane, let arrow, let text):
            let direction = isReversed ? arrow.other : arrow
            let known = direction == .toServer ? people.redacted(text) : nil
            items += opening(lane, location, owner: known?.owner)
            if known?.owner != nil { people.noteOwner(of: lane) }
            if let owner = known?.owner, let named = owners.note(lane, to: owner, isCertain: true) {
                items.append(.event(Event(at: 0, lane: .connection(lane), kind: named), location))
            }
            let kind = Event.Kind.text(direction, known?.text ?? text)
            items.append(.event(Event(at: 0, lane: .connection(lane), kind: kind), location))
        case .binary(let lane, let arrow, let bytes):
            let direction = isReversed ? arrow.other : arrow
            items += opening(lane, location)
            items.append(.event(Event(at: 0, lane: .connection(lane), kind: .binary(direction, bytes)), location))
        case .open(let lane, let path):
            open.remove(lane)
            let (path, owner) = people.redacted(path: path)
            items += opening(lane, location, path: path, owner: owner)
        case .closed(let lane, let code, let reason):
            items += opening(lane, location)
            open.remove(lane)
            owners.close(lane)
            let kind = Event.Kind.ending(nil, code: code, reason: reason)
            items.append(.event(Event(at: 0, lane: .connection(lane), kind: kind), location))
        }
        return items
    }

    mutating func finish() -> [CaptureItem] {
        guard let (note, location) = pending else { return [] }
        pending = nil
        return exchange(note, location)
    }

    private mutating func opening(
        _ lane: String, _ location: CaptureLocation, path: String = "/", owner: String? = nil
    ) -> [CaptureItem] {
        guard open.insert(lane).inserted else { return [] }
        let principal = owner ?? people.name(ofLane: lane)
        owners.open(lane, principal)
        let asked = Event.Kind.opening(.init(principal: principal, path: path))
        return [asked, .opened].map { .event(Event(at: 0, lane: .connection(lane), kind: $0), location) }
    }

    private mutating func exchange(_ note: NoteLine, _ location: CaptureLocation) -> [CaptureItem] {
        guard case .exchange(let method, let asked, let request, let status, let body) = note else { return [] }
        let start = body.first { !$0.isWhitespace }
        if start == "{" || start == "[", (try? JSONParser.document(body)) == nil {
            leftOut.note("a response whose body is cut off", location)
            return []
        }
        exchanges += 1
        if method == "POST", request == nil { lacksBodies = true }
        let lane = Lane.exchange(exchanges)
        return [
            .event(
                Event(at: 0, lane: lane, kind: people.request(method, asked, status: status, body: request)), location),
            .event(Event(at: 0, lane: lane, kind: .response(.init(status: status, body: body))), location),
        ]
    }
}
