import HoldfastBasics

/// A result that the event loop sets once, and that any number of tasks wait for.
///
/// Futures of the event loop ignore cancellation; this is the bridge to tasks that must not.
package struct OneShot<Value: Sendable>: Sendable {
    let address: String
    private let latch = Latch<Result<Value, TransportProblem>>()

    init(address: String) { self.address = address }

    var outcome: Result<Value, TransportProblem>? { latch.value }

    /// Sets the result; only the first call counts, and it says so.
    @discardableResult
    func fulfil(_ outcome: Result<Value, TransportProblem>) -> Bool { latch.set(outcome) }

    package nonisolated(nonsending) func value() async throws(TransportProblem) -> Value {
        guard let outcome = await latch.wait() else { throw TransportProblem(.cancelled, at: address) }
        return try outcome.get()
    }

    /// The value, or the problem `late`; the limit is measured from this call.
    func value(within limit: Duration, _ what: String) async throws(TransportProblem) -> Value {
        guard let outcome = await latch.wait(within: limit) else {
            throw TransportProblem(Task.isCancelled ? .cancelled : .late(what: what, limit: limit), at: address)
        }
        return try outcome.get()
    }
}

/// Runs the body for at most `limit` and throws ``TransportProblem/Code/late(what:limit:)`` when it takes longer.
///
/// The body is cancelled at the limit and awaited, so it must answer to cancellation; everything in this module does.
/// Whatever it still returns after that is dropped: use ``WebSocketConnection/next(within:_:)`` for events, which
/// drops none.
///
/// * `what`: What is waited for, as a noun: "first byte", "close frame".
/// * `place`: The peer or the step, for the message.
/// - Throws: The problem `late`, what the body threw, or `CancellationError` when the caller was cancelled.
func withDeadline<T: Sendable>(
    _ limit: Duration, _ what: String, at address: String = "deadline", _ body: @escaping @Sendable () async throws -> T
) async throws -> T {
    try await withThrowingTaskGroup(of: T.self) { group in
        group.addTask { try await body() }
        group.addTask {
            try await Task.sleep(for: limit, clock: .continuous)
            throw TransportProblem(.late(what: what, limit: limit), at: address)
        }
        defer { group.cancelAll() }
        guard let first = try await group.next() else { throw CancellationError() }
        return first
    }
}
