import HoldfastBasics

/// The entries of `symptoms.md`, which lead from symptoms to clauses.
package struct SymptomIndex: Sendable {
    /// One symptom, or one term of a report.
    package struct Entry: Sendable {
        package let title: String
        /// The cause, as Markdown.
        package let text: String
        /// Synonyms.
        package let words: [String]
        /// The clauses about it, as written.
        package let clauses: [String]
        /// The file to read, below `Spec/`, with its title.
        package let page: (title: String, file: String)

        package var anchor: String {
            String(title.lowercased().filter { $0.isLetter || $0.isNumber || $0 == " " || $0 == "-" })
                .replacing(" ", with: "-")
        }
    }

    package static let file = "symptoms.md"

    package let entries: [Entry]

    package init(_ files: SpecificationFiles) {
        let sections = files.texts[Self.file, default: ""].split(separator: "\n## ").dropFirst()
        entries = sections.map { Self.entry(String($0)) }
    }

    /// The entries for a word or a sentence: an exact name, else the best match by its words; if there is none, the
    /// entries whose title contains it.
    package func entries(for topic: String) -> [Entry] {
        let wanted = Self.stems(topic)
        guard !wanted.isEmpty else { return [] }
        let names = entries.map { entry in ([entry.title] + entry.words).map(Self.stems) }
        let exact = zip(entries, names).filter { $0.1.contains(wanted) }.map(\.0)
        guard exact.isEmpty else { return exact }
        // A phrase is more specific than its words.
        let scores = names.map { phrases in
            Set(phrases).filter { !$0.isEmpty && $0.allSatisfy(wanted.contains) }.reduce(0) { $0 + $1.count * $1.count }
        }
        let most = scores.max() ?? 0
        if most > 0 { return zip(entries, scores).filter { $0.1 == most }.map(\.0) }
        let whole = topic.lowercased()
        return whole.count > 3 ? entries.filter { $0.title.lowercased().contains(whole) } : []
    }

    /// The entries with names most similar to an unknown topic, each with that name.
    package func nearest(to topic: String, limit: Int = 3) -> [(name: String, entry: Entry)] {
        let pairs = Self.pairs(topic)
        let rated = entries.compactMap { entry in
            entry.words.map { (name: $0, likeness: Self.likeness(pairs, Self.pairs($0))) }
                .max { $0.likeness < $1.likeness }.map { ($0, entry) }
        }
        return rated.enumerated().sorted { one, other in
            (-one.element.0.likeness, one.offset) < (-other.element.0.likeness, other.offset)
        }.prefix(limit).map { ($0.element.0.name, $0.element.1) }
    }

    /// The significant words, as stems.
    private static func stems(_ text: String) -> [String] {
        let words = text.lowercased().split { !$0.isLetter && !$0.isNumber && !"-_.'".contains($0) }
        return words.map { $0.trimmed { ".'".contains($0) } }
            .filter { !stopWords.contains(String($0)) && !$0.isEmpty }.map(stem)
    }

    private static func stem(_ word: Substring) -> String {
        guard word.allSatisfy(\.isLetter) else { return String(word) }
        var stem = word
        for ending in ["ing", "ed", "es", "s"] where stem.hasSuffix(ending) && stem.count - ending.count > 2 {
            if ending == "s", stem.hasSuffix("ss") { continue }
            stem = stem.dropLast(ending.count)
            break
        }
        if stem.count > 3, stem.last == "e" { stem = stem.dropLast() }
        // `dropped` and `stopped` double the last letter of the stem.
        if stem.count > 3, stem.count < word.count, stem.last == stem.dropLast().last, !"sl".contains(stem.last ?? "s")
        {
            stem = stem.dropLast()
        }
        return String(stem)
    }

    private static let stopWords: Set<String> = [
        "the", "a", "an", "is", "are", "was", "were", "be", "been", "of", "in", "on", "to", "and", "or", "my", "i",
        "it", "its", "with", "for", "at", "by", "from", "this", "that", "when", "has", "have", "we", "our", "me", "you",
        "your",
    ]

    private static func pairs(_ text: String) -> Set<String> {
        let letters = Array(" " + text.lowercased() + " ")
        return Set(zip(letters, letters.dropFirst()).map { String([$0, $1]) })
    }

    /// The share of letter pairs that two names have in common.
    private static func likeness(_ one: Set<String>, _ other: Set<String>) -> Double {
        2 * Double(one.intersection(other).count) / Double(max(1, one.count + other.count))
    }

    private static func entry(_ section: String) -> Entry {
        let lines = section.split(separator: "\n", omittingEmptySubsequences: false)
        var prose: [Substring] = []
        var fields: [String] = []
        for line in lines.dropFirst() {
            if line.hasPrefix("* ") {
                fields.append(String(line.dropFirst(2)))
            } else if line.hasPrefix("  "), !fields.isEmpty {
                fields[fields.count - 1] += " " + line.drop { $0 == " " }
            } else if fields.isEmpty {
                prose.append(line)
            }
        }
        func field(_ name: String) -> String {
            fields.first { $0.hasPrefix("\(name): ") }.map { String($0.dropFirst(name.count + 2)) } ?? ""
        }
        func list(_ name: String) -> [String] {
            field(name).filter { $0 != "`" }.split(separator: ",").map { String($0.drop { $0 == " " }) }
        }
        // `[10. Flows](chapters/10-flows.md)`
        let link = field("Read").split { "[]()".contains($0) }.map(String.init)
        return Entry(
            title: String(lines.first ?? ""),
            text: prose.joined(separator: "\n"), words: list("Also called"), clauses: list("Clauses"),
            page: (link.first ?? "", link.last ?? ""))
    }
}
