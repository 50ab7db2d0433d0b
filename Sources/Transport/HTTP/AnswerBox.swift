import HoldfastPlatform

/// Where the event loop finds the request that waits for the answer it reads.
final class AnswerBox: Sendable {
    private struct State {
        var waiting: OneShot<HTTPAnswer>?
        var maxBodyBytes = 0
        var silent = false
    }

    private let state = Mutex(State())
    private let address: String

    init(address: String) { self.address = address }

    /// Registers the one request that may be under way.
    func expect(maxBodyBytes: Int) throws(TransportProblem) -> OneShot<HTTPAnswer> {
        let answer = OneShot<HTTPAnswer>(address: address)
        let isFree = state.withLock { state in
            guard state.waiting == nil else { return false }
            state.waiting = answer
            state.maxBodyBytes = maxBodyBytes
            return true
        }
        guard isFree else {
            throw TransportProblem(.protocolError(reason: "a second request before the first answer"), at: address)
        }
        return answer
    }

    var maxBodyBytes: Int { state.withLock { $0.maxBodyBytes } }
    var isSilent: Bool { state.withLock { $0.silent } }

    func silence() { state.withLock { $0.silent = true } }

    /// Ends the wait, and frees the connection for the next request.
    func settle(_ outcome: Result<HTTPAnswer, TransportProblem>) {
        let waiting = state.withLock { state in
            defer { state.waiting = nil }
            return state.waiting
        }
        waiting?.fulfil(outcome)
    }
}
