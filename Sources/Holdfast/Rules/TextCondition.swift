import HoldfastBasics
import HoldfastJSONSchema

/// Which texts a rule is for.
enum TextCondition: Sendable, Equatable {
    /// Those that say just this, whatever the case and the blanks around it.
    case exactly(String)
    /// Those that have this in them, whatever the case.
    case containing(String)
    /// Those that match; matching takes time in proportion to the text, whatever the pattern.
    case matching(Pattern)

    func holds(for text: String) -> Bool {
        switch self {
        case .exactly(let wanted): text.lowercased().trimmed(\.isWhitespace) == wanted
        case .containing(let part): text.lowercased().contains(part)
        case .matching(let pattern): pattern.matches(text)
        }
    }

    static func == (left: TextCondition, right: TextCondition) -> Bool {
        switch (left, right) {
        case (.exactly(let one), .exactly(let other)), (.containing(let one), .containing(let other)): one == other
        case (.matching(let one), .matching(let other)): one.text == other.text
        default: false
        }
    }
}
