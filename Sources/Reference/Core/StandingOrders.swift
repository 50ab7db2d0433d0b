/// What was ordered for questions that are still to come.
struct StandingOrders: Sendable, Equatable {
    /// How many of the next turns fail, and what they say.
    var failures = 0
    var failureReason = ""
    /// How many of the next questions are refused for their rate, and when to ask again.
    var refusals = 0
    var retryAfterMs = 0
    /// How much longer each turn takes, in milliseconds.
    var extraWaitMs = 0

    /// What the agent does now, where it was to do this.
    mutating func changed(_ steps: [Agent.Step]) -> [Agent.Step] {
        var steps = steps
        if failures > 0 {
            failures -= 1
            // Tools and waits stay, so that a turn fails as one does: after it began.
            if let last = steps.indices.last { steps[last] = .fail(failureReason) }
        }
        if extraWaitMs > 0 { steps.insert(.wait(extraWaitMs), at: 0) }
        return steps
    }

    /// Why a question is refused now; nil when it is not.
    ///
    /// A question that is refused has been counted then.
    mutating func refusal(of chat: ClientMessage.Chat, _ rules: CoreRules) -> Refusal? {
        guard refusals > 0 else { return nil }
        refusals -= 1
        return Refusal(
            .rateLimited, "refused on request; the next one in \(retryAfterMs) ms", clientMessageId: chat.key,
            retryAfterMs: retryAfterMs, limit: rules.messagesPerMinute ?? 1, windowMs: max(retryAfterMs, 1))
    }
}

/// What one process of a server hands to the next when it is restarted on request.
package struct ServerMemory: Sendable {
    let epoch: String
    let streams: [String: ReplayBuffer]
    let standing: StandingOrders
    let replies: Replies
    /// Whether numbers and frames go on, as in a server that keeps them on disk (SYNC-9).
    let keepsEpoch: Bool
    /// Ages of kept frames are measured on it.
    var clock: WallClock?
}
