/// A command line taken apart as a shell does it: quotes and backslashes, and nothing else.
///
/// Variables, pipes and patterns are left to those who start a shell themselves, with `sh -c '…'`.
package struct ShellWords {
    /// The program and its arguments.
    package let words: [String]

    /// Why a line cannot be taken apart.
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
                // Within quotes a backslash protects only what would end or change them (POSIX, 2.2.3).
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

    /// A word as it is written for a shell.
    package static func quoted(_ word: String) -> String {
        let isPlain =
            !word.isEmpty && word.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber || "_-./:=@%+,".contains($0)) }
        return isPlain
            ? word : "'\(word.split(separator: "'", omittingEmptySubsequences: false).joined(separator: "'\\''"))'"
    }
}
