import Synchronization

/// A value that is set once, and that any number of tasks wait for.
package final class Latch<Value: Sendable>: Sendable {
    private struct State {
        var value: Value?
        var waiters: [Int: CheckedContinuation<Value?, Never>] = [:]
        var nextWaiter = 0
    }

    private let state = Mutex(State())

    package init() {}

    /// The value, once it is there.
    package var value: Value? { state.withLock { $0.value } }

    /// Sets the value; only the first call counts, and it says so.
    @discardableResult
    package func set(_ value: Value) -> Bool {
        let waiters: [CheckedContinuation<Value?, Never>]? = state.withLock { state in
            guard state.value == nil else { return nil }
            state.value = value
            defer { state.waiters = [:] }
            return Array(state.waiters.values)
        }
        guard let waiters else { return false }
        for waiter in waiters { waiter.resume(returning: value) }
        return true
    }

    /// The value, or nil when it is not there within the limit or the task is cancelled.
    package func wait(within limit: Duration) async -> Value? {
        if let value { return value }
        let id = state.withLock { state in
            state.nextWaiter += 1
            return state.nextWaiter
        }
        let deadline = ContinuousClock.now + limit
        let alarm = Task {
            try? await Task.sleep(for: limit, clock: .continuous)
            giveUp(id)
        }
        defer { alarm.cancel() }
        return await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let (isOver, value): (Bool, Value?) = state.withLock { state in
                    if let value = state.value { return (true, value) }
                    // The alarm may have rung before there was anybody to hear it.
                    if Task.isCancelled || ContinuousClock.now >= deadline { return (true, nil) }
                    state.waiters[id] = continuation
                    return (false, nil)
                }
                if isOver { continuation.resume(returning: value) }
            }
        } onCancel: {
            giveUp(id)
        }
    }

    private func giveUp(_ id: Int) {
        state.withLock { $0.waiters.removeValue(forKey: id) }?.resume(returning: nil)
    }
}
