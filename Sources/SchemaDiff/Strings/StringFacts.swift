import HoldfastJSONSchema

struct StringFacts: Sendable {
    var minLength = 0
    var maxLength: Int?
    /// Patterns by text that it matches.
    var patterns: [Pattern] = []
    /// Patterns that it does not match.
    var notPatterns: [Pattern] = []
    var formats: Set<Format> = []
    var notFormats: Set<Format> = []

    var isEmpty: Bool { maxLength.map { $0 < minLength } ?? false }

    /// Whether one string is as asked.
    func admits(_ text: String) -> Bool {
        let length = text.unicodeScalars.count
        return length >= minLength && length <= maxLength ?? .max
            && patterns.allSatisfy { $0.matches(text) } && !notPatterns.contains { $0.matches(text) }
            && formats.allSatisfy { $0.accepts(text) } && !notFormats.contains { $0.accepts(text) }
    }
}
