import HoldfastPlatform

/// Gives numbers from 1, each once, to any number of threads.
package final class Counter: Sendable {
    private let last = Mutex(0)

    package init() {}

    package func next() -> Int {
        last.withLock { last in
            last += 1
            return last
        }
    }
}
