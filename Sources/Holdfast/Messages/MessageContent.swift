import HoldfastJSON

/// What a message says, as far as it counts for whether two messages say the same.
///
/// A text is one piece of text. Of a piece of text or an image only the members that the protocol knows count; a piece of
/// another kind counts as it is.
package enum MessageContent {
    /// Whether two contents say the same, piece by piece, each text code point by code point.
    package static func isSame(_ one: JSONValue?, as other: JSONValue?) -> Bool {
        pieces(of: one) == pieces(of: other)
    }

    /// The text of a content: itself, or the texts of its text parts with nothing between them.
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
