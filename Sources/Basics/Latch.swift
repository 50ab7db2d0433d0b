import HoldfastPlatform

/// A value that is set once, and that any number of tasks wait for.
package final class Latch<Value: Sendable>: Sendable {
    private let state = Mutex<Value?>(nil)
    private let waiters = Waiters()

    package init() {}

    /// The value, once it is there.
    package var value: Value? { state.withLock { $0 } }

    /// Sets the value; only the first call counts, and it says so.
    @discardableResult
    package func set(_ value: Value) -> Bool {
        let isFirst = state.withLock { state in
            guard state == nil else { return false }
            state = value
            return true
        }
        if isFirst { waiters.tell() }
        return isFirst
    }

    /// The value, or nil when it is not there within the limit, if there is one, or the task is cancelled.
    package nonisolated(nonsending) func wait(within limit: Duration? = nil) async -> Value? {
        // There is one change, the setting.
        if let value { return value }
        await waiters.wait(after: 0, within: limit)
        return value
    }
}
