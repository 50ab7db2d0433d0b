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
