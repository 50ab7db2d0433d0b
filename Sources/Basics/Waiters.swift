import HoldfastPlatform

/// Tasks that wait for something to change, whatever that is.
///
/// Who waits asks for ``changes`` first, looks second and waits third, so that no change is missed; who changes something tells
/// afterwards, outside of any lock.
package final class Waiters: Sendable {
    private struct State {
        var changes = 0
        var waiting: [Int: CheckedContinuation<Void, Never>] = [:]
        var nextID = 0
    }

    private let state = Mutex(State())

    package init() {}

    package var changes: Int { state.withLock { $0.changes } }

    /// Something has changed: all that wait look again.
    package func tell() {
        let waiting = state.withLock { state in
            state.changes += 1
            if state.waiting.isEmpty { return state.waiting }
            defer { state.waiting = [:] }
            return state.waiting
        }
        for waiter in waiting.values { waiter.resume() }
    }

    /// What a look finds, now or after a change; nil once no time is left, or when the task is cancelled.
    ///
    /// A last look comes before giving up: what came in the last moment counts.
    ///
    /// * `rest`: How much time is left; nil for any.
    /// * `look`: Is asked again after each change.
    package nonisolated(nonsending) func first<Found>(
        within rest: () -> Duration?, _ look: () -> Found?
    ) async -> Found? {
        while true {
            let seen = changes
            if let found = look() { return found }
            let rest = rest()
            guard rest.map({ $0 > .zero }) ?? true, !Task.isCancelled else { return nil }
            await wait(after: seen, within: rest)
        }
    }

    /// What a look finds within a limit.
    package nonisolated(nonsending) func first<Found>(
        within limit: Duration, _ look: () -> Found?
    ) async -> Found? {
        let deadline = ContinuousClock.now + limit
        return await first(within: { deadline - .now }, look)
    }

    /// Returns after a change that was not among those seen, once the limit has passed, or when the task is cancelled.
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
                    // The alarm may have rung before there was anybody to hear it.
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
