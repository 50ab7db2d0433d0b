import HoldfastJSON
import HoldfastSchemaDiff

/// The rules in the prose of chapters: the terms they define, and the numbers of each section.
enum Passages {
    static func facts(of state: ProtocolState) -> [Fact] {
        state.texts(below: "chapters/", ".md").flatMap { path, text -> [Fact] in
            var facts: [Fact] = []
            func add(_ rule: FactRule, _ name: String, _ line: Int, _ numbers: [String], _ words: JSONValue) {
                facts.append(
                    Fact(
                        rule: rule, key: "\(path) \(name)", value: .array(numbers.sorted().map { .string($0) }),
                        words: words,
                        location: GateLocation(
                            file: path, pointer: JSONPointer(tokens: [rule.id, name]), line: line), subject: name))
            }
            var (heading, headingLine, numbers, isCode) = ("", 1, [String](), false)
            func endSection() {
                if !numbers.isEmpty { add(.sectionNumber, heading, headingLine, numbers, .null) }
                numbers = []
            }
            var paragraph: (line: Int, words: [Substring])?
            func endParagraph() {
                defer { paragraph = nil }
                guard let (line, words) = paragraph else { return }
                let text = words.joined(separator: " ")
                if let term = text.prefixMatch(of: /\*\*([^*]+)\.\*\*/) {
                    add(.definition, String(term.1), line, Self.numbers(text), .string(text))
                } else {
                    numbers += Self.numbers(text)
                }
            }
            for (index, line) in text.split(separator: "\n", omittingEmptySubsequences: false).enumerated() {
                if line.hasPrefix("```") { isCode.toggle() }
                let isProse = !isCode && !line.hasPrefix("```") && !line.hasPrefix("|") && !line.hasPrefix("#")
                let words = line.split(whereSeparator: \.isWhitespace)
                if !isProse || words.isEmpty { endParagraph() }
                if !isCode, line.hasPrefix("#") {
                    endSection()
                    (heading, headingLine) = (words.dropFirst().joined(separator: " "), index + 1)
                } else if isProse, !words.isEmpty {
                    paragraph = (paragraph?.line ?? index + 1, (paragraph?.words ?? []) + words)
                }
            }
            endParagraph()
            endSection()
            return facts
        }
    }

    /// The numbers in a text that count something, without those of clauses and chapters.
    static func numbers(_ text: String) -> [String] {
        text.replacing(/\[[^\]]*\]\([^)]*\)|[A-Z]+-[0-9]+|[Cc]hapter [0-9.]+/, with: "")
            .matches(of: /\b[0-9][0-9,]*(\.[0-9]+)?/).map { String($0.0) }
    }
}
