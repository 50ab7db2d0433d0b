import HoldfastBasics
import HoldfastJSON
import HoldfastPlatform
import HoldfastTranscript

/// Collects the observations of one scenario, up to a bound.
///
/// All lanes write into it concurrently. At the end, events are sorted by time, equal times in order of writing.
final class Recorder: Sendable {
    /// The bounds of one recording: a flooding subject must not fill the memory of the suite.
    struct Bounds: Sendable {
        var bytes = 20 << 20
        var events = 50_000

        static let life = Bounds(bytes: 512 << 20, events: 1_000_000)
    }

    /// A text of at least this many bytes is stored only once.
    private static let longText = 1_000

    private struct Entry {
        let at: ContinuousClock.Instant
        let lane: Lane
        var kind: Event.Kind
        /// The parsed text of the kind, if it was parsed on arrival.
        var frame: Frame?
    }

    private struct State {
        var entries: [Entry] = []
        var bytes = 0
        var flooded = false
        var sawBusy = false
        /// The questions in the entries read so far, and the number of these entries.
        var busy = (questions: BusyQuestions(), entries: 0)
        var slowAnswers: [History.SlowAnswer] = []
        /// The long texts so far, each with its message; several devices, and repeated reads, receive the same text.
        var texts: [ExactString: Frame?] = [:]
        private var screen: JSONValue?

        mutating func add(_ entry: Entry) {
            var entry = entry
            if case .response(let response) = entry.kind, response.status == 409 { sawBusy = true }
            if entry.frame?.code == "busy" { sawBusy = true }
            bytes += share(&entry) ? Event.Kind.minCost : entry.kind.cost
            entries.append(entry)
        }

        /// Makes an entry share the text of an earlier one; false if there is none.
        private mutating func share(_ entry: inout Entry) -> Bool {
            if case .state(let state) = entry.kind {
                if let screen, screen == state {
                    entry.kind = .state(screen)
                    return true
                }
                screen = state
                return false
            }
            guard let body = entry.kind.body, body.utf8.count >= Recorder.longText else { return false }
            let text = ExactString(body)
            guard let index = texts.index(forKey: text) else {
                texts[text] = entry.frame
                return false
            }
            entry.kind = entry.kind.withBody(texts[index].key.string)
            if entry.frame != nil { entry.frame = texts[index].value ?? entry.frame }
            return true
        }

        mutating func hasRoom(_ bounds: Bounds) -> Bool {
            if bytes < bounds.bytes, entries.count < bounds.events { return true }
            flooded = true
            return false
        }
    }

    let start: ContinuousClock.Instant
    private let state = Mutex(State())
    private let bounds: Bounds
    let redaction: Redaction

    init(bounds: Bounds = Bounds(), redaction: Redaction, start: ContinuousClock.Instant = .now) {
        (self.bounds, self.start, self.redaction) = (bounds, start, redaction)
    }

    /// Whether half of the room is used, so that optional requests are omitted.
    var isHalfFull: Bool { state.withLock { $0.bytes > bounds.bytes / 2 } }

    var isNearlyFull: Bool {
        state.withLock { $0.bytes > bounds.bytes / 5 * 4 || $0.entries.count > bounds.events / 5 * 4 }
    }

    var wasFlooded: Bool { state.withLock { $0.flooded } }

    /// Records an act of the stage at the current time, which it returns.
    @discardableResult
    func note(_ kind: Event.Kind, on lane: Lane) -> ContinuousClock.Instant {
        let kind = redaction.applied(to: kind)
        return state.withLock { state in
            let now = ContinuousClock.now
            state.add(Entry(at: now, lane: lane, kind: kind))
            return now
        }
    }

    /// Records an act of the stage at the time at which it began.
    ///
    /// Other threads may see the effect before this one continues, so the time must be taken before the action.
    func note(_ kind: Event.Kind, on lane: Lane, at time: ContinuousClock.Instant) {
        let entry = Entry(at: time, lane: lane, kind: redaction.applied(to: kind))
        state.withLock { $0.add(entry) }
    }

    func noteAnswer(from asked: ContinuousClock.Instant, to answered: ContinuousClock.Instant) {
        guard answered - asked >= History.SlowAnswer.least else { return }
        let answer = History.SlowAnswer(from: (asked - start).microseconds, to: (answered - start).microseconds)
        state.withLock { $0.slowAnswers.append(answer) }
    }

    func noteLateness(in header: inout History.Header) {
        header.lateness = SchedulingMeter.shared.lateness(from: start)
        header.slowAnswers = state.withLock { $0.slowAnswers }
    }

    /// Records events that belong together: no event of the same lane comes between them.
    /// - Returns: False if there was no room, and they were dropped.
    func record(together kinds: [Event.Kind], on lane: Lane) -> Bool {
        let kinds = kinds.map(redaction.applied)
        return state.withLock { state in
            guard state.hasRoom(bounds) else { return false }
            let now = ContinuousClock.now
            for kind in kinds { state.add(Entry(at: now, lane: lane, kind: kind)) }
            return true
        }
    }

    /// Records an arrival; `frame` is its parsed text.
    /// - Returns: False if there was no room, and it was dropped.
    func record(_ kind: Event.Kind, on lane: Lane, at time: ContinuousClock.Instant, frame: Frame? = nil) -> Bool {
        let shown = redaction.applied(to: kind)
        // A text that was changed no longer matches the parsed frame.
        let entry = Entry(at: time, lane: lane, kind: shown, frame: frame != nil && shown == kind ? frame : nil)
        return state.withLock { state in
            guard state.hasRoom(bounds) else { return false }
            state.add(entry)
            return true
        }
    }

    /// The questions so far, if one was refused as busy; otherwise none, because they are not needed.
    var busyQuestions: BusyQuestions {
        state.withLock { state in
            guard state.sawBusy else { return BusyQuestions() }
            for entry in state.entries[min(state.busy.entries, state.entries.count)...] {
                state.busy.questions.note(event(entry))
            }
            state.busy.entries = state.entries.count
            return state.busy.questions
        }
    }

    func noteFlood() { state.withLock { $0.flooded = true } }

    var count: Int { state.withLock { $0.entries.count } }

    /// In the order of time.
    func takeAll() -> [Event] {
        let entries = state.withLock { state in
            defer { (state.entries, state.bytes, state.texts) = ([], 0, [:]) }
            return state.entries
        }
        return Self.ordered(entries).map(event)
    }

    /// In the order of time.
    func events() -> [Event] { ordered().map(event) }

    /// In the order of time; each event with its message, if it was parsed on arrival.
    func arrivals() -> [(event: Event, frame: Frame?)] { ordered().map { (event($0), $0.frame) } }

    /// Parses each message once, here or on arrival.
    func history(_ header: History.Header) -> History {
        let entries = ordered()
        return History(
            header: header, events: entries.map(event), frames: entries.map { $0.frame ?? Frame($0.kind) })
    }

    private func event(_ entry: Entry) -> Event {
        Event(at: max(0, (entry.at - start).microseconds), lane: entry.lane, kind: entry.kind)
    }

    private func ordered() -> [Entry] { Self.ordered(state.withLock { $0.entries }) }

    private static func ordered(_ entries: [Entry]) -> [Entry] {
        entries.enumerated().sorted { left, right in
            left.element.at == right.element.at
                ? left.offset < right.offset : left.element.at < right.element.at
        }.map(\.element)
    }
}

extension Redaction {
    fileprivate func applied(to kind: Event.Kind) -> Event.Kind {
        switch kind {
        case .text(.toServer, let text): return .text(.toServer, applied(toSent: text))
        case .text(let direction, let text): return .text(direction, applied(to: text))
        case .binary(let direction, let bytes): return .binary(direction, applied(to: bytes))
        case .eof(let reason): return .eof(reason: applied(to: reason))
        case .opening(var opening):
            opening.path = applied(toPath: opening.path)
            return .opening(opening)
        case .refused(let status, let reason): return .refused(status: status, reason: applied(to: reason))
        case .request(var request):
            request.path = applied(toPath: request.path)
            request.body = request.body.map { applied(to: $0) }
            request.headers = request.headers.map(applied)
            return .request(request)
        case .response(var response):
            response.body = applied(to: response.body)
            response.headers = response.headers.map(applied)
            return .response(response)
        case .close(let direction, let code, let reason):
            return .close(direction, code: code, reason: applied(to: reason))
        case .act(let name, var details):
            for (member, value) in details {
                if let text = value.stringValue { details[member] = .string(applied(to: text)) }
            }
            return .act(name, details)
        default: return kind
        }
    }

    private func applied(to header: Event.Header) -> Event.Header {
        Event.Header(name: header.name, value: applied(to: header.value))
    }
}

extension Event.Kind {
    /// The approximate memory of an event without its text.
    static let minCost = 64

    package var cost: Int {
        switch self {
        case .text(_, let text): Self.minCost + text.utf8.count
        case .binary(_, let bytes): Self.minCost + bytes.count
        case .request(let request): 128 + (request.body?.utf8.count ?? 0)
        case .response(let response): 256 + response.body.utf8.count
        case .state(let state): Self.minCost + state.text().utf8.count
        default: Self.minCost
        }
    }
}
