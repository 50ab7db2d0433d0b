import Holdfast
import HoldfastJSON

/// Orders for future questions: at most one rule for each kind of action.
struct MockRules: Sendable {
    private var rules = Rules()

    private static let names: [(action: Rule.Action, name: String)] = [
        (.fail, "failNext"), (.refuse, "limitNext"), (.delay, "slowMs"),
    ]

    mutating func set(_ rule: Rule) { rules.set(rule) }

    /// The pending failures and refusals and the extra delay, for one action or for all.
    func state(of action: Rule.Action? = nil) -> JSONValue {
        var state: JSONValue = [:]
        for (known, name) in Self.names where known == action ?? known {
            let entry = rules.entries.first { $0.rule.action == known }
            state[name] = JSONValue(entry.map { known == .delay ? $0.rule.milliseconds ?? 0 : $0.usesLeft } ?? 0)
        }
        return state
    }

    mutating func changed(_ steps: [Agent.Step]) -> [Agent.Step] {
        var steps = steps
        let question = Rule.Arrival(.question)
        // Tools and waits stay, so that the turn fails after it started, as a real one does.
        if let failure = rules.rule(for: question, doing: .fail), let last = steps.indices.last {
            steps[last] = .fail(failure.reason ?? "")
        }
        let wait = rules.rule(for: question, doing: .delay)?.milliseconds ?? 0
        return wait > 0 ? [.wait(wait)] + steps : steps
    }

    /// A refusal uses up one application of the rule; nil if no refusal was ordered.
    mutating func refusal(of chat: ClientMessage.Chat, _ limits: CoreRules) -> Refusal? {
        guard let rule = rules.rule(for: Rule.Arrival(.question), doing: .refuse) else { return nil }
        let wait = rule.milliseconds ?? 0
        return Refusal(
            .rateLimited, "refused on request; the next one in \(wait) ms", clientMessageId: chat.key,
            retryAfterMs: wait, limit: limits.messagesPerMinute ?? 1, windowMs: max(wait, 1))
    }
}

/// State that a process of a server passes to the next on a requested restart.
package struct ServerMemory: Sendable {
    let epoch: String
    let streams: [String: ReplayBuffer]
    let mockRules: MockRules
    let replies: Replies
    /// Whether numbers and frames continue, as in a server that keeps them on disk (SYNC-5).
    let keepsEpoch: Bool
    /// The clock for the ages of kept frames.
    var clock: WallClock?
}
