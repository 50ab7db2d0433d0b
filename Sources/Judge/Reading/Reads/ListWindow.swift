import Holdfast
import HoldfastJSON
import HoldfastTranscript

/// Two lists of one principal, and the requests between them.
struct ListWindow {
    let before: ObservedListRead
    let after: ObservedListRead
    /// Sessions only in the later list.
    let added: [String]
    /// Accepted questions without a session.
    let created: [ObservedTurn]
    /// Refused WebSocket and REST requests, with their answers.
    let refused: [(request: Int, answer: Int, session: String?)]

    /// Every pair of successive lists without a pending request at either end.
    static func all(in observations: Observations) -> [ListWindow] {
        var windows: [ListWindow] = []
        let principals = Set(observations.listReads.compactMap(\.principal))
        for principal in principals.sorted() {
            let lists = observations.listReads.filter { $0.principal == principal }
            for (before, after) in zip(lists, lists.dropFirst()) where before.event < after.request {
                if let window = window(before, after, principal, observations) { windows.append(window) }
            }
        }
        return windows.sorted { $0.after.event < $1.after.event }
    }

    private static func window(
        _ before: ObservedListRead, _ after: ObservedListRead, _ principal: String, _ observations: Observations
    ) -> ListWindow? {
        var created: [ObservedTurn] = []
        var refused: [(request: Int, answer: Int, session: String?)] = []
        for turn in observations.turns where turn.principal == principal && turn.event < after.event {
            for request in turn.requests.dropFirst() where turn.isAccepted && request.event > before.event {
                guard let refusal = request.refusal, refusal < after.request else { continue }
                refused.append((request.event, refusal, request.sessionAsked))
            }
            let sign = turn.firstSign
            if let refusal = turn.request.refusal, !turn.isAccepted {
                // If it was asked again without a refusal, it may have been accepted.
                if turn.requests.contains(where: { $0.refusal == nil && $0.event < after.event }) { return nil }
                // Asked before a list and answered after it, it may show in either list.
                if turn.event < before.event {
                    if refusal > before.request { return nil }
                    continue
                }
                guard refusal < after.request else { return nil }
                refused.append((turn.event, refusal, turn.sessionAsked))
            } else if turn.sessionAsked == nil {
                guard let sign else { return nil }
                if turn.event < before.event {
                    if sign > before.request { return nil }
                    continue
                }
                guard sign < after.request else { return nil }
                created.append(turn)
            } else if turn.requests.contains(where: { $0.sessionAsked == nil && $0.refusal == nil }) {
                // It may have been accepted where it asked for a new session.
                return nil
            }
        }
        // A question without reliable evidence may have started any session.
        let believed = Set(observations.turns.map(\.event))
        let others = observations.questions.filter { turn in
            turn.principal == principal && turn.event < after.event && !believed.contains(turn.event)
        }
        guard others.allSatisfy({ $0.sessionAsked != nil }) else { return nil }
        for exchange in observations.exchanges where exchange.isChat && exchange.request > before.event {
            guard exchange.sent.principal == principal, let response = exchange.response, response < after.request,
                (400...499).contains(exchange.status ?? 0), !refused.contains(where: { $0.request == exchange.request })
            else { continue }
            refused.append((exchange.request, response, exchange.body?.id("sessionId")))
        }
        let known = Set(before.ids)
        return ListWindow(
            before: before, after: after, added: after.ids.filter { !known.contains($0) }, created: created,
            refused: refused)
    }
}
