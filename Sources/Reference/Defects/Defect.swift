import Holdfast

/// A named way to be wrong: what a broken server does, and the clause it breaks by that.
public struct Defect: Sendable, Hashable, CustomStringConvertible {
    /// The area and what the broken peer does, such as `sync-claims-complete-after-eviction`.
    public let name: String
    /// What the broken peer does, and when it shows.
    public let summary: String
    /// The clause it breaks; others only where that cannot be avoided.
    public let clause: ClauseID
    /// What a run must be able to do to see it; most show to whoever has a URL.
    public let need: Need

    /// What it takes to see a defect.
    public enum Need: String, Sendable, Hashable, CaseIterable {
        /// A URL and tokens.
        case url
        /// To stop, kill and start the server.
        case restart
        /// To make the disk of the server refuse writes.
        case storageFault
        /// A server that was given `messagesPerMinute`.
        case budget
        /// To wait for several heartbeats, or for the time a handshake may take.
        case patience
    }

    init(_ name: String, _ area: Area, _ number: Int, need: Need = .url, _ summary: String) {
        self.name = name
        self.summary = summary
        self.need = need
        clause = ClauseID(area, number)
    }

    /// Two defects are the same when their names are.
    public static func == (left: Defect, right: Defect) -> Bool { left.name == right.name }

    /// By name.
    public func hash(into hasher: inout Hasher) { hasher.combine(name) }

    /// The name.
    public var description: String { name }

    /// Every defect, by area in the order of the chapters.
    public static let all: [Defect] =
        env + id + turn + order + sync + idem + persist + rest + rate + push + auth + live

    /// The defect of that name.
    public static func named(_ name: String) -> Defect? { all.first { $0.name == name } }
}
