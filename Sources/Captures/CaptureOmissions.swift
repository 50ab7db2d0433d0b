/// The parts that a reader skipped, by reason, each with its count and first place.
public struct CaptureOmissions: Sendable, Equatable {
    /// A reason for omissions, with their number.
    public struct Entry: Sendable, Equatable {
        /// The reason, such as `a line of prose`.
        public let reason: String
        /// The number of omissions.
        public var count: Int
        /// The place of the first one.
        public let first: CaptureLocation
    }

    /// The reasons, in the order of their first places; no more than fifty, the last of which stands for all others.
    public private(set) var entries: [Entry] = []

    /// The reason for a bare frame without a direction: its type is unknown to the dialect, or both sides send it.
    public static let noDirection = "a frame without a direction"

    /// No omissions.
    public init() {}

    /// Counts one or more omissions.
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

    func adding(_ other: CaptureOmissions) -> CaptureOmissions {
        var whole = self
        for entry in other.entries { whole.note(entry.reason, entry.first, count: entry.count) }
        return whole
    }
}
