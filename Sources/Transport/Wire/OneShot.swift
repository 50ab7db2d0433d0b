import HoldfastBasics

/// A result that is set once on the event loop; any number of tasks can wait for it.
///
/// Futures of the event loop ignore cancellation; this type does not.
package struct OneShot<Value: Sendable>: Sendable {
    let address: String
    private let latch = Latch<Result<Value, TransportProblem>>()

    init(address: String) { self.address = address }

    var outcome: Result<Value, TransportProblem>? { latch.value }

    /// Sets the result; false if it was set before.
    @discardableResult
    func fulfill(_ outcome: Result<Value, TransportProblem>) -> Bool { latch.set(outcome) }

    package nonisolated(nonsending) func value() async throws(TransportProblem) -> Value {
        guard let outcome = await latch.wait() else { throw TransportProblem(.cancelled, at: address) }
        return try outcome.get()
    }

    /// The value, or the problem `late`; the limit starts with this call.
    func value(within limit: Duration, _ what: String) async throws(TransportProblem) -> Value {
        guard let outcome = await latch.wait(within: limit) else {
            throw TransportProblem(Task.isCancelled ? .cancelled : .late(what: what, limit: limit), at: address)
        }
        return try outcome.get()
    }
}

/// Runs the body for at most `limit`, then throws ``TransportProblem/Code/late(what:limit:)``.
///
/// At the limit the body is canceled and awaited, so it must respond to cancellation, as everything in this module
/// does. A value that it returns after that is dropped: for events, use ``WebSocketConnection/next(within:_:)``, which
/// drops none.
///
/// * `what`: The awaited event, as a noun: "first byte", "close frame".
/// * `address`: The peer or the step, for the message.
/// * `waitOut`: Waits until the limit is over on the caller's clock; nil for real time.
/// - Throws: The problem `late`, an error of the body, or `CancellationError` if the caller was canceled.
func withDeadline<T: Sendable>(
    _ limit: Duration, _ what: String, at address: String = "deadline",
    waitOut: (@Sendable (Duration) async throws -> Void)? = nil,
    _ body: @escaping @Sendable () async throws -> T
) async throws -> T {
    try await withThrowingTaskGroup(of: T.self) { group in
        group.addTask { try await body() }
        group.addTask {
            if let waitOut { try await waitOut(limit) } else { try await Task.sleep(for: limit, clock: .continuous) }
            throw TransportProblem(.late(what: what, limit: limit), at: address)
        }
        defer { group.cancelAll() }
        guard let first = try await group.next() else { throw CancellationError() }
        return first
    }
}
