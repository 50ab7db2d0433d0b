import HoldfastCLibrary

/// Runs deeply recursive or blocking work on a new thread with a stack of this size; the caller is only suspended.
///
/// If the system cannot create the thread, the work runs on the current stack.
package func onDeepStack<Result: Sendable>(
    bytes: Int = 64 << 20, _ work: @escaping @Sendable () -> Result
) async -> Result {
    await withCheckedContinuation { continuation in
        let job = Unmanaged.passRetained(Job { continuation.resume(returning: work()) })
        var attributes = pthread_attr_t()
        pthread_attr_init(&attributes)
        pthread_attr_setstacksize(&attributes, bytes)
        pthread_attr_setdetachstate(&attributes, Int32(PTHREAD_CREATE_DETACHED))
        defer { pthread_attr_destroy(&attributes) }
        #if canImport(Darwin)
        var thread: pthread_t?
        let status = pthread_create(&thread, &attributes, { run($0) }, job.toOpaque())
        #else
        var thread = pthread_t()
        let status = pthread_create(&thread, &attributes, { run($0) }, job.toOpaque())
        #endif
        if status != 0 { _ = run(job.toOpaque()) }
    }
}

private final class Job: Sendable {
    let work: @Sendable () -> Void

    init(_ work: @escaping @Sendable () -> Void) { self.work = work }
}

private func run(_ job: UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? {
    if let job { Unmanaged<Job>.fromOpaque(job).takeRetainedValue().work() }
    return nil
}
