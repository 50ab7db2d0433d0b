/// A pattern for names, in which `*` stands for anything: `server/SYNC/*`.
package struct NamePattern: Sendable, Equatable {
    package let text: String

    package init(_ text: String) { self.text = text }

    /// Whether it matches a name; takes time proportional to the product of both lengths at most.
    package func matches(_ name: String) -> Bool {
        let pattern = Array(text.unicodeScalars)
        let name = Array(name.unicodeScalars)
        var (index, at) = (0, 0)
        // The position of the last star, and the end of its match in the name.
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
