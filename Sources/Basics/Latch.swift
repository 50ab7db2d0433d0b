import HoldfastPlatform

/// A value that is set once; any number of tasks can wait for it.
package final class Latch<Value: Sendable>: Sendable {
    private let state = Mutex<Value?>(nil)
    private let waiters = Waiters()

    package init() {}

    /// The value, once it is set.
    package var value: Value? { state.withLock { $0 } }

    /// Sets the value; returns true for the first call, which is the only effective one.
    @discardableResult
    package func set(_ value: Value) -> Bool {
        let isFirst = state.withLock { state in
            guard state == nil else { return false }
            state = value
            return true
        }
        if isFirst { waiters.notify() }
        return isFirst
    }

    /// The value, or nil if it is not set within the limit or the task is canceled.
    package nonisolated(nonsending) func wait(within limit: Duration? = nil) async -> Value? {
        // The value changes only once.
        if let value { return value }
        await waiters.wait(after: 0, within: limit)
        return value
    }
}
