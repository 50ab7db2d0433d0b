import Holdfast
import Report

/// Selects clauses and scenarios by the names people use: `SYNC-3`, `SYNC`, `SYNC-*`, `server/SYNC/*`.
struct Pattern {
    let text: String

    /// Whether the pattern names a clause, by id, by area or with `*`.
    func matches(_ id: ClauseID) -> Bool {
        text == id.area.rawValue || matches(id.description)
    }

    /// Whether the pattern names a scenario, whole or with `*`.
    func matches(_ name: String) -> Bool {
        NamePattern(text).matches(name)
    }
}
