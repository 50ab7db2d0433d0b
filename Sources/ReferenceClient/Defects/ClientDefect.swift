import Holdfast

/// A named fault of a client: its behavior, the clause it violates, and the change that causes it.
public struct ClientDefect: Sendable, Hashable, CustomStringConvertible {
    /// `client-` and the behavior, such as `client-trusts-its-flag`.
    public let name: String
    /// The behavior of the broken client, and when it shows.
    public let summary: String
    /// The violated clause; a defect violates others only if that is unavoidable.
    public let clause: ClauseID
    let faults: [ClientFault]

    init(_ name: String, _ area: Area, _ number: Int, _ summary: String, _ faults: ClientFault...) {
        (self.name, self.summary, self.faults) = (name, summary, faults)
        clause = ClauseID(area, number)
    }

    /// Compares names.
    public static func == (left: ClientDefect, right: ClientDefect) -> Bool { left.name == right.name }

    /// Hashes the name.
    public func hash(into hasher: inout Hasher) { hasher.combine(name) }

    /// The name.
    public var description: String { name }

    /// Every defect, by concern.
    public static let all: [ClientDefect] = connecting + sending + recovering + streaming + showing + tapping + speaking

    /// The defect of that name.
    public static func named(_ name: String) -> ClientDefect? { all.first { $0.name == name } }

    static func list(@Builder _ defects: () -> [ClientDefect]) -> [ClientDefect] { defects() }

    @resultBuilder enum Builder {
        static func buildBlock(_ defects: ClientDefect...) -> [ClientDefect] { defects }
    }
}
