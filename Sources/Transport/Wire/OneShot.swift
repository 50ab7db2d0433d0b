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
