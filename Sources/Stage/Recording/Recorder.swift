import Synchronization
import Transcript

/// Collects what is observed while one scenario is performed, up to a bound.
///
/// Every lane writes into it at once. The events are put in the order of their times at the end; what has the same time
/// stays in the order of writing.
final class Recorder: Sendable {
    /// What one scenario may hold; a subject that floods must not fill the memory of the suite.
    struct Bounds: Sendable {
        var bytes = 20 << 20
        var events = 50_000
    }

    private struct Entry {
        let at: ContinuousClock.Instant
        let lane: Lane
        let kind: Event.Kind
    }

    private struct State {
        var entries: [Entry] = []
        var bytes = 0
        var flooded = false
    }

    /// When recording began.
    let start = ContinuousClock.now
    private let state = Mutex(State())
    private let bounds: Bounds
    let redaction: Redaction

    init(bounds: Bounds = Bounds(), redaction: Redaction) {
        self.bounds = bounds
        self.redaction = redaction
    }

    /// Whether something was left out because there was too much of it.
    var wasFlooded: Bool { state.withLock { $0.flooded } }

    /// Records something the stage does, at this moment.
    /// - Returns: The time it was given.
    @discardableResult
    func note(_ kind: Event.Kind, on lane: Lane) -> ContinuousClock.Instant {
        let kind = redacted(kind)
        return state.withLock { state in
            let now = ContinuousClock.now
            state.entries.append(Entry(at: now, lane: lane, kind: kind))
            state.bytes += kind.cost
            return now
        }
    }

    /// Records something the stage did, at the moment it began to.
    ///
    /// What it brings about is seen by other threads, perhaps before this one runs on; so the time must have been taken
    /// before the deed.
    func note(_ kind: Event.Kind, on lane: Lane, at time: ContinuousClock.Instant) {
        let kind = redacted(kind)
        state.withLock { state in
            state.entries.append(Entry(at: time, lane: lane, kind: kind))
            state.bytes += kind.cost
        }
    }

    /// Records things that belong together: nothing of the same lane comes between them.
    /// - Returns: False when it was too much, and was left out.
    func record(together kinds: [Event.Kind], on lane: Lane) -> Bool {
        let kinds = kinds.map(redacted)
        return state.withLock { state in
            guard state.bytes < bounds.bytes, state.entries.count < bounds.events else {
                state.flooded = true
                return false
            }
            let now = ContinuousClock.now
            for kind in kinds {
                state.entries.append(Entry(at: now, lane: lane, kind: kind))
                state.bytes += kind.cost
            }
            return true
        }
    }

    /// Records something that arrived.
    /// - Returns: False when it was too much, and was left out.
    func record(_ kind: Event.Kind, on lane: Lane, at time: ContinuousClock.Instant) -> Bool {
        let kind = redacted(kind)
        return state.withLock { state in
            guard state.bytes < bounds.bytes, state.entries.count < bounds.events else {
                state.flooded = true
                return false
            }
            state.entries.append(Entry(at: time, lane: lane, kind: kind))
            state.bytes += kind.cost
            return true
        }
    }

    /// Remembers that a connection was cut for bringing too much.
    func noteFlood() {
        state.withLock { $0.flooded = true }
    }

    /// Everything so far, in the order of time.
    func events() -> [Event] {
        let entries = state.withLock { $0.entries }
        return entries.enumerated().sorted { left, right in
            left.element.at == right.element.at
                ? left.offset < right.offset : left.element.at < right.element.at
        }.map { entry in
            Event(
                at: max(0, microseconds(entry.element.at - start)), lane: entry.element.lane, kind: entry.element.kind)
        }
    }

    private func redacted(_ kind: Event.Kind) -> Event.Kind {
        switch kind {
        case .text(.toServer, let text): return .text(.toServer, redaction.applied(toSent: text))
        case .text(let direction, let text): return .text(direction, redaction.applied(to: text))
        case .binary(let direction, let bytes): return .binary(direction, redaction.applied(to: bytes))
        case .eof(let reason): return .eof(reason: redaction.applied(to: reason))
        case .opening(var opening):
            opening.path = redaction.applied(toPath: opening.path)
            return .opening(opening)
        case .refused(let status, let reason): return .refused(status: status, reason: redaction.applied(to: reason))
        case .request(var request):
            request.path = redaction.applied(toPath: request.path)
            request.body = request.body.map { redaction.applied(to: $0) }
            request.headers = request.headers.map {
                Event.Header(name: $0.name, value: redaction.applied(to: $0.value))
            }
            return .request(request)
        case .response(var response):
            response.body = redaction.applied(to: response.body)
            response.headers = response.headers.map {
                Event.Header(name: $0.name, value: redaction.applied(to: $0.value))
            }
            return .response(response)
        case .close(let direction, let code, let reason):
            return .close(direction, code: code, reason: redaction.applied(to: reason))
        case .act(let name, var details):
            for (member, value) in details {
                if let text = value.stringValue { details[member] = .string(redaction.applied(to: text)) }
            }
            return .act(name, details)
        default: return kind
        }
    }
}

/// Whole microseconds of a duration.
func microseconds(_ duration: Duration) -> Int {
    let (seconds, attoseconds) = duration.components
    return Int(seconds) * 1_000_000 + Int(attoseconds / 1_000_000_000_000)
}

extension Event.Kind {
    /// How much memory the event holds, roughly.
    var cost: Int {
        switch self {
        case .text(_, let text): 64 + text.utf8.count
        case .binary(_, let bytes): 64 + bytes.count
        case .request(let request): 128 + (request.body?.utf8.count ?? 0)
        case .response(let response): 256 + response.body.utf8.count
        case .state(let state): 64 + state.text().utf8.count
        default: 64
        }
    }
}
