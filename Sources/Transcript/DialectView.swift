import Holdfast
import HoldfastJSON

/// The canonical view of a history in a dialect: the judge's input, with references to the events on the wire.
///
/// Frames and requests outside the protocol are omitted. Those that the dialect cannot map stay, with a type that is
/// not in the specification. A canonical history is its own view.
public struct DialectView: Sendable {
    /// The events in canonical form.
    public let history: History
    /// For each event of the view, the index of its verbatim event.
    public let origins: [Int]
    /// The events of the questions to which some frames were assigned by guessing.
    public let inDoubt: Set<Int>

    /// Creates the view of a history.
    public init(_ history: History) {
        guard !history.header.dialect.isCanonical else {
            self.history = history
            origins = Array(history.events.indices)
            inDoubt = []
            return
        }
        var builder = Builder(history)
        builder.takeAll()
        var header = history.header
        header.dialect = .canonical
        origins = builder.origins
        guard let series = history.header.dialect.turns else {
            self.history = History(header: header, events: builder.events, frames: builder.frames)
            inDoubt = []
            return
        }
        let names = InferredNames(
            builder.events, builder.frames, by: series, hasAcks: history.header.dialect.hasAcks,
            isCapture: history.header.capture != nil)
        self.history = History(header: header, events: names.events, frames: names.frames, generated: names.generated)
        inDoubt = names.inDoubt
    }

    /// The act that replaces the greeting in a dialect that has none, where an open socket is enough.
    public static let assumedAct = "assumed"
}

private struct Builder {
    let source: History
    let dialect: Dialect
    var events: [Event] = []
    var frames: [Frame?] = []
    var origins: [Int] = []
    /// The current wire request of each lane; nil after one outside the protocol.
    private var requests: [Int: RESTRequest?] = [:]
    private let partial: Set<Int>
    private let starts: Set<Int>
    /// The epoch in each connection's greeting, for a wire that states it only there.
    private var epochs: ConnectionEpochs

    init(_ source: History) {
        self.source = source
        dialect = source.header.dialect
        partial = Self.partial(in: source)
        starts = Self.starts(in: source)
        epochs = ConnectionEpochs(dialect)
    }

    mutating func takeAll() {
        for (index, event) in source.events.enumerated() {
            if starts.contains(index), event.kind != .opened { greet(event, at: index) }
            switch (event.lane, event.kind) {
            case (_, .text(let direction, let text)): take(text, direction, event, at: index)
            case (.connection, .opened):
                put(event, at: index)
                if starts.contains(index) { greet(event, at: index) }
            case (.exchange(let number), .request(let request)): take(request, number, event, at: index)
            case (.exchange(let number), .response(let response)): take(response, number, event, at: index)
            case (.exchange(let number), .failed):
                if case .some(.none) = requests[number] { continue }
                put(event, at: index)
            default: put(event, frame: source.frames[index], at: index)
            }
        }
    }

    private mutating func put(_ event: Event, frame: Frame? = nil, at index: Int) {
        events.append(event)
        frames.append(frame)
        origins.append(index)
    }

    private mutating func take(_ text: String, _ direction: Direction, _ event: Event, at index: Int) {
        guard let verbatim = source.frames[index] else { return put(event, at: index) }
        guard let root = verbatim.document?.root else { return put(event, frame: verbatim, at: index) }
        var canonical = dialect.meaning(of: root, sentBy: direction.sender)
        if canonical == nil {
            // A frame outside the protocol may occupy a number of the stream.
            guard direction == .fromServer, root["seq"]?.intValue != nil else { return }
            canonical = ["type": dialect.foreign(root)["type"] ?? "", "seq": root["seq"] ?? .null]
        }
        guard let value = canonical else { return }
        var assumed = dialect.assumedMembers(of: root, sentBy: direction.sender)
        let completed = epochs.withEpoch(in: value, on: event.lane)
        if completed != value { assumed.append(Dialect.epochLocation) }
        let shown = Dialect.text(of: text) { _ in completed }
        let frame =
            shown == text && assumed.isEmpty ? verbatim : Frame(shown, wireBytes: text.utf8.count, assumed: assumed)
        put(Event(at: event.at, lane: event.lane, kind: .text(direction, shown)), frame: frame, at: index)
    }

    private mutating func greet(_ event: Event, at index: Int) {
        guard let assumed = dialect.assumedGreeting?.objectValue else { return }
        put(Event(at: event.at, lane: event.lane, kind: .act(DialectView.assumedAct, assumed)), at: index)
    }

    private mutating func take(_ request: Event.Request, _ number: Int, _ event: Event, at index: Int) {
        let wire = RESTRequest(method: request.method, path: request.path, body: request.body)
        guard !partial.contains(index), let canonical = dialect.decode(wire) else {
            requests[number] = .some(nil)
            return
        }
        requests[number] = wire
        var translated = request
        translated.method = canonical.method
        translated.path = canonical.path
        translated.body = canonical.body
        put(Event(at: event.at, lane: event.lane, kind: .request(translated)), at: index)
    }

    private mutating func take(_ response: Event.Response, _ number: Int, _ event: Event, at index: Int) {
        guard let request = requests[number] else { return put(event, at: index) }
        guard let request else { return }
        let canonical = dialect.decode(RESTResponse(status: response.status, body: response.body), to: request)
        var translated = response
        translated.status = canonical.status
        translated.body = canonical.body
        put(Event(at: event.at, lane: event.lane, kind: .response(translated)), at: index)
    }

    /// The requests whose answers contain only a part of what the specification requires.
    private static func partial(in history: History) -> Set<Int> {
        var requests: [Int: (index: Int, request: RESTRequest)] = [:]
        var partial: Set<Int> = []
        for (index, event) in history.events.enumerated() {
            guard case .exchange(let number) = event.lane else { continue }
            if case .request(let request) = event.kind {
                requests[number] = (
                    index, RESTRequest(method: request.method, path: request.path, body: request.body)
                )
            } else if case .response(let response) = event.kind, let asked = requests[number],
                !history.header.dialect.isComplete(
                    RESTResponse(status: response.status, body: response.body), to: asked.request)
            {
                partial.insert(asked.index)
            }
        }
        return partial
    }

    /// The events that prove a socket open, if no `connected` follows: `opened`, or the first message of a
    /// connection whose opening was not recorded.
    private static func starts(in history: History) -> Set<Int> {
        guard history.header.dialect.assumedGreeting != nil else { return [] }
        var current: [Lane: Int] = [:]
        var starts: Set<Int> = []
        for (index, event) in history.events.enumerated() {
            guard case .connection = event.lane else { continue }
            switch event.kind {
            case .opening: current[event.lane] = nil
            case .opened:
                current[event.lane] = index
                starts.insert(index)
            case .text, .binary:
                if current[event.lane] == nil {
                    current[event.lane] = index
                    starts.insert(index)
                }
                if case .text(.fromServer, _) = event.kind, let start = current[event.lane],
                    let root = history.frames[index]?.document?.root,
                    history.header.dialect.meaning(of: root, sentBy: .server)?["type"] == "connected"
                {
                    starts.remove(start)
                }
            default: break
            }
        }
        return starts
    }
}

/// The epochs of connections, for a wire whose `sync` and its answer cannot state one.
public struct ConnectionEpochs: Sendable {
    private let areNeeded: Bool
    private var epochs: [Lane: JSONValue] = [:]

    /// Starts without any greetings.
    public init(_ dialect: Dialect) { areNeeded = dialect.inheritsEpochs }

    /// A canonical frame, with the epoch of its connection if the wire cannot state one.
    public mutating func withEpoch(in frame: JSONValue, on lane: Lane) -> JSONValue {
        guard areNeeded else { return frame }
        switch frame["type"]?.stringValue {
        case "connected":
            epochs[lane] = frame["epoch"]
            return frame
        case "sync", "syncResult":
            guard frame["epoch"] == nil, let epoch = epochs[lane] else { return frame }
            var completed = frame
            completed["epoch"] = epoch
            return completed
        default: return frame
        }
    }
}

extension Direction {
    /// The side that sends in this direction.
    public var sender: Role { self == .toServer ? .client : .server }
}
