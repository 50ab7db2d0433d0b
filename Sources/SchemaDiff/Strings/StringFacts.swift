import HoldfastJSONSchema

struct StringFacts: Sendable {
    var minLength = 0
    var maxLength: Int?
    var patterns: [Pattern] = []
    var notPatterns: [Pattern] = []

    var isEmpty: Bool { maxLength.map { $0 < minLength } ?? false }
}
