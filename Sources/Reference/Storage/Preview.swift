/// Shortens texts for lists and notices, always between characters as people see them.
enum Preview {
    /// The title of a session: the first line of its first question, at most 60 characters.
    static func title(of question: String) -> String {
        let limit = 60
        let line = question.drop { $0.isWhitespace }.prefix(limit + 1).prefix { !$0.isNewline }
        return cut(String(line), to: limit)
    }

    /// The beginning of a text; an ellipsis counts as one of the characters.
    static func cut(_ text: String, to limit: Int, ellipsis: String = "…") -> String {
        guard text.index(text.startIndex, offsetBy: limit + 1, limitedBy: text.endIndex) != nil else { return text }
        return text.prefix(limit - ellipsis.count) + ellipsis
    }
}
