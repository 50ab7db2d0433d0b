enum Origin: Sendable, Equatable {
    case socket(Int)
    case request(Int)
}

/// A turn from its acceptance to its ending.
struct LiveTurn: Sendable {
    enum State: String, Sendable {
        /// Its question is being stored.
        case storing
        /// Its question is durable; another turn of its session is running.
        case waiting
        case running
        /// Its ending is being stored.
        case ending
    }

    let question: StoredRecord.Post
    let origin: Origin
    /// When it was charged to the rate window.
    let chargedAt: Int
    var state = State.storing
    var steps: ArraySlice<Agent.Step> = []
    var waiters: [Waiter] = []
    /// Repeats that arrived while the question was being stored.
    var repeats: [Origin] = []

    var names: TurnNames { question.names }
    var principal: String { question.principal }

    struct Waiter: Sendable {
        let request: Int
        let isRepeat: Bool
    }
}
