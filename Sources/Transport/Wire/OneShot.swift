import Synchronization

/// A result that is set once, and awaited by any number of tasks that may be cancelled.
///
/// Futures of the event loop ignore cancellation; this is the bridge to tasks that must not.
final class OneShot<Value: Sendable>: Sendable {
    typealias Outcome = Result<Value, TransportProblem>

    private struct State {
        var outcome: Outcome?
        var waiters: [Int: CheckedContinuation<Outcome, Never>] = [:]
        var nextWaiter = 0
    }

    private let state = Mutex(State())
    let placeOfWait: String

    init(place: String) {
        placeOfWait = place
    }

    var outcome: Outcome? { state.withLock { $0.outcome } }

    /// Sets the result; only the first call counts, and it says so.
    @discardableResult
    func fulfil(_ outcome: Outcome) -> Bool {
        let waiters: [CheckedContinuation<Outcome, Never>]? = state.withLock { state in
            guard state.outcome == nil else { return nil }
            state.outcome = outcome
            defer { state.waiters = [:] }
            return Array(state.waiters.values)
        }
        guard let waiters else { return false }
        for waiter in waiters { waiter.resume(returning: outcome) }
        return true
    }

    nonisolated(nonsending) func value() async throws(TransportProblem) -> Value {
        let id = state.withLock { state in
            state.nextWaiter += 1
            return state.nextWaiter
        }
        let cancelled = Outcome.failure(TransportProblem(.cancelled, at: placeOfWait))
        let outcome = await withTaskCancellationHandler {
            await withCheckedContinuation { (continuation: CheckedContinuation<Outcome, Never>) in
                let ready: Outcome? = state.withLock { state in
                    if let outcome = state.outcome { return outcome }
                    if Task.isCancelled { return cancelled }
                    state.waiters[id] = continuation
                    return nil
                }
                if let ready { continuation.resume(returning: ready) }
            }
        } onCancel: {
            let waiter = state.withLock { $0.waiters.removeValue(forKey: id) }
            waiter?.resume(returning: cancelled)
        }
        return try outcome.get()
    }
}
