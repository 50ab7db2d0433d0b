import Holdfast

/// Selects clauses and scenarios by the names people use: `SYNC-3`, `SYNC`, `SYNC-*`, `server/SYNC/*`.
struct Pattern {
    let text: String

    /// Whether the pattern names a clause, by id, by area or with `*`.
    func matches(_ id: ClauseID) -> Bool {
        text == id.area.rawValue || matches(id.description)
    }

    /// Whether the pattern names a scenario, whole or with `*`.
    func matches(_ name: String) -> Bool {
        Self.match(text[...], name[...])
    }

    private static func match(_ pattern: Substring, _ name: Substring) -> Bool {
        guard let first = pattern.first else { return name.isEmpty }
        if first == "*" {
            let rest = pattern.dropFirst()
            return match(rest, name) || (!name.isEmpty && match(pattern, name.dropFirst()))
        }
        return name.first == first && match(pattern.dropFirst(), name.dropFirst())
    }
}
