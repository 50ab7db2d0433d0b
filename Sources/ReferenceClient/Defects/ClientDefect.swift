import Holdfast

/// A named way for a client to be wrong: what it does, the clause it breaks by that, and the change that makes it do
/// so.
public struct ClientDefect: Sendable, Hashable, CustomStringConvertible {
    /// `client-` and what the broken client does, such as `client-trusts-its-flag`.
    public let name: String
    /// What the broken client does, and when it shows.
    public let summary: String
    /// The clause it breaks; others only where that cannot be avoided.
    public let clause: ClauseID
    /// What is wrong around the healthy core.
    let faults: [ClientFault]

    init(_ name: String, _ area: Area, _ number: Int, _ summary: String, _ faults: ClientFault...) {
        (self.name, self.summary, self.faults) = (name, summary, faults)
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

    /// The defects of a concern; each statement is one.
    static func list(@Builder _ defects: () -> [ClientDefect]) -> [ClientDefect] { defects() }

    @resultBuilder enum Builder {
        static func buildBlock(_ defects: ClientDefect...) -> [ClientDefect] { defects }
    }
}
