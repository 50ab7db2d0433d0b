import Holdfast
import HoldfastBasics
import HoldfastJSON

/// Writes a history in the human-readable notation.
///
/// It numbers ids, omits texts and clocks, and cuts long verbatim texts. A frame that the notation cannot express is
/// verbatim between backticks.
public struct NotationPrinter {
    /// One word of the notation and its events.
    public struct Item: Sendable, Equatable {
        /// The word, such as `A<done(t1 #2)`.
        public let text: String
        /// The indices of the events in the history.
        public let events: Range<Int>
    }

    /// The words in order; together they cover every event.
    public let items: [Item]

    /// Writes a history as one line of notation.
    public init(_ history: History) {
        items = EventPrinting(history).items()
    }

    /// The history on one line.
    public var text: String { items.map(\.text).joined(separator: " ") }

    /// The word for an event, which may cover others too.
    public func word(of event: Int) -> String {
        items.first { $0.events.contains(event) }?.text ?? "event \(event)"
    }
}

private struct EventPrinting {
    let history: History
    let frames: FramePrinting
    let exchanges: ExchangePrinting
    let pushes: PushPrinting
    let acts: ActPrinting
    let states: StatePrinting

    init(_ history: History) {
        self.history = history
        let names = NotationNames(history)
        let expansion = FrameExpansion(profiles: history.header.subject.profiles)
        frames = FramePrinting(expansion: expansion, names: names)
        exchanges = ExchangePrinting(names: names)
        pushes = PushPrinting(names: names)
        acts = ActPrinting(names: names)
        states = StatePrinting(names: names)
    }

    func items() -> [NotationPrinter.Item] {
        var items: [NotationPrinter.Item] = []
        var openings: [Lane: Int] = [:]
        var asked: [Lane: ExchangeExpansion.RequestKind] = [:]
        var index = 0
        while index < history.events.count {
            let event = history.events[index]
            if case .opening = event.kind { openings[event.lane, default: 0] += 1 }
            let count = openings[event.lane] ?? 1
            let connection = count > 1 ? "\(event.lane)\(count)" : event.lane.description
            if let text = handshake(at: index, connection: connection) {
                items.append(.init(text: text, events: index..<(index + 4)))
                index += 4
                continue
            }
            let text = word(at: index, connection: connection, asked: &asked)
            items.append(.init(text: text, events: index..<(index + 1)))
            index += 1
        }
        return items
    }

    private func word(at index: Int, connection: String, asked: inout [Lane: ExchangeExpansion.RequestKind]) -> String {
        let event = history.events[index]
        let lane = event.lane.description
        switch event.kind {
        case .wait: return wait(at: index)
        case .opening(let opening):
            return lane + ">"
                + Spelling.word("open", Spelling.principal(opening.principal.isEmpty ? nil : opening.principal))
        case .opened: return lane + "<open"
        case .refused(let status, _):
            return lane + "<" + Spelling.word("refused", [status.map(String.init)].compactMap(\.self))
        case .text(let direction, let text):
            return lane + direction.rawValue + (frame(at: index, direction, connection) ?? verbatim(text))
        case .binary(let direction, let bytes):
            let digits = hexDigits(Array(bytes.prefix(16)))
            let rest = bytes.count > 16 ? "…" : ""
            return lane + direction.rawValue + Spelling.word("binary", digits.isEmpty ? [] : [digits + rest])
        case .ping(let direction): return lane + direction.rawValue + "pingFrame"
        case .pong(let direction): return lane + direction.rawValue + "pongFrame"
        case .close(let direction, let code, _):
            return lane + direction.rawValue + Spelling.word("close", [code.map(String.init)].compactMap(\.self))
        case .eof: return lane + "<eof"
        case .request(let request) where event.lane == .push: return lane + "<" + pushes.request(request)
        case .response(let response) where event.lane == .push: return lane + ">" + pushes.response(response)
        case .request(let request):
            if let (text, wanted) = exchanges.request(request) {
                asked[event.lane] = wanted
                return lane + ">" + text
            }
            return lane + ">" + request.method
        case .response(let response):
            return lane + "<" + exchanges.response(response, to: asked[event.lane] ?? .other)
        case .failed: return lane + "<failed"
        case .act(let verb, let details): return lane + "!" + acts.act(verb, details)
        case .state(let state): return lane + "=" + states.state(state)
        }
    }

    private func verbatim(_ text: String) -> String {
        guard text.count > 120 else { return Spelling.quoted(text, by: "`") }
        return Spelling.quoted("\(text.prefix(120))…", by: "`") + "(\(text.count) characters)"
    }

    private func frame(at index: Int, _ direction: Direction, _ connection: String) -> String? {
        // In a dialect, names have other meanings, and the wire text is the evidence.
        guard history.header.dialect.isCanonical, let document = history.frames[index]?.document,
            document.flaws.isEmpty, let object = document.root.objectValue
        else { return nil }
        return frames.frame(object, direction, connection: connection)
    }

    /// The wait since the previous event, rounded up to a millisecond.
    private func wait(at index: Int) -> String {
        let before = index > 0 ? history.events[index - 1].at : 0
        let duration = (max(0, history.events[index].at - before) + 999) / 1000
        if duration > 0, duration % 60_000 == 0 { return "+\(duration / 60_000)min" }
        return duration > 0 && duration % 1000 == 0 ? "+\(duration / 1000)s" : "+\(duration)ms"
    }

    /// Open, auth and connected as one word, if nothing occurred between them.
    private func handshake(at index: Int, connection: String) -> String? {
        guard index + 3 < history.events.count else { return nil }
        let events = history.events[index..<(index + 4)]
        guard events.allSatisfy({ $0.lane == events[index].lane }), case .opening(let opening) = events[index].kind,
            case .opened = events[index + 1].kind, case .text(.toServer, _) = events[index + 2].kind,
            case .text(.fromServer, _) = events[index + 3].kind,
            history.frames[index + 2]?.type == "auth", history.frames[index + 3]?.type == "connected",
            let greeting = frame(at: index + 3, .fromServer, connection)
        else { return nil }
        let parts = Spelling.principal(opening.principal.isEmpty ? nil : opening.principal)
        var arguments = greeting.dropFirst("connected".count)
        if let principal = parts.first {
            arguments = arguments.isEmpty ? "(\(principal))" : "(\(principal) \(arguments.dropFirst())"
        }
        return "\(events[index].lane)+\(arguments)"
    }
}
