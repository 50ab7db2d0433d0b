import Dispatch
import HoldfastPlatform
import HoldfastTranscript

/// The part of an endless history that is still looked at, and the moments at which it is worth looking.
final class WatchedEvents: Sendable {
    /// What a judge looks at, and where it stands in the whole.
    struct Window: Sendable {
        /// How many events went before it and were let go.
        var base = 0
        var events: [Event] = []
        /// How many of the events were looked at in the window before this one.
        var carried = 0
        /// Grows with each event.
        var revision = 0
        /// Whether something came to rest since the last look.
        var isAtRest = false
        /// How often events were let go; a window of another number shows less of what went before.
        var generation = 0
        /// How many events at the beginning only say who is who.
        var introduced = 0

        /// Where the first event stands that is not in it yet.
        var end: Int { base + events.count }

        /// The window with what came after it, as far as that is still there.
        func extended(by later: Window) -> Window {
            guard later.base + later.introduced <= end, later.end > end else { return self }
            var whole = self
            whole.events += later.events[(end - later.base)...]
            return whole
        }
    }

    /// What is kept at most; a judge that cannot keep up loses the oldest.
    struct Bounds: Sendable {
        var events = 4000
        var bytes = 8 << 20
    }

    private struct State {
        var window = Window()
        var bytes = 0
        /// Where the first event stands that no look has shown.
        var lookedUpTo = 0
        /// How many events went without ever being looked at.
        var unjudged = 0
        /// Who is who on the connections that are open.
        var principals: [Lane: String] = [:]
    }

    private let bounds: Bounds
    private let state = Mutex(State())
    private let bell = DispatchSemaphore(value: 0)

    init(bounds: Bounds = Bounds()) { self.bounds = bounds }

    func add(_ event: Event) {
        let rings = state.withLock { state in
            state.window.events.append(event)
            state.bytes += event.kind.cost
            state.window.revision += 1
            switch event.kind {
            case .opening(let opening): state.principals[event.lane] = opening.principal
            case .act("belongs", let details):
                if let name = details["to"]?.stringValue { state.principals[event.lane] = name }
            default: break
            }
            // A judge that is far behind must not cost memory without bound.
            if state.window.events.count > 2 * bounds.events || state.bytes > 2 * bounds.bytes {
                letGo(&state, atMost: .max)
            }
            guard !state.window.isAtRest, Self.isRest(event) else { return false }
            state.window.isAtRest = true
            return true
        }
        if rings { bell.signal() }
    }

    /// Whether something ended with an event, so that there may be more to say than before.
    private static func isRest(_ event: Event) -> Bool {
        switch event.kind {
        case .response, .failed, .close, .eof, .refused: true
        case .act("cut", _): true
        case .text(.fromServer, let text): text.utf8.count < 4096 && endsTurn(text)
        default: false
        }
    }

    /// Whether a text looks like an ending; it is asked of everything that passes, so only bytes are compared.
    private static func endsTurn(_ text: String) -> Bool {
        var text = text
        return text.withUTF8 { bytes in
            var rest = UnsafeRawBufferPointer(bytes)
            while let quote = index(of: UInt8(ascii: "\""), in: rest) {
                rest = UnsafeRawBufferPointer(rebasing: rest[(quote + 1)...])
                if rest.starts(with: "done\"".utf8) || rest.starts(with: "error".utf8) { return true }
            }
            return false
        }
    }

    /// Waits until something came to rest, at most for a time.
    func wait(atMost seconds: Double) { _ = bell.wait(timeout: .now() + seconds) }

    /// Ends a wait.
    func ring() { bell.signal() }

    func look() -> Window {
        state.withLock { state in
            defer { state.window.isAtRest = false }
            state.lookedUpTo = state.window.end
            return state.window
        }
    }

    /// How many events came faster than they could be judged, and went unjudged.
    var unjudged: Int { state.withLock { $0.unjudged } }

    /// Whether it is time to let the older half go.
    var isFull: Bool { state.withLock { isFull($0) } }

    private func isFull(_ state: State) -> Bool {
        state.window.events.count > bounds.events || state.bytes > bounds.bytes
    }

    /// Lets the older half of a window go once it is full, but nothing that was not looked at.
    func letGoIfFull() {
        state.withLock { state in
            // More may have come since the last look than is kept, and then nothing that is here was looked at.
            let seen = state.lookedUpTo - state.window.base
            guard isFull(state), seen > state.window.introduced else { return }
            letGo(&state, atMost: seen)
        }
    }

    private func letGo(_ state: inout State, atMost most: Int) {
        let events = state.window.events
        var kept = events.count / 2
        // Half of the bytes may lie in the last few events.
        var bytes = 0
        for event in events[kept...].reversed() { bytes += event.kind.cost }
        while bytes > bounds.bytes / 2, kept < events.count {
            bytes -= events[kept].kind.cost
            kept += 1
        }
        if kept > most {
            for event in events[most..<kept] { bytes += event.kind.cost }
            kept = most
        }
        let rest = Array(events[kept...])
        let begun = Set(rest.compactMap { event in if case .opening = event.kind { event.lane } else { nil } })
        let open = Set(rest.map(\.lane)).subtracting(begun)
        let time = rest.first?.at ?? events.last?.at ?? 0
        let names = state.principals.filter { open.contains($0.key) }.sorted { $0.key.description < $1.key.description }
            .map { Event(at: time, lane: $0.key, kind: .act("belongs", ["to": .string($0.value)])) }
        // The places of the events that stay must not change, so the names take places of events that went.
        let locations = names.suffix(kept)
        let gone = state.window.base + kept
        // The names took places of events that were counted when these went.
        let counted = state.window.base + state.window.introduced
        state.unjudged += max(0, gone - max(state.lookedUpTo, counted))
        state.window.base += kept - locations.count
        state.window.events = locations + rest
        // What came after the last look is new in this window too.
        state.window.carried = max(
            locations.count, min(state.lookedUpTo - state.window.base, state.window.events.count))
        state.window.introduced = locations.count
        state.window.generation += 1
        state.bytes = bytes
        let lanes = Set(state.window.events.map(\.lane))
        state.principals = state.principals.filter { lanes.contains($0.key) }
    }
}
