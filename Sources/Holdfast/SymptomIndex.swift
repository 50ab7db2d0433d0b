import HoldfastBasics

/// The ways from what a person sees to the clauses: the entries of `symptoms.md`.
package struct SymptomIndex: Sendable {
    /// One symptom, or one word of a report.
    package struct Entry: Sendable, Equatable {
        /// What a person sees.
        package let title: String
        /// What it comes from, as Markdown.
        package let text: String
        /// What else people call it.
        package let words: [String]
        /// The clauses that speak of it, as they are written.
        package let clauses: [String]
        /// The scenarios that show it.
        package let scenarios: [String]
        /// The file to read, below `Spec/`, with its title.
        package let page: (title: String, file: String)

        package static func == (one: Entry, other: Entry) -> Bool { one.title == other.title }

        /// The anchor of its heading.
        package var anchor: String {
            String(title.lowercased().filter { $0.isLetter || $0.isNumber || $0 == " " || $0 == "-" })
                .replacing(" ", with: "-")
        }
    }

    /// The file of `Spec/` that holds the entries.
    package static let file = "symptoms.md"

    /// Every entry, in the order of the file.
    package let entries: [Entry]

    package init(_ files: SpecificationFiles) {
        let sections = files.texts[Self.file, default: ""].split(separator: "\n## ").dropFirst()
        entries = sections.map { Self.entry(String($0)) }
    }

    /// The entries that are called by a word or a sentence: exactly so, else by the longest and most of its words; where no
    /// entry is, those whose title holds it.
    package func entries(for topic: String) -> [Entry] {
        let asked = Self.stems(topic)
        guard !asked.isEmpty else { return [] }
        let names = entries.map { entry in ([entry.title] + entry.words).map(Self.stems) }
        let exact = zip(entries, names).filter { $0.1.contains(asked) }.map(\.0)
        guard exact.isEmpty else { return exact }
        // A phrase tells more than its words one by one.
        let scores = names.map { phrases in
            Set(phrases).filter { !$0.isEmpty && $0.allSatisfy(asked.contains) }.reduce(0) { $0 + $1.count * $1.count }
        }
        let most = scores.max() ?? 0
        if most > 0 { return zip(entries, scores).filter { $0.1 == most }.map(\.0) }
        let whole = topic.lowercased()
        return whole.count > 3 ? entries.filter { $0.title.lowercased().contains(whole) } : []
    }

    /// The entries whose names look most like a word or a sentence that leads to none, each with that name.
    package func nearest(to topic: String, most: Int = 3) -> [(name: String, entry: Entry)] {
        let pairs = Self.pairs(topic)
        let rated = entries.compactMap { entry in
            entry.words.map { (name: $0, likeness: Self.likeness(pairs, Self.pairs($0))) }
                .max { $0.likeness < $1.likeness }.map { ($0, entry) }
        }
        return rated.enumerated().sorted { one, other in
            (-one.element.0.likeness, one.offset) < (-other.element.0.likeness, other.offset)
        }.prefix(most).map { ($0.element.0.name, $0.element.1) }
    }

    /// The words that tell something, without their endings.
    private static func stems(_ text: String) -> [String] {
        let words = text.lowercased().split { !$0.isLetter && !$0.isNumber && !"-_.'".contains($0) }
        return words.map { $0.trimmed { ".'".contains($0) } }.filter { !idle.contains(String($0)) && !$0.isEmpty }.map(
            stem)
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
        // `dropped`, `sending` and `stopped` double what they end with.
        if stem.count > 3, stem.count < word.count, stem.last == stem.dropLast().last, !"sl".contains(stem.last ?? "s")
        {
            stem = stem.dropLast()
        }
        return String(stem)
    }

    private static let idle: Set<String> = [
        "the", "a", "an", "is", "are", "was", "were", "be", "been", "of", "in", "on", "to", "and", "or", "my", "i",
        "it", "its", "with", "for", "at", "by", "from", "this", "that", "when", "has", "have", "we", "our", "me", "you",
        "your",
    ]

    private static func pairs(_ text: String) -> Set<String> {
        let letters = Array(" " + text.lowercased() + " ")
        return Set(zip(letters, letters.dropFirst()).map { String([$0, $1]) })
    }

    /// How many pairs of letters two names share, of all that they have.
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
            scenarios: list("Scenarios"), page: (link.first ?? "", link.last ?? ""))
    }
}
