/// The id of a clause, such as `SYNC-3`; never reused and never renumbered.
public struct ClauseID: Sendable, Hashable, Comparable, CustomStringConvertible {
    /// The chapter of the clause.
    public let area: Area
    /// The number within the area, from 1.
    public let number: Int

    /// The id for a number in an area.
    public init(_ area: Area, _ number: Int) { (self.area, self.number) = (area, number) }

    /// Reads `AREA-n`; nil for anything else, including leading zeros.
    public init?(_ text: String) {
        guard let dash = text.firstIndex(of: "-"),
            let area = Area(rawValue: String(text[..<dash])),
            let number = Int(text[text.index(after: dash)...]),
            number > 0, "\(area.rawValue)-\(number)" == text
        else { return nil }
        self.init(area, number)
    }

    /// The id as in the specification.
    public var description: String { "\(area.rawValue)-\(number)" }

    /// By area, in the order of the chapters, then by number.
    public static func < (left: ClauseID, right: ClauseID) -> Bool {
        left.area == right.area ? left.number < right.number : left.area < right.area
    }
}
