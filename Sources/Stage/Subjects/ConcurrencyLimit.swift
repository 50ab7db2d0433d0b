/// The number of scenarios that may run at once without making the machine late.
///
/// Most scenarios wait most of the time, so many can run at once. On a late machine, timeouts are extended and events
/// may be missed, so only a few run.
struct ConcurrencyLimit {
    /// This many may always run; more only while the process is woken on time.
    private static let few = 8
    private static let interval = Duration.milliseconds(100)

    private var limit = few
    private(set) var nextCheck = ContinuousClock.now + interval

    mutating func hasRoom(beside running: Int) -> Bool {
        if .now >= nextCheck {
            limit = isMachineLate() ? running - Self.few : running + Self.few
            nextCheck = .now + Self.interval
        }
        return running < max(limit, Self.few)
    }
}

extension [Duration] {
    /// The indices, longest first, so that the longest does not end alone.
    var longestFirst: [Int] { indices.sorted { self[$0] == self[$1] ? $0 < $1 : self[$0] > self[$1] } }
}
