/// The budget of one principal: so many questions in any window of time, whichever transport they come by.
///
/// The window slides: a question leaves it exactly its length after it was accepted, so no window ever holds more.
struct RateWindow: Sendable {
    private let budget: Int
    private let lengthMs: Int
    private var accepted: [Int] = []

    /// A window that takes so many questions in so many milliseconds.
    init(budget: Int, lengthMs: Int = 60_000) {
        self.budget = max(1, budget)
        self.lengthMs = lengthMs
    }

    /// Takes a place at a time in microseconds.
    ///
    /// - Returns: Nil when there was one, else the milliseconds until the oldest question leaves the window.
    mutating func take(at now: Int) -> Int? {
        let horizon = now - lengthMs * 1000
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
