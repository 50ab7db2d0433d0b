/// The budget of one principal, over both transports: a number of questions in a window of time.
struct RateWindow: Sendable {
    enum Pace: Sendable {
        /// Each place is freed one window length after it was taken, so that no span of that length ever holds more.
        case sliding
        /// All places are freed at fixed times.
        case fixed
    }

    private let budget: Int
    private let length: Int
    private let pace: Pace
    /// The occupied places: when each was taken, and when it is freed.
    private var taken: [(at: Int, until: Int)] = []

    init(budget: Int, lengthMs: Int = 60_000, pace: Pace = .sliding) {
        self.budget = max(1, budget)
        length = max(1, lengthMs) * 1000
        self.pace = pace
    }

    init(budget: Int, _ rules: CoreRules) {
        self.init(
            budget: budget, lengthMs: rules.rateWindowMs,
            pace: rules.variations.contains(.fixedWindows) ? .fixed : .sliding)
    }

    /// Takes a place; `now` is in microseconds.
    ///
    /// - Returns: Nil if there was one, else the milliseconds until one is freed.
    mutating func take(at now: Int) -> Int? {
        taken.removeAll { $0.until <= now }
        guard taken.count >= budget, let next = taken.first else {
            taken.append((now, end(of: now)))
            return nil
        }
        return max(1, (next.until - now + 999) / 1000)
    }

    private func end(of now: Int) -> Int {
        switch pace {
        case .sliding: now + length
        case .fixed: (now / length + 1) * length
        }
    }

    /// Returns the place taken at a time, for a question that could not be stored and thus was not accepted.
    mutating func giveBack(_ time: Int) {
        if let position = taken.lastIndex(where: { $0.at == time }) { taken.remove(at: position) }
    }
}
