import Holdfast
import HoldfastJSON
import HoldfastTranscript

/// Two lists of one principal, and the requests between them.
struct ListWindow {
    let before: ObservedListRead
    let after: ObservedListRead
    let added: [String]
    /// Sessions that an `ack` named: they belong to accepted questions, even if one ran twice.
    let named: Set<String>
    /// Accepted questions without a session.
    let created: [ObservedTurn]
    /// Refused WebSocket and REST requests, with their answers.
    let refused: [(request: Int, answer: Int, session: String?)]

    var unexplained: [String] {
        let explained = Set(
            created.flatMap { [$0.sessionId] + ($0.endings + $0.replayed).map(\.sessionId) }.compactMap(\.self))
        return added.filter { !explained.contains($0) && !named.contains($0) }
    }

    /// Every pair of successive lists without a pending request at either end.
    static func all(in observations: Observations) -> [ListWindow] {
        let lists = Dictionary(grouping: observations.listReads, by: \.principal)
        let named = Set(observations.received.filter { $0.kind == .ack }.compactMap(\.sessionId))
        return lists.flatMap { principal, own in
            zip(own, own.dropFirst()).compactMap { before, after in
                guard let principal, before.event < after.request else { return nil }
                return window(before, after, principal, named, observations)
            }
        }.sorted { $0.after.event < $1.after.event }
    }

    private static func window(
        _ before: ObservedListRead, _ after: ObservedListRead, _ principal: String, _ named: Set<String>,
        _ observations: Observations
    ) -> ListWindow? {
        var created: [ObservedTurn] = []
        var refused: [(request: Int, answer: Int, session: String?)] = []
        for turn in observations.turns where turn.principal == principal && turn.event < after.event {
            for request in turn.requests.dropFirst() where turn.isAccepted && request.event > before.event {
                guard let refusal = request.refusal, refusal < after.request else { continue }
                refused.append((request.event, refusal, request.sessionAsked))
            }
            let refusal = turn.isAccepted ? nil : turn.request.refusal
            let isNew = turn.sessionAsked == nil
            // A question that was refused, or that named a session, may have been accepted in another request that
            // asked for a new session.
            let mayCreate = turn.requests.contains { $0.sessionAsked == nil && $0.refusal == nil }
            if mayCreate, refusal != nil || !isNew { return nil }
            guard refusal != nil || isNew else { continue }
            // A question asked before a list and decided after its request may show in either list.
            guard let decided = refusal ?? turn.firstSign, decided < after.request,
                turn.event > before.event || decided < before.request
            else { return nil }
            if turn.event < before.event { continue }
            if let refusal { refused.append((turn.event, refusal, turn.sessionAsked)) } else { created.append(turn) }
        }
        // A question without reliable evidence may have started any session.
        let mayCreate = observations.guessedTurns.contains { turn in
            turn.principal == principal && turn.event < after.event && turn.sessionAsked == nil
        }
        guard !mayCreate else { return nil }
        for exchange in observations.exchanges where exchange.isChat && exchange.request > before.event {
            guard exchange.sent.principal == principal, let response = exchange.response, response < after.request,
                (400...499).contains(exchange.status ?? 0), !refused.contains(where: { $0.request == exchange.request })
            else { continue }
            refused.append((exchange.request, response, exchange.body?.id("sessionId")))
        }
        let known = Set(before.ids)
        return ListWindow(
            before: before, after: after, added: after.ids.filter { !known.contains($0) }, named: named,
            created: created, refused: refused)
    }
}
