/// Selects names, whole or with `*` for anything: `server/SYNC/*`.
package struct NamePattern: Sendable, Equatable {
    package let text: String

    package init(_ text: String) { self.text = text }

    /// Whether it may name more than one thing.
    var hasStar: Bool { text.contains("*") }

    /// Whether it names the given name; takes time in proportion to both texts, whatever they are.
    package func matches(_ name: String) -> Bool {
        let pattern = Array(text.unicodeScalars)
        let name = Array(name.unicodeScalars)
        var (index, at) = (0, 0)
        // Where the last star stands, and how much of the name it has taken.
        var star: (index: Int, at: Int)?
        while at < name.count {
            if index < pattern.count, pattern[index] == "*" {
                star = (index, at)
                index += 1
            } else if index < pattern.count, pattern[index] == name[at] {
                (index, at) = (index + 1, at + 1)
            } else if let last = star {
                star = (last.index, last.at + 1)
                (index, at) = (last.index + 1, last.at + 1)
            } else {
                return false
            }
        }
        return pattern[index...].allSatisfy { $0 == "*" }
    }
}
