import HoldfastJSONSchema

struct StringFacts: Sendable {
    var minLength = 0
    var maxLength: Int?
    /// Patterns by text that it matches.
    var patterns: [Pattern] = []
    /// Patterns that it does not match.
    var notPatterns: [Pattern] = []

    var isEmpty: Bool { maxLength.map { $0 < minLength } ?? false }
}
