import Holdfast

/// A named way for a client to be wrong: what it does, and the clause it breaks by that.
public struct ClientDefect: Sendable, Hashable, CustomStringConvertible {
    /// `client-` and what the broken client does, such as `client-trusts-its-flag`.
    public let name: String
    /// What the broken client does, and when it shows.
    public let summary: String
    /// The clause it breaks; others only where that cannot be avoided.
    public let clause: ClauseID

    init(_ name: String, _ area: Area, _ number: Int, _ summary: String) {
        self.name = name
        self.summary = summary
        clause = ClauseID(area, number)
    }

    /// Two defects are the same when their names are.
    public static func == (left: ClientDefect, right: ClientDefect) -> Bool { left.name == right.name }

    /// By name.
    public func hash(into hasher: inout Hasher) { hasher.combine(name) }

    /// The name.
    public var description: String { name }

    /// Every defect, by concern.
    public static let all: [ClientDefect] = connecting + sending + recovering + streaming + showing + tapping + speaking

    /// The defect of that name.
    public static func named(_ name: String) -> ClientDefect? { all.first { $0.name == name } }
}
