import Holdfast

/// The rules in the chapters of the specification, found by name.
struct Handbook {
    let specification: Specification

    private func chapter(_ name: String) -> Substring { specification.files.texts[name, default: ""][...] }

    func introduction(to area: Area) -> (title: String, text: String) {
        let lines = chapter("clauses/\(area.rawValue).md").split(separator: "\n", omittingEmptySubsequences: false)
        let title = lines.first?.split(separator: ":", maxSplits: 1).last.map { $0.dropFirst() } ?? ""
        let text = lines.dropFirst().prefix { !$0.hasPrefix("###") }.joined(separator: "\n")
        return (String(title), text)
    }

    var sheet: (title: String, text: Substring) {
        let text = chapter("chapters/00-on-one-sheet.md")
        let title = text.prefix { $0 != "\n" }
        return (String(title.drop { "# ".contains($0) }), text[title.endIndex...])
    }

    /// The terms of the protocol and of the suite, each with the paragraph that explains it.
    var terms: [(name: String, text: String)] {
        let paragraphs = ["chapters/02-terms.md", "glossary.md"].flatMap { chapter($0).split(separator: "\n\n") }
        return paragraphs.flatMap { paragraph -> [(String, String)] in
            guard paragraph.hasPrefix("**") else { return [] }
            let names = paragraph.split(separator: "**", omittingEmptySubsequences: false).enumerated()
                .filter { $0.offset % 2 == 1 }.map { $0.element.filter { !"`.".contains($0) } }
            return names.map { ($0, String(paragraph)) }
        }
    }

    /// The messages of chapter 5, each with its section.
    var messages: [(name: String, text: String)] {
        chapter("chapters/05-messages.md").split(separator: "\n##").compactMap { section in
            guard section.hasPrefix("# `"), let end = section.firstIndex(of: "\n") else { return nil }
            return (section[..<end].filter { !"# `".contains($0) }, String(section[end...]))
        }
    }

    /// The error codes of chapter 5 and the close codes of chapter 4, each with its row of the table.
    var codes: [(name: String, text: String)] {
        rows(of: "chapters/05-messages.md", headed: "| code |")
            + rows(of: "chapters/04-transport-and-handshake.md", headed: "| code |")
    }

    func requirement(_ name: String) -> (inShort: String, sources: String)? {
        let line = chapter("trace.md").split(separator: "\n").first { $0.hasPrefix("| \(name) |") }
        guard let cells = line.map(PlainMarkdown.cells), cells.count == 4 else { return nil }
        return (cells[3], cells[2])
    }

    private func rows(of file: String, headed start: String) -> [(name: String, text: String)] {
        let lines = chapter(file).split(separator: "\n", omittingEmptySubsequences: false)
        guard let head = lines.firstIndex(where: { $0.hasPrefix(start) }) else { return [] }
        let titles = PlainMarkdown.cells(lines[head])
        return lines[(head + 2)...].prefix { $0.hasPrefix("|") }.map { line in
            let cells = PlainMarkdown.cells(line)
            let text = zip(titles, cells).dropFirst().map { "\($0): \($1)" }.joined(separator: "\n\n")
            return ((cells.first ?? "").filter { $0 != "`" }, text)
        }
    }
}
