import Holdfast
import HoldfastTranscript

/// An event that shows only that a bound had passed.
///
/// It may be about anything else, so findings that cite it have nothing in common for that.
struct Expiry: HasEvent {
    let event: Int
}

/// Proofs that a server did not send something in time.
///
/// A missing event is a violation only if the history has an event at or after the end of the bound, and the stage
/// could have seen the missing one throughout.
extension Observations {
    /// The event that proves absence: the first one at or after the end of a bound that began with `cause`.
    ///
    /// - Returns: Nil if the history ends earlier, or if the connection ended, was not read or lost its server before
    ///   the bound was over.
    func deadline(after cause: Int, within bound: Duration, on connection: Int) -> Expiry? {
        guard knowsDelays else { return laterAnswer(after: cause, within: bound, on: connection) }
        let observed = connections[connection]
        let limit = effectiveTime(of: cause) + bound.microseconds
        if let ending = observed.ending, ending.event <= cause || effectiveTime(of: ending.event) < limit { return nil }
        for pause in observed.pauses where effectiveTime(of: pause.stopped) < limit {
            guard let resumed = pause.resumed, resumed < cause else { return nil }
        }
        return proof(after: cause, limit: limit)
    }

    func deadline(after exchange: ObservedExchange, within bound: Duration) -> Expiry? {
        guard exchange.response == nil, exchange.unread == nil else { return nil }
        let limit = effectiveTime(of: exchange.request) + bound.microseconds
        if let failure = exchange.failure, effectiveTime(of: failure) < limit { return nil }
        return proof(after: exchange.request, limit: limit)
    }

    /// The event that proves that a turn did not end in time, as seen on one connection; nil without proof.
    ///
    /// The bound begins when the turn was accepted, as shown by its first `ack` or frame. Turns of a session may run
    /// serially, so it begins no sooner than the end of earlier turns in its session. The script's own waits are added
    /// to it.
    func turnDeadline(of turn: ObservedTurn, on connection: Int) -> Expiry? {
        let asked = turn.requests.first { $0.connection == connection && $0.refusal == nil } ?? turn.accepted
        var cause = max(turn.firstSignOfRunning(since: asked.event), connections[connection].connected ?? turn.event)
        if let session = turn.session {
            for other in siblings(of: turn).before(turn.event)
            where other.sessionId == session && other.isAccepted && life(of: other) == life(of: turn) {
                guard let ended = other.ended else { return nil }
                cause = max(cause, ended)
            }
        }
        return deadline(after: cause, within: timeouts.turn + turn.request.scriptedWait, on: connection)
    }

    /// The event that proves absence in a capture, wherever it was recorded.
    ///
    /// A socket preserves order: an answer to something sent after the cause shows that the subject had the cause, and
    /// an answer to something sent after the bound shows that it sent nothing within the bound.
    private func laterAnswer(after cause: Int, within bound: Duration, on index: Int) -> Expiry? {
        guard knowsTimes, capture?.lacks.contains(.frames) == false else { return nil }
        let words = roundTrips[index]
        let isOwn: Bool
        switch events[cause].kind {
        case .text(let direction, _), .binary(let direction, _):
            isOwn = (direction == .fromServer) == (subject.role == .server)
        case .response: isOwn = subject.role == .server
        default: return nil
        }
        var known = cause
        if !isOwn {
            guard frames[cause] != nil, events[cause].lane == .connection(connections[index].device),
                let word = words[words.boundary { $0.asked > cause }...].first
            else { return nil }
            known = word.stated
        }
        let limit = time(of: known) + bound.microseconds
        let later = words[words.boundary { $0.asked > known }...]
        guard let late = later.first(where: { time(of: $0.asked) >= limit }), subject.role == .client else {
            return later.first { time(of: $0.asked) >= limit }.map { Expiry(event: $0.stated) }
        }
        // A network that was blocked delivers everything at once, the answer after other frames.
        let held = time(of: late.stated) + Self.longestBurst
        return later.first { time(of: $0.stated) >= held }.map { Expiry(event: $0.stated) }
    }

    /// The longest time, in microseconds, in which the backlog of a network arrives.
    private static let longestBurst = 1_000_000

    func proof(after cause: Int, limit: Int) -> Expiry? {
        guard knowsDelays else { return nil }
        let events = history.events.indices
        let first = max(cause + 1, events.boundary { effectiveTime(of: $0) >= limit })
        guard first < events.endIndex else { return nil }
        let halt = halts[halts.boundary { $0 > cause }...].first
        return halt.isBefore(first) ? nil : Expiry(event: first)
    }
}

struct Unanswered {
    let asked: Int
    let proof: any HasEvent
    let actual: String
}

extension Observations {
    /// The proof that the answer to the last message of a client will never arrive: its bound has passed, or the server
    /// ended the connection without another reason.
    func unanswered(_ asked: Int, within bound: Duration, on index: Int) -> Unanswered? {
        if let late = deadline(after: asked, within: bound, on: index) {
            return Unanswered(asked: asked, proof: late, actual: "nothing within \(bound)")
        }
        let connection = connections[index]
        guard let ending = connection.endByServer(after: asked),
            connection.sent.last(where: { $0.event < ending.event })?.event == asked, connection.pauses.isEmpty,
            !ending.isForAnotherReason, !isAfterHostileFrame(ending.event, on: index),
            !wasDisturbed(between: connection.opening, and: ending.event),
            !mayHaveEndedTheProcess(by: ending.event, otherThan: asked),
            !isWithinBudgetWait(ending.event, on: index),
            let heartbeat = connection.heartbeat,
            span(from: asked, to: ending.event) < min(heartbeat, bound.microseconds)
        else { return nil }
        return Unanswered(asked: asked, proof: ending.event, actual: "the end of the connection")
    }

    func unanswered(_ exchange: ObservedExchange, within bound: Duration) -> Unanswered? {
        if let late = deadline(after: exchange, within: bound) {
            return Unanswered(asked: exchange.request, proof: late, actual: "nothing within \(bound)")
        }
        guard !isCapture, exchange.response == nil, exchange.unread == nil, let failure = exchange.failure,
            case .failed(let reason) = events[failure].kind, let actual = Self.losses[reason],
            !wasDisturbed(between: exchange.request, and: failure), !endedWithItsProcess(failure),
            !connections.contains(where: { connection in
                guard let ending = connection.ending, ending.isGoodbye else { return false }
                return abs(time(of: ending.event) - time(of: failure)) <= timeouts.stop.microseconds
            })
        else { return nil }
        return Unanswered(asked: exchange.request, proof: failure, actual: actual)
    }

    /// The description of an exchange without a response, by the reason that the stage recorded.
    private static let losses = [
        "closed": "the end of the connection", "reset": "the end of the connection",
        "protocol_error": "no whole HTTP response",
    ]

    /// Whether the process ended together with a connection, possibly for a reason other than the client's last
    /// message: other messages, or a disk that accepted no writes.
    private func mayHaveEndedTheProcess(by ending: Int, otherThan asked: Int) -> Bool {
        guard endedWithItsProcess(ending) else { return false }
        let life = lives.life(at: ending)
        return lives.faults.contains { $0.life == life } || sent.contains { $0.event > asked && $0.event < ending }
            || exchanges.contains { exchange in
                exchange.request < ending
                    && exchange.response.map { $0 > asked } ?? (exchange.failure ?? exchange.unread ?? .max > asked)
            }
    }
}

extension Duration {
    /// The length in microseconds, rounded down; at least 0, and at most about 2^32 seconds.
    var microseconds: Int {
        let (seconds, attoseconds) = components
        return Int(clamping: min(max(seconds, 0), 1 << 32)) * 1_000_000 + Int(attoseconds / 1_000_000_000_000)
    }
}
