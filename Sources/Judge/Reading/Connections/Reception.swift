import HoldfastJSON
import HoldfastTranscript

enum Reception {
    /// Accepted, as the event shows.
    case taken(Int)
    /// Called malformed, or answered by ending the connection, as the event shows.
    case rejected(Int)
    /// Not answered in time, as the event proves.
    case ignored(Expiry)
    /// Unknown, or refused for another reason.
    case open
}

extension Observations {
    func reception(of frame: Frame) -> Reception {
        let connection = connections[frame.connection]
        let answer: Int?
        let proof: Expiry?
        switch frame.type {
        case "ping":
            answer =
                connection.received.first {
                    $0.event > frame.event && $0.kind == .pong && $0.id("nonce") == frame.id("nonce")
                }?.event
            proof = deadline(after: frame.event, within: timeouts.pong, on: frame.connection)
        case "sync":
            answer = syncs.first { $0.request.event == frame.event }?.result?.event
            proof = deadline(after: frame.event, within: timeouts.sync, on: frame.connection)
        case "chat":
            // In a capture, frames that name no turn belong to none, so their absence proves nothing.
            if isCapture, !frame.includes("clientMessageId") { return .open }
            guard let turn = turns.first(where: { $0.requests.contains { $0.event == frame.event } }),
                let request = turn.requests.first(where: { $0.event == frame.event })
            else { return .open }
            if let refusal = request.refusal {
                return ErrorMeaning.malformed.contains(request.refusalCode ?? "") ? .rejected(refusal) : .open
            }
            answer = request.ack?.event ?? (turn.frames + turn.endings).map(\.event).filter { $0 > frame.event }.min()
            proof =
                hasAcks
                ? deadline(after: frame.event, within: timeouts.ack, on: frame.connection)
                : turnDeadline(of: turn, on: frame.connection)
        default: return .open
        }
        if let answer { return .taken(answer) }
        let answers = Set(hostileFrames.compactMap(\.answer?.event) + turns.flatMap(\.requests).compactMap(\.refusal))
        let error = connection.received.first {
            $0.event > frame.event && $0.isRefusal && !answers.contains($0.event)
        }
        if let error { return ErrorMeaning.malformed.contains(error.code ?? "") ? .rejected(error.event) : .open }
        if let ending = connection.ending, connection.wasEndedByServer, ending.event > frame.event {
            let isOther = hostileFrames.contains {
                $0.frame.connection == frame.connection && $0.frame.event < ending.event && $0.kind != .free
            }
            return isOther || ending.isForAnotherReason || wasStopped(between: frame.event, and: ending.event)
                || ending.has(code: 1009) ? .open : .rejected(ending.event)
        }
        return proof.map { .ignored($0) } ?? .open
    }

    func reception(of exchange: ObservedExchange) -> Reception {
        guard let response = exchange.response, let status = exchange.status else { return .open }
        switch status {
        case 200...299: return .taken(response)
        case 400, 415, 422: return exchange.answer?.root["code"] == "idempotency_mismatch" ? .open : .rejected(response)
        default: return .open
        }
    }
}
