import HoldfastJSON

/// The content of a message, for comparison.
///
/// A string equals one text part. Unknown members of text and image parts do not count; those of other parts do.
package enum MessageContent {
    /// Whether two contents are equal, part by part and code point by code point.
    package static func isSame(_ one: JSONValue?, as other: JSONValue?) -> Bool {
        pieces(of: one) == pieces(of: other)
    }

    /// The text of a content: the string itself, or the joined texts of its text parts.
    package static func text(of content: JSONValue?) -> String {
        if let text = content?.stringValue { return text }
        return (content?.arrayValue ?? []).filter { $0["type"]?.stringValue == "text" }
            .compactMap { $0["text"]?.stringValue }.joined()
    }

    private static func pieces(of content: JSONValue?) -> [Piece] {
        if let text = content?.stringValue { return [.text(ExactString(text))] }
        return (content?.arrayValue ?? []).map { piece in
            switch piece["type"]?.stringValue {
            case "text": piece["text"]?.stringValue.map { .text(ExactString($0)) } ?? .other(piece)
            case "image": piece["image"]?.stringValue.map { .image(ExactString($0)) } ?? .other(piece)
            default: .other(piece)
            }
        }
    }

    private enum Piece: Equatable {
        case text(ExactString), image(ExactString)
        case other(JSONValue)
    }
}
