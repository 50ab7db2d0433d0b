#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

/// A value that one thread at a time has for itself: `Mutex` of `Synchronization`, which macOS has from 15 on and iOS from 18.
package struct Mutex<Value: ~Copyable>: ~Copyable, @unchecked Sendable {
    // The system wants a lock to stay at its address, and a value of a struct moves.
    @usableFromInline let lock = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)
    @usableFromInline let value = UnsafeMutablePointer<Value>.allocate(capacity: 1)

    package init(_ value: consuming sending Value) {
        lock.initialize(to: pthread_mutex_t())
        pthread_mutex_init(lock, nil)
        self.value.initialize(to: value)
    }

    deinit {
        pthread_mutex_destroy(lock)
        lock.deallocate()
        value.deinitialize(count: 1)
        value.deallocate()
    }

    /// What the body makes of the value, which it may change; it must not ask for the same value again.
    @inlinable package func withLock<Result: ~Copyable, Failure: Error>(
        _ body: (inout sending Value) throws(Failure) -> sending Result
    ) throws(Failure) -> sending Result {
        pthread_mutex_lock(lock)
        defer { pthread_mutex_unlock(lock) }
        return try body(&value.pointee)
    }
}
