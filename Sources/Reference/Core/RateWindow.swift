/// The budget of one principal: so many questions in any sixty seconds, whichever road they come by.
///
/// The window slides: a question leaves it exactly sixty seconds after it was accepted, so no minute ever holds more.
struct RateWindow: Sendable {
    /// The length of the window, in milliseconds.
    static let lengthMs = 60_000

    private let budget: Int
    private var accepted: [Int] = []

    /// A window that takes so many questions.
    init(budget: Int) {
        self.budget = max(1, budget)
    }

    /// Takes a place at a time in microseconds.
    ///
    /// - Returns: Nil when there was one, else the milliseconds until the oldest question leaves the window.
    mutating func take(at now: Int) -> Int? {
        let horizon = now - Self.lengthMs * 1000
        accepted.removeAll { $0 <= horizon }
        guard accepted.count >= budget, let oldest = accepted.first else {
            accepted.append(now)
            return nil
        }
        return max(1, (oldest - horizon + 999) / 1000)
    }

    /// Gives back the place taken at a time: what could not be stored was not accepted.
    mutating func giveBack(_ time: Int) {
        if let position = accepted.lastIndex(of: time) { accepted.remove(at: position) }
    }
}
