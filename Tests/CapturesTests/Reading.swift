import Holdfast
import HoldfastCaptures
import HoldfastTranscript

/// What a reader made of a text.
struct Read {
    var events: [Event] = []
    var locations: [CaptureLocation] = []
    var gaps = 0
    var leftOut = CaptureOmissions()
    var capture: History.Capture?
    var headers = 0
    var remarks: [String] = []
    var lacksMessages = false

    /// Reads a text as a form, in chunks of so many bytes.
    init(
        _ text: String, as form: CaptureForm, isOnePerson: Bool? = nil, chunk: Int = .max, maxLineBytes: Int = 1 << 20,
        looksAhead: Bool = false, isWhole: Bool = false
    ) throws {
        let subject = History.Subject(name: "capture", role: .server, profiles: [.core])
        var reader = CaptureReader(
            form, file: "capture", options: .init(subject: subject, isOnePerson: isOnePerson),
            maxLineBytes: maxLineBytes)
        if looksAhead { reader.orient(by: CaptureOpening(Array(text.utf8), isWhole: isWhole)) }
        var items: [CaptureItem] = []
        var rest = Array(text.utf8)[...]
        while !rest.isEmpty {
            try reader.append(Array(rest.prefix(chunk))) { items.append($0) }
            rest = rest.dropFirst(chunk)
        }
        try reader.finish { items.append($0) }
        for item in items {
            switch item {
            case .header: headers += 1
            case .gap: gaps += 1
            case .event(let event, let location):
                events.append(event)
                locations.append(location)
            }
        }
        leftOut = reader.leftOut
        capture = reader.capture
        (remarks, lacksMessages) = (reader.remarks, reader.lacksMessages)
    }

    /// Each event in short: its lane and what it is.
    var words: [String] {
        events.map { event in
            switch event.kind {
            case .opening(let opening): "\(event.lane) opening \(opening.principal)"
            case .opened: "\(event.lane) opened"
            case .text(let direction, let text): "\(event.lane)\(direction.rawValue)\(text)"
            case .binary(let direction, let bytes): "\(event.lane)\(direction.rawValue)\(bytes.count) bytes"
            case .close(let direction, let code, _): "\(event.lane)\(direction.rawValue)close \(code ?? 0)"
            case .eof: "\(event.lane) eof"
            case .request(let request): "\(event.lane) \(request.method) \(request.path) \(request.principal ?? "-")"
            case .response(let response): "\(event.lane) \(response.status) \(response.body)"
            case .act(let name, let details): "\(event.lane) \(name) \(details["to"]?.stringValue ?? "")"
            default: "\(event.lane) other"
            }
        }
    }
}
