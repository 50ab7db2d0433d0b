import HoldfastPlatform

/// Tasks that wait for some state to change.
///
/// To miss no change, a waiter first reads ``changes``, then checks the state, then waits; a task that changes the
/// state calls ``notify()`` afterwards, outside any lock.
package final class Waiters: Sendable {
    private struct State {
        var changes = 0
        var waiting: [Int: CheckedContinuation<Void, Never>] = [:]
        var nextID = 0
    }

    private let state = Mutex(State())

    package init() {}

    package var changes: Int { state.withLock { $0.changes } }

    /// Announces a change, so that all waiters check again.
    package func notify() {
        let waiting = state.withLock { state in
            state.changes += 1
            if state.waiting.isEmpty { return state.waiting }
            defer { state.waiting = [:] }
            return state.waiting
        }
        for waiter in waiting.values { waiter.resume() }
    }

    /// Returns the first result of the check, now or after a change; nil when time is up or the task is canceled.
    ///
    /// It checks once more before giving up, so a change at the last moment counts.
    ///
    /// * `rest`: The remaining time; nil for no limit.
    /// * `find`: The check, repeated after each change.
    package nonisolated(nonsending) func first<Found>(
        within rest: () -> Duration?, _ find: () -> Found?
    ) async -> Found? {
        while true {
            let seen = changes
            if let found = find() { return found }
            let rest = rest()
            guard rest.map({ $0 > .zero }) ?? true, !Task.isCancelled else { return nil }
            await wait(after: seen, within: rest)
        }
    }

    package nonisolated(nonsending) func first<Found>(
        within limit: Duration, _ find: () -> Found?
    ) async -> Found? {
        let deadline = ContinuousClock.now + limit
        return await first(within: { deadline - .now }, find)
    }

    /// Returns after a change that was not among those seen, at the limit, or when the task is canceled.
    package nonisolated(nonsending) func wait(after seen: Int, within limit: Duration? = nil) async {
        let id = state.withLock { state in
            state.nextID += 1
            return state.nextID
        }
        let deadline = limit.map { ContinuousClock.now + $0 }
        let alarm = limit.map { limit in
            Task {
                try? await Task.sleep(for: limit, clock: .continuous)
                self.wake(id)
            }
        }
        defer { alarm?.cancel() }
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let isOver = state.withLock { state in
                    // The timer may fire before the task waits.
                    if state.changes != seen || Task.isCancelled || deadline.map({ $0 <= .now }) ?? false {
                        return true
                    }
                    state.waiting[id] = continuation
                    return false
                }
                if isOver { continuation.resume() }
            }
        } onCancel: {
            wake(id)
        }
    }

    private func wake(_ id: Int) { state.withLock { $0.waiting.removeValue(forKey: id) }?.resume() }
}
