/// The budget of one principal: so many questions in a window of time, whichever transport they come by.
struct RateWindow: Sendable {
    /// When the places of a window become free again.
    enum Pace: Sendable {
        /// Each one the length of the window after it was taken, so that no span of that length ever holds more.
        case sliding
        /// All of them at fixed times.
        case fixed
    }

    private let budget: Int
    private let length: Int
    private let pace: Pace
    /// The places that are not free yet: when each was taken, and when it becomes free.
    private var taken: [(at: Int, until: Int)] = []

    /// A window that takes so many questions in so many milliseconds.
    init(budget: Int, lengthMs: Int = 60_000, pace: Pace = .sliding) {
        self.budget = max(1, budget)
        length = max(1, lengthMs) * 1000
        self.pace = pace
    }

    /// The window that a server was told to keep.
    init(budget: Int, _ rules: CoreRules) {
        self.init(
            budget: budget, lengthMs: rules.rateWindowMs,
            pace: rules.variations.contains(.fixedWindows) ? .fixed : .sliding)
    }

    /// Takes a place at a time in microseconds.
    ///
    /// - Returns: Nil when there was one, else the milliseconds until one is free.
    mutating func take(at now: Int) -> Int? {
        taken.removeAll { $0.until <= now }
        guard taken.count >= budget, let next = taken.first else {
            taken.append((now, end(of: now)))
            return nil
        }
        return max(1, (next.until - now + 999) / 1000)
    }

    /// When a place that is taken at a time becomes free.
    private func end(of now: Int) -> Int {
        switch pace {
        case .sliding: now + length
        case .fixed: (now / length + 1) * length
        }
    }

    /// Gives back the place taken at a time: what could not be stored was not accepted.
    mutating func giveBack(_ time: Int) {
        if let position = taken.lastIndex(where: { $0.at == time }) { taken.remove(at: position) }
    }
}
