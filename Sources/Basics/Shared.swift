import HoldfastPlatform

/// A value that several tasks or threads change, one at a time.
package final class Shared<Value: Sendable>: Sendable {
    private let value: Mutex<Value>

    package init(_ value: Value) { self.value = Mutex(value) }

    package func withLock<Result>(_ body: (inout sending Value) throws -> sending Result) rethrows -> sending Result {
        try value.withLock(body)
    }
}
