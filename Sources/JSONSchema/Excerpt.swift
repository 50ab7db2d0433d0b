import HoldfastBasics
import HoldfastJSON

/// Shows a value of any size in at most 120 characters.
enum Excerpt {
    static let limit = 120

    /// A value as JSON text, cut with its size given.
    static func of(_ value: JSONValue) -> String {
        let (cut, isWhole) = value.text(limit: limit)
        let text = visible(cut)
        if isWhole { return text }
        switch value {
        case .string(let string): return "\(text)… (\(string.unicodeScalars.count) characters)"
        case .array(let values): return "\(text)… (\(values.count) elements)"
        case .object(let object): return "\(text)… (\(object.count) members)"
        default: return text + "…"
        }
    }

    static func cut(_ text: String) -> String { visible(excerpt(text, limit: limit)) }
}
