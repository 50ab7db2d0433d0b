import Synchronization

/// Tells that the client of a request has gone away.
public final class Departure: Sendable {
    private struct State {
        var hasHappened = false
        var act: (@Sendable () -> Void)?
    }

    private let state = Mutex(State())

    /// Whether it is gone.
    public var hasHappened: Bool { state.withLock { $0.hasHappened } }

    /// Does something once the client is gone, at once when it is gone already.
    ///
    /// Only the latest act counts, because the requests of a connection come one after the other.
    public func whenGone(_ act: @escaping @Sendable () -> Void) {
        let isGone = state.withLock { state in
            if !state.hasHappened { state.act = act }
            return state.hasHappened
        }
        if isGone { act() }
    }

    func happened() {
        let act = state.withLock { state in
            defer { state.act = nil }
            state.hasHappened = true
            return state.act
        }
        act?()
    }
}
