import Dispatch
import HoldfastPlatform
import HoldfastTranscript

/// The part of an unbounded history that is still judged, and when it is worth judging.
final class WatchedEvents: Sendable {
    /// Events to judge, and their position in the whole history.
    struct Window: Sendable {
        /// The number of dropped events before it.
        var base = 0
        var events: [Event] = []
        /// How many of its events were already in the previous window.
        var carried = 0
        /// Grows with each event.
        var revision = 0
        /// Whether something completed since the last evaluation.
        var isAtRest = false
        /// How often events were dropped; windows of different generations start differently.
        var generation = 0
        /// How many events at the start only identify principals.
        var introduced = 0

        /// The position after its last event.
        var end: Int { base + events.count }

        /// The window extended by later events, as far as they are still kept.
        func extended(by later: Window) -> Window {
            guard later.base + later.introduced <= end, later.end > end else { return self }
            var whole = self
            whole.events += later.events[(end - later.base)...]
            return whole
        }
    }

    /// The most to keep; a judge that cannot keep up loses the oldest events.
    struct Bounds: Sendable {
        var events = 4000
        var bytes = 8 << 20
    }

    private struct State {
        var window = Window()
        var bytes = 0
        /// The position up to which events were judged.
        var lookedUpTo = 0
        /// How many events were dropped unjudged.
        var unjudged = 0
        /// The principals of the open connections.
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
            // A slow judge must not use unbounded memory.
            if state.window.events.count > 2 * bounds.events || state.bytes > 2 * bounds.bytes {
                letGo(&state, atMost: .max)
            }
            guard !state.window.isAtRest, Self.isRest(event) else { return false }
            state.window.isAtRest = true
            return true
        }
        if rings { bell.signal() }
    }

    /// Whether an event completes something, so that there may be more to report.
    private static func isRest(_ event: Event) -> Bool {
        switch event.kind {
        case .response, .failed, .close, .eof, .refused: true
        case .act("cut", _): true
        case .text(.fromServer, let text): text.utf8.count < 4096 && endsTurn(text)
        default: false
        }
    }

    /// Whether a text looks like the end of a turn; compares only bytes, because it runs on all traffic.
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

    /// Waits until something completes, up to a limit.
    func wait(atMost seconds: Double) { _ = bell.wait(timeout: .now() + seconds) }

    func ring() { bell.signal() }

    func look() -> Window {
        state.withLock { state in
            defer { state.window.isAtRest = false }
            state.lookedUpTo = state.window.end
            return state.window
        }
    }

    /// How many events arrived faster than they could be judged.
    var unjudged: Int { state.withLock { $0.unjudged } }

    var isFull: Bool { state.withLock { isFull($0) } }

    private func isFull(_ state: State) -> Bool {
        state.window.events.count > bounds.events || state.bytes > bounds.bytes
    }

    /// Drops the older half of a full window, but no unjudged events.
    func letGoIfFull() {
        state.withLock { state in
            // If more events than the window keeps came since the last evaluation, none of these was judged.
            let seen = state.lookedUpTo - state.window.base
            guard isFull(state), seen > state.window.introduced else { return }
            letGo(&state, atMost: seen)
        }
    }

    private func letGo(_ state: inout State, atMost most: Int) {
        let events = state.window.events
        var kept = events.count / 2
        // Half of the bytes may be in the last few events.
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
        // The remaining events must keep their positions, so the identifying events replace dropped ones.
        let locations = names.suffix(kept)
        let gone = state.window.base + kept
        // These replace events that were counted when they were dropped.
        let counted = state.window.base + state.window.introduced
        state.unjudged += max(0, gone - max(state.lookedUpTo, counted))
        state.window.base += kept - locations.count
        state.window.events = locations + rest
        // Events after the last evaluation are new in this window too.
        state.window.carried = max(
            locations.count, min(state.lookedUpTo - state.window.base, state.window.events.count))
        state.window.introduced = locations.count
        state.window.generation += 1
        state.bytes = bytes
        let lanes = Set(state.window.events.map(\.lane))
        state.principals = state.principals.filter { lanes.contains($0.key) }
    }
}
