/// A command line split as a shell does it: quotes and backslashes, and nothing else.
///
/// For variables, pipes and patterns, the user can start a shell with `sh -c '…'`.
package struct ShellWords {
    package let words: [String]

    package enum Problem: Error, Equatable {
        case unfinishedQuote(Character)
        case unfinishedBackslash
    }

    package init(_ line: String) throws(Problem) {
        var words: [String] = []
        var word: String?
        var quote: Character?
        var rest = line[...]
        while let character = rest.popFirst() {
            switch (character, quote) {
            case ("'", "'"), ("\"", "\""): quote = nil
            case (_, "'"): word = (word ?? "") + String(character)
            case ("\\", "\""):
                guard let next = rest.popFirst() else { throw .unfinishedQuote("\"") }
                // Within quotes, a backslash escapes only characters that would end or change them (POSIX, 2.2.3).
                word = (word ?? "") + ("\"\\$`".contains(next) ? String(next) : "\\\(next)")
            case (_, "\""): word = (word ?? "") + String(character)
            case ("'", _), ("\"", _):
                quote = character
                word = word ?? ""
            case ("\\", _):
                guard let next = rest.popFirst() else { throw .unfinishedBackslash }
                word = (word ?? "") + String(next)
            case (_, _) where character.isWhitespace:
                if let done = word { words.append(done) }
                word = nil
            default: word = (word ?? "") + String(character)
            }
        }
        if let quote { throw .unfinishedQuote(quote) }
        if let done = word { words.append(done) }
        self.words = words
    }

    /// Whether a text is the name of a variable of the environment.
    static func isVariable(_ name: some StringProtocol) -> Bool {
        name.first?.isNumber == false
            && name.allSatisfy { $0 == "_" || $0.isASCII && ($0.isLetter || $0.isNumber) }
    }

    package static func quoted(_ word: String) -> String {
        let isPlain =
            !word.isEmpty && word.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber || "_-./:=@%+,".contains($0)) }
        return isPlain
            ? word : "'\(word.split(separator: "'", omittingEmptySubsequences: false).joined(separator: "'\\''"))'"
    }
}
