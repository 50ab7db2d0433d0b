/// The parts that a reader skipped, by reason, each with its count and first place.
public struct CaptureLeftOut: Sendable, Equatable {
    /// A reason for which something was left out, with how often.
    public struct Entry: Sendable, Equatable {
        /// Why, such as `a line of prose`.
        public let reason: String
        /// How often something was left out for this reason.
        public var count: Int
        /// Where in the capture it was first.
        public let first: CaptureLocation
    }

    /// The reasons, in the order in which they were met first; no more than fifty, the last of which stands for all others.
    public private(set) var entries: [Entry] = []

    /// The reason for a bare frame without a direction, because the dialect does not know its type or both sides send
    /// it.
    public static let noDirection = "a frame without a direction"

    /// Nothing yet.
    public init() {}

    /// Counts one more thing that was left out, or several at once.
    public mutating func note(_ reason: String, _ location: CaptureLocation, count: Int = 1) {
        if let index = entries.firstIndex(where: { $0.reason == reason }) {
            entries[index].count += count
        } else if entries.count < 49 {
            entries.append(Entry(reason: reason, count: count, first: location))
        } else if entries.count == 49 {
            entries.append(Entry(reason: "something else", count: count, first: location))
        } else {
            entries[49].count += count
        }
    }

    func adding(_ other: CaptureLeftOut) -> CaptureLeftOut {
        var whole = self
        for entry in other.entries { whole.note(entry.reason, entry.first, count: entry.count) }
        return whole
    }
}
