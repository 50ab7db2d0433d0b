/// A chapter of clauses; its name is literal in every path that belongs to it.
public enum Area: String, Sendable, Hashable, CaseIterable, Comparable {
    case ENV, ID, TURN, ORDER, SYNC, IDEM, PERSIST, REST, RATE, PUSH, AUTH, LIVE, CLIENT

    /// The order of the chapters in the specification.
    public static func < (left: Area, right: Area) -> Bool {
        (allCases.firstIndex(of: left) ?? 0) < (allCases.firstIndex(of: right) ?? 0)
    }
}
