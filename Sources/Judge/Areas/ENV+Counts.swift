import Holdfast
import Transcript

/// The check of errors that outnumber what they answer.
extension ENV {
    /// ENV-24: "A server MUST NOT answer one frame with more than one `error`".
    ///
    /// Once for each `error` whose code refuses a frame and that ends no turn. It needs a frame before it on its connection
    /// that nothing else answered: no pong, no syncResult, no connected, no ack and no frame of its turn.
    static func framesGetOneError(_ history: Observations, _ evidence: inout Evidence) {
        let turns = history.turns
        let endings = Set(turns.flatMap { $0.endings + $0.copies }.map(\.event))
        var taken = Set(turns.flatMap(\.requests).filter { $0.refusal == nil && $0.ack != nil }.map(\.event))
        taken.formUnion(turns.filter(\.isAccepted).compactMap { history.original(of: $0)?.event })
        taken.formUnion(history.syncs.filter { $0.result != nil }.map(\.request.event))
        for (index, connection) in history.connections.enumerated() where connection.isWhole {
            let answered = Set(history.pings(on: index).filter { $0.pong != nil }.map(\.request.event))
            let greeted = connection.connected.flatMap { connected in
                connection.auth.flatMap { $0 < connected ? $0 : nil }
            }
            let open = connection.sent.map(\.event).filter {
                !taken.contains($0) && !answered.contains($0) && $0 != greeted
            }
            var count = 0
            for error in connection.received where refusesAFrame(error) && !endings.contains(error.event) {
                // What was too large for the server may have been too large for who recorded it.
                if history.isCapture, error.code == "too_large" { continue }
                count += 1
                let frames = open.filter { $0 < error.event }
                if count <= frames.count {
                    evidence.keep()
                } else {
                    evidence.violate(
                        "more errors than frames that they could answer",
                        expected: "at most \(frames.count) on this connection so far", actual: "\(count)",
                        at: [frames.last ?? connection.opening, error.event])
                    break
                }
            }
        }
    }

    /// Codes that only a frame can have that was not taken; `busy` and `rate_limited` may come later.
    private static let codes: Set<String> = [
        "parse_error", "bad_request", "unknown_type", "too_large", "session_not_found", "idempotency_mismatch",
        "auth_failed", "not_authenticated", "unsupported_version",
    ]

    /// Whether an `error` says of one frame that it was not taken.
    private static func refusesAFrame(_ frame: ObservedFrame) -> Bool {
        guard frame.type == "error", frame.turnId == nil, frame.seq == nil, let code = frame.code else { return false }
        return codes.contains(code)
    }
}
