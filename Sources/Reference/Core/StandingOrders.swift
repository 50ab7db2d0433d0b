import Holdfast
import HoldfastJSON

/// What was ordered for questions that are still to come: rules of which each deed has one.
struct StandingOrders: Sendable {
    private var rules = Rules()

    /// The deeds, by the names that people know their orders by.
    private static let names: [(deed: Rule.Deed, name: String)] = [
        (.fail, "failNext"), (.refuse, "limitNext"), (.delay, "slowMs"),
    ]

    mutating func set(_ rule: Rule) { rules.set(rule) }

    /// How often questions will still fail or be refused, and by how much each is slower; of one deed, or of all.
    func state(of deed: Rule.Deed? = nil) -> JSONValue {
        var state: JSONValue = [:]
        for (known, name) in Self.names where known == deed ?? known {
            let entry = rules.entries.first { $0.rule.deed == known }
            state[name] = JSONValue(entry.map { known == .delay ? $0.rule.milliseconds ?? 0 : $0.rest } ?? 0)
        }
        return state
    }

    /// What the agent does now, where it was to do this.
    mutating func changed(_ steps: [Agent.Step]) -> [Agent.Step] {
        var steps = steps
        let question = Rule.Arrival(.question)
        // Tools and waits stay, so that a turn fails as one does: after it began.
        if let failure = rules.rule(for: question, doing: .fail), let last = steps.indices.last {
            steps[last] = .fail(failure.reason ?? "")
        }
        let wait = rules.rule(for: question, doing: .delay)?.milliseconds ?? 0
        return wait > 0 ? [.wait(wait)] + steps : steps
    }

    /// Why a question is refused now; nil when it is not.
    ///
    /// A question that is refused has been counted then.
    mutating func refusal(of chat: ClientMessage.Chat, _ limits: CoreRules) -> Refusal? {
        guard let rule = rules.rule(for: Rule.Arrival(.question), doing: .refuse) else { return nil }
        let wait = rule.milliseconds ?? 0
        return Refusal(
            .rateLimited, "refused on request; the next one in \(wait) ms", clientMessageId: chat.key,
            retryAfterMs: wait, limit: limits.messagesPerMinute ?? 1, windowMs: max(wait, 1))
    }
}

/// What one process of a server hands to the next when it is restarted on request.
package struct ServerMemory: Sendable {
    let epoch: String
    let streams: [String: ReplayBuffer]
    let standing: StandingOrders
    let replies: Replies
    /// Whether numbers and frames go on, as in a server that keeps them on disk (SYNC-5).
    let keepsEpoch: Bool
    /// Ages of kept frames are measured on it.
    var clock: WallClock?
}
