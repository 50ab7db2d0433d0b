import HoldfastTranscript

/// A question and the server's frames about it, by key.
///
/// Simpler than an ``ObservedTurn``: it supports no verdict, and needs one pass over the frames.
struct CountedTurn {
    let person: String
    let key: String
    private(set) var requests: [ObservedRequest]
    private(set) var session: String?
    private(set) var acked: Int?
    private(set) var ended: Int?
    private(set) var failed: Int?
    private(set) var isRefused = false

    var request: ObservedRequest { requests[0] }
    var asked: Int { requests[0].event }
    var sessionName: ScopedName? { session.map { ScopedName($0, of: person) } }

    static func all(
        _ frames: [Frame], on connections: [ObservedConnection], in exchanges: [ObservedExchange]
    ) -> [CountedTurn] {
        var turns: [CountedTurn] = []
        var positions: [ScopedName: Int] = [:]
        for request in ObservedRequest.all(on: connections, in: exchanges) {
            guard let key = request.clientMessageId else { continue }
            let name = ScopedName("key " + key, of: request.principal)
            let position = positions[name] ?? turns.count
            positions[name] = position
            if position == turns.count {
                turns.append(
                    CountedTurn(person: request.principal, key: key, requests: [], session: request.sessionAsked))
            }
            turns[position].requests.append(request)
            guard case .exchange(let index) = request.origin, let response = exchanges[index].response else { continue }
            turns[position].end(response, isRefusal: exchanges[index].status != 200)
        }
        for frame in frames {
            let person = connections[frame.connection].principal
            let turn = frame.turnId.map { ScopedName("turn " + $0, of: person) }
            let key = frame.clientMessageId.map { ScopedName("key " + $0, of: person) }
            guard let position = key.flatMap({ positions[$0] }) ?? turn.flatMap({ positions[$0] }),
                frame.event > turns[position].asked
            else { continue }
            if let turn { positions[turn] = position }
            turns[position].take(frame)
        }
        return turns
    }

    private mutating func end(_ event: Int, isRefusal: Bool = false) {
        isRefused = isRefusal && acked == nil
        if !isRefusal { acked = acked ?? event }
        ended = min(ended ?? event, event)
    }

    private mutating func take(_ frame: Frame) {
        session = frame.sessionId ?? session
        switch frame.type {
        case "ack": acked = min(acked ?? frame.event, frame.event)
        case "done": end(frame.event)
        case "error":
            end(frame.event, isRefusal: frame.turnId == nil)
            if frame.turnId != nil, !frame.isReplayed { failed = failed ?? frame.event }
        default: break
        }
    }
}
