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

    /// The entries that are called by a word or a sentence; where none is, those whose title or words hold it, and then those
    /// that are called by most words of the sentence.
    package func entries(for topic: String) -> [Entry] {
        let words = topic.lowercased().split { !$0.isLetter && !$0.isNumber && !"-_.".contains($0) }
        let topic = words.joined(separator: " ")
        let exact = entries.filter { $0.title.lowercased() == topic || $0.words.contains { $0.lowercased() == topic } }
        guard exact.isEmpty, topic.count > 3 else { return exact }
        let holding = entries.filter { entry in
            ([entry.title] + entry.words).contains { $0.lowercased().contains(topic) }
        }
        guard holding.isEmpty, words.count > 1 else { return holding }
        let counts = entries.map { entry in
            words.count { word in entry.words.contains { $0.lowercased() == word } }
        }
        let most = counts.max() ?? 0
        return most > 0 ? zip(entries, counts).filter { $0.1 == most }.map(\.0) : []
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
