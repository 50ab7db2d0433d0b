import HoldfastJSON

/// Who asked a question, and so who is told what became of it.
enum Origin: Sendable, Equatable {
    case socket(Int)
    case request(Int)
}

/// A turn between its acceptance and its ending.
struct LiveTurn: Sendable {
    enum State: String, Sendable {
        /// Its question is on the way to the disk.
        case storing
        /// Its question is durable; another turn of its session runs.
        case waiting
        case running
        /// Its ending is on the way to the disk.
        case ending
    }

    let names: TurnNames
    let principal: String
    let content: JSONValue
    let origin: Origin
    /// When it took its place in the rate window.
    let chargedAt: Int
    var state = State.storing
    /// What the agent has still to do.
    var steps: ArraySlice<Agent.Step> = []
    /// REST requests that wait for the ending.
    var waiters: [Waiter] = []
    /// Repeats that came while the question was being stored.
    var repeats: [Origin] = []

    /// A REST request that waits for the ending.
    struct Waiter: Sendable {
        let request: Int
        let isRepeat: Bool
    }
}

extension LiveTurn {
    /// Where a frame belongs that no running turn says: nobody asked for it, so its origin is made up and is never answered.
    init(placing names: TurnNames, of principal: String, at moment: Int) {
        self.init(names: names, principal: principal, content: .null, origin: .request(0), chargedAt: moment)
    }
}
