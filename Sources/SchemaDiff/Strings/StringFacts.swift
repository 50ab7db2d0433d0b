import HoldfastJSONSchema

struct StringFacts: Sendable {
    var minLength = 0
    var maxLength: Int?
    /// The patterns that the string must match.
    var patterns: [Pattern] = []
    /// The patterns that the string must not match.
    var notPatterns: [Pattern] = []

    var isEmpty: Bool { maxLength.map { $0 < minLength } ?? false }
}
