import Holdfast
import HoldfastJSON
import HoldfastTranscript

/// Splits a capture into histories that can be judged separately, so that memory does not grow with the capture.
///
/// A part ends before the next header, where something was skipped, and, once it is longer than `soft`, at the first
/// *quiet* event: one after which no HTTP request waits for its response and no message of a client waits for its
/// answer (`chat` for `done` or `error`, `sync` for `syncResult`, `ping` for `pong`, `auth` for `connected`, anything
/// else for an `error`). The next part begins with the open state: for each connection its opening, its first `auth`
/// and its first `connected`, marked as already judged (`carried`). A part without a quiet event ends at `hard`; then,
/// and after a skipped part, only the owner of each connection is carried over. Anything that spans two parts is judged
/// in neither. Carried events do not count for the length of a part, or many open connections would end a part with
/// every event.
///
/// A recording of a stage is one scenario or one life, and is kept whole up to `whole`.
package struct CapturedParts: Sendable {
    /// The size limits of a part, in bytes of text and in events.
    package struct Bounds: Sendable {
        /// The length from which a part ends at the next quiet event.
        var soft = 1 << 20
        /// The length at which a part ends anywhere.
        var hard = 8 << 20
        /// The length up to which a stage's recording, such as a life of minutes, is kept whole.
        var whole = 128 << 20
        /// The same limits in events.
        var softEvents = 20_000
        var hardEvents = 60_000
        /// The number of events up to which a stage's recording is kept whole.
        var wholeEvents = 1_000_000

        init() {}

        /// The bounds of a capture that grows.
        package init(soft: Int, hard: Int, softEvents: Int, hardEvents: Int) {
            (self.soft, self.hard, self.softEvents, self.hardEvents) = (soft, hard, softEvents, hardEvents)
        }
    }

    package struct Part: Sendable {
        package let history: History
        package let locations: [CaptureLocation]
        /// Whether it ended at a bound, while something was open.
        package let wasCutShort: Bool
    }

    private let bounds: Bounds
    private var header: History.Header?
    /// The parts of the header that every event needs: its dialect, if any, and whether it is a capture's.
    private var (dialect, isOfCapture): (Dialect?, Bool) = (nil, false)
    private var noted = Notes(capacity: 0)
    private var carried = 0
    private var bytes = 0
    private var carriedBytes = 0
    /// The number of events so far, which helps to find connections that were silent for long.
    private var clock = 0
    private var open: [Lane: OpenLane] = [:]
    /// The number of lanes on which a request or a message waits for its answer.
    private var busy = 0
    /// Whether the history was a scenario that is too long to be kept whole.
    private var isCut = false
    private static let maxCarried = 1000
    private static let maxCarriedBytes = 64 << 10

    package init() { self.init(bounds: Bounds()) }

    package init(bounds: Bounds) { self.bounds = bounds }

    /// Takes the next item; returns the part that it completes.
    ///
    /// `capture` is what the reader knows so far, for formats without a header. Messages are parsed in `tape`.
    package mutating func take(_ item: CaptureItem, capture: History.Capture?, in tape: inout JSONTape) -> Part? {
        switch item {
        case .header(let next):
            let part = finish(capture: capture)
            header = next
            (dialect, isOfCapture) = (next.dialect.isCanonical ? nil : next.dialect, next.capture != nil)
            isCut = false
            (open, busy) = ([:], 0)
            return part
        case .gap: return noted.count > carried ? cut(capture, isQuiet: false, isShort: false, isGap: true) : nil
        case .event(let event, let location):
            let item = Noted(event, at: location, frame: Frame(event.kind, in: &tape))
            note(item)
            noted.append(item)
            bytes += item.size
            return isFull ? cut(capture, isQuiet: busy == 0, isShort: busy > 0) : nil
        }
    }

    package mutating func finish(capture: History.Capture?) -> Part? {
        guard header != nil, noted.count > carried else {
            reset()
            return nil
        }
        return part(capture, isShort: false)
    }

    private var isFull: Bool {
        if !isOfCapture, !isCut { return bytes >= bounds.whole || noted.count >= bounds.wholeEvents }
        let (bytes, count) = (bytes - carriedBytes, noted.count - carried)
        if bytes >= bounds.hard || count >= bounds.hardEvents { return true }
        return busy == 0 && (bytes >= bounds.soft || count >= bounds.softEvents)
    }

    private mutating func reset() { (noted, carried, bytes, carriedBytes) = (Notes(capacity: noted.count), 0, 0, 0) }

    private mutating func cut(
        _ capture: History.Capture?, isQuiet: Bool, isShort: Bool, isGap: Bool = false
    ) -> Part? {
        if !isOfCapture { isCut = true }
        let (time, location) = (noted.events.last?.at ?? 0, noted.locations.last ?? CaptureLocation(line: 0, offset: 0))
        func belongs(_ lane: Lane, to owner: String) -> Noted {
            Noted(Event(at: time, lane: lane, kind: .act("belongs", ["to": .string(owner)])), at: location, frame: nil)
        }
        let part = part(capture, isShort: isShort, isGap: isGap || isShort)
        let lanes = open.filter { $0.value.isOpen }.sorted { $0.value.lastUse < $1.value.lastUse }
        var carriedOn: [Noted] = []
        // The most recently used connections are the likeliest to be used again.
        for (lane, known) in lanes.suffix(Self.maxCarried).reversed() {
            var kept = isQuiet ? known.greeting : []
            let size = kept.reduce(0) { $0 + $1.size }
            // The client of a connection may identify itself only later.
            if case .opening(let asked)? = kept.first?.event.kind, let owner = known.owner, asked.principal != owner {
                kept.append(belongs(lane, to: owner))
            }
            if !isQuiet || bytes + size > bounds.soft {
                open[lane]?.forgetGreeting()
                kept = known.owner.map { [belongs(lane, to: $0)] } ?? []
            }
            carriedOn += kept
            bytes += kept.reduce(0) { $0 + $1.size }
        }
        for (lane, _) in lanes.dropLast(Self.maxCarried) { open[lane]?.forgetGreeting() }
        let inOrder = carriedOn.enumerated().sorted {
            ($0.element.event.at, $0.offset) < ($1.element.event.at, $1.offset)
        }
        for item in inOrder { noted.append(item.element) }
        carried = noted.count
        carriedBytes = bytes
        if !isQuiet {
            for lane in open.keys { open[lane]?.forget() }
            busy = 0
            open = open.filter { $0.value.isOpen }
        }
        return part
    }

    private mutating func part(_ capture: History.Capture?, isShort: Bool, isGap: Bool = false) -> Part? {
        guard var header else { return nil }
        if isCut, header.capture == nil { header.capture = History.Capture() }
        if var known = header.capture {
            if let capture { known.lacks = capture.lacks }
            (known.carried, known.endsInGap) = (carried, isGap)
            header.capture = known
        }
        defer { reset() }
        // A clock that stopped in the middle gives no times.
        let isTimeless = header.capture?.lacks.contains(.times) == true
        if header.capture?.lacks.contains(.requestTimes) == true {
            noted.letRequestsBegin(from: carried, isTimeless: isTimeless)
        }
        let events =
            isTimeless ? noted.events.map { Event(at: 0, lane: $0.lane, kind: $0.kind) } : noted.events
        let history = History(header: header, events: events, frames: noted.takeFrames())
        return Part(history: history, locations: noted.locations, wasCutShort: isShort)
    }

    static let remark =
        "requests are placed at their responses, but may have begun earlier: a read up to 10 s, a question up to 10 min"

    private mutating func note(_ item: Noted) {
        clock += 1
        let name = item.event.lane
        let lane = open[name, default: OpenLane()].take(
            item, at: clock, dialect: dialect, maxBytes: Self.maxCarriedBytes)
        busy += lane.busyChange
        if lane.isDone { open[name] = nil }
        guard open.count > 2 * Self.maxCarried else { return }
        // The lanes that were silent longest are forgotten; otherwise endless new names would accumulate.
        let silent = open.sorted { $0.value.lastUse < $1.value.lastUse }.dropLast(Self.maxCarried)
        for (lane, known) in silent {
            open[lane] = nil
            if known.isBusy { busy -= 1 }
        }
    }
}

private struct Notes: Sendable {
    private(set) var events: [Event] = []
    private(set) var locations: [CaptureLocation] = []
    private var frames: [Frame?] = []

    var count: Int { events.count }

    /// Parts have similar sizes, so the size of the last one is reserved for the next.
    init(capacity: Int) {
        events.reserveCapacity(capacity)
        locations.reserveCapacity(capacity)
        frames.reserveCapacity(capacity)
    }

    mutating func append(_ item: Noted) {
        events.append(item.event)
        locations.append(item.location)
        frames.append(item.frame)
    }

    /// Moves each request that is logged with its response to its earliest possible time, because the order of later
    /// events is unknown.
    mutating func letRequestsBegin(from carried: Int, isTimeless: Bool) {
        guard events.indices.contains(carried) else { return }
        var times = events.map(\.at)
        for place in events.indices.dropFirst(carried).dropLast() {
            guard case .request(let request) = events[place].kind, case .response = events[place + 1].kind,
                events[place].lane == events[place + 1].lane, events[place].at == events[place + 1].at
            else { continue }
            let longest = request.method == "GET" ? 10_000_000 : 600_000_000
            times[place] = isTimeless ? -1 : max(events[carried].at, events[place].at - longest)
        }
        let order = events.indices.sorted { (times[$0], $0) < (times[$1], $1) }
        events = order.map { Event(at: max(0, times[$0]), lane: events[$0].lane, kind: events[$0].kind) }
        locations = order.map { locations[$0] }
        frames = order.map { frames[$0] }
    }

    mutating func takeFrames() -> [Frame?] {
        defer { frames = [] }
        return frames
    }
}

private struct Noted: Sendable {
    let event: Event
    let frame: Frame?
    let location: CaptureLocation

    init(_ event: Event, at location: CaptureLocation, frame: Frame?) {
        (self.event, self.location, self.frame) = (event, location, frame)
    }

    var size: Int { event.size }
}

extension Event {
    package var size: Int {
        switch kind {
        case .text(_, let text): text.utf8.count + 64
        case .binary(_, let bytes): bytes.count + 64
        case .request(let request): (request.body?.utf8.count ?? 0) + request.path.utf8.count + 64
        case .response(let response): response.body.utf8.count + 64
        default: 64
        }
    }
}

private struct OpenLane: Sendable {
    /// The time of its last event, counted in events.
    var lastUse = 0
    private(set) var greeting: [Noted] = []
    private var greeted: Set<String> = []
    private(set) var owner: String?
    private(set) var isOpen = false
    /// The number of pending messages, by the kind of their answer.
    private var waiting = SIMD8<Int>.zero

    /// A kind of answer, as an index into `waiting`.
    private enum Answer: Int {
        case response, error, connected, syncResult, pong, done
    }

    var isBusy: Bool { waiting != .zero }

    mutating func forget() {
        forgetGreeting()
        waiting = .zero
    }

    mutating func forgetGreeting() {
        greeting = []
        greeted = []
    }

    /// Takes the next event; returns whether the lane has become busy (1) or idle (-1), and whether nothing in it is
    /// open any more.
    mutating func take(
        _ item: Noted, at clock: Int, dialect: Dialect?, maxBytes: Int
    ) -> (busyChange: Int, isDone: Bool) {
        let wasBusy = isBusy
        lastUse = clock
        take(item, dialect: dialect, maxBytes: maxBytes)
        return ((isBusy ? 1 : 0) - (wasBusy ? 1 : 0), !isOpen && !isBusy)
    }

    private mutating func take(_ item: Noted, dialect: Dialect?, maxBytes: Int) {
        guard case .connection = item.event.lane else {
            switch item.event.kind {
            case .request: waiting[Answer.response.rawValue] += 1
            case .response, .failed: waiting[Answer.response.rawValue] = 0
            default: break
            }
            return
        }
        switch item.event.kind {
        case .opening(let opening):
            forget()
            (isOpen, owner) = (true, opening.principal)
            greeting = [item]
        case .opened: if !greeting.isEmpty, greeted.insert("opened").inserted { greeting.append(item) }
        case .refused, .close, .eof: (isOpen, greeting, waiting) = (false, [], .zero)
        case .act("belongs", let details): (isOpen, owner) = (true, details["to"]?.stringValue ?? owner)
        case .act("cut", _): (isOpen, greeting, waiting) = (false, [], .zero)
        case .text(let direction, let text):
            isOpen = true
            guard let frame = item.frame, frame.flaws?.isEmpty == true, let kind = canonical(frame, direction, dialect)
            else { return }
            if text.utf8.count <= maxBytes, kind == .auth || kind == .connected, !greeting.isEmpty,
                greeted.insert(kind.rawValue).inserted
            {
                greeting.append(item)
            }
            direction == .toServer ? ask(kind) : answer(kind)
        case .binary(.toServer, _):
            isOpen = true
            ask(.other)
        default: isOpen = true
        }
    }

    /// The canonical kind of a frame; nil for a frame that a dialect ignores.
    private func canonical(_ frame: Frame, _ direction: Direction, _ dialect: Dialect?) -> Frame.Kind? {
        guard let dialect, let value = frame.value else { return frame.kind }
        return dialect.meaning(of: value, sentBy: direction.sender).map {
            $0["type"]?.stringValue.flatMap(Frame.Kind.init) ?? .other
        }
    }

    private mutating func ask(_ kind: Frame.Kind) {
        let answer: Answer
        switch kind {
        case .chat: answer = .done
        case .sync: answer = .syncResult
        case .ping: answer = .pong
        case .auth: answer = .connected
        default: answer = .error
        }
        waiting[answer.rawValue] += 1
    }

    private mutating func answer(_ kind: Frame.Kind) {
        switch kind {
        case .done: lower(.done)
        case .syncResult: lower(.syncResult)
        case .pong: lower(.pong)
        case .connected: lower(.connected)
        case .error:
            // It answers the first kind of pending request; a question is last, because its error comes late.
            let order: [Answer] = [.error, .connected, .syncResult, .done]
            if let first = order.first(where: { waiting[$0.rawValue] > 0 }) { lower(first) }
        default: break
        }
    }

    private mutating func lower(_ answer: Answer) {
        waiting[answer.rawValue] = max(0, waiting[answer.rawValue] - 1)
    }
}
