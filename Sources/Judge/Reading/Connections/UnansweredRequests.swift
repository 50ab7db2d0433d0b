import HoldfastTranscript

extension Observations {
    /// The proof that a response will not come: the end of its timeout, or the end of the connection by the server
    /// without another reason.
    func unanswered(_ exchange: ObservedExchange, within bound: Duration) -> Unanswered? {
        if let late = deadline(after: exchange, within: bound) {
            return Unanswered(proof: late, actual: "nothing within \(bound)")
        }
        guard !isCapture, exchange.response == nil, exchange.unread == nil, let failure = exchange.failure,
            case .failed(let reason) = events[failure].kind, ["closed", "reset"].contains(reason),
            !wasDisturbed(between: exchange.request, and: failure), !endedWithItsProcess(failure),
            !connections.contains(where: { connection in
                guard let ending = connection.ending, ending.isOwnStop || ending.isAtWill else { return false }
                return abs(time(of: ending.event) - time(of: failure)) <= timeouts.stop.microseconds
            })
        else { return nil }
        return Unanswered(proof: failure, actual: "the end of the connection")
    }
}
