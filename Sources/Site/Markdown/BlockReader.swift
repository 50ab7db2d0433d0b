import Holdfast
import HoldfastBasics

struct BlockReader {
    private let file: String
    private let lines: [Substring]
    private var next = 0
    private var definitions: [String: String] = [:]
    private(set) var problems: [InputProblem] = []

    init(_ text: String, file: String) {
        self.file = file
        lines = text.split(separator: "\n", omittingEmptySubsequences: false)
    }

    mutating func read() -> [(line: Int, block: MarkdownBlock)] {
        var isCode = false
        for (index, line) in lines.enumerated() {
            if line.hasPrefix("```") { isCode.toggle() }
            guard !isCode, let (name, destination) = definition(in: line) else { continue }
            if definitions.updateValue(destination, forKey: name) != nil {
                note(index, "[\(name)] is defined twice", expected: "one definition", fix: "remove one")
            }
        }
        var blocks: [(line: Int, block: MarkdownBlock)] = []
        while next < lines.count {
            let line = lines[next]
            if line.allSatisfy(\.isWhitespace) || definition(in: line) != nil {
                next += 1
                continue
            }
            let first = next
            if let block = block(startingWith: line) { blocks.append((first + 1, block)) }
            // After an error, continue with the next line.
            if next == first { next += 1 }
        }
        return blocks
    }

    // MARK: Definitions

    private func definition(in line: Substring) -> (name: String, destination: String)? {
        guard line.hasPrefix("["), let end = line.firstIndex(of: "]") else { return nil }
        let rest = line[line.index(after: end)...]
        guard rest.hasPrefix(": ") else { return nil }
        return (String(line[line.index(after: line.startIndex)..<end]), String(rest.dropFirst(2)))
    }

    // MARK: Blocks

    private mutating func block(startingWith line: Substring) -> MarkdownBlock? {
        if line.hasPrefix("```") { return code() }
        if line.hasPrefix("#") { return heading() }
        if line.hasPrefix("|") { return table() }
        if isBullet(line) { return list(ordered: false) }
        if line.hasPrefix("1. ") { return list(ordered: true) }
        if line.hasPrefix(">") { return quote() }
        if let foreign = Self.foreign.first(where: { line.hasPrefix($0.start) }) {
            note(
                next, "\(foreign.what) is not in the Markdown subset used here",
                expected: "headings, paragraphs, fences of backticks, flat lists, quotations, tables and links",
                fix: "use one of these")
            return nil
        }
        return paragraph()
    }

    /// Line starts with a meaning in other Markdown dialects.
    private static let foreign: [(start: String, what: String)] = [
        (" ", "text that begins with a space"), ("\t", "text that begins with a space"), ("<", "HTML"),
        ("---", "a line across the page"), ("***", "a line across the page"), ("===", "a line across the page"),
        ("~~~", "a fence of tildes"),
    ]

    private func isBullet(_ line: Substring) -> Bool { line.hasPrefix("* ") || line.hasPrefix("- ") }

    /// Whether a line ends the previous paragraph.
    private func interrupts(_ line: Substring) -> Bool {
        line.allSatisfy(\.isWhitespace) || line.hasPrefix("#") || line.hasPrefix("```") || line.hasPrefix(">")
            || line.hasPrefix("|") || isBullet(line) || line.hasPrefix("1. ") || definition(in: line) != nil
    }

    private mutating func paragraph() -> MarkdownBlock {
        let first = next
        var parts: [String] = []
        while next < lines.count, next == first || !interrupts(lines[next]) {
            let line = lines[next]
            if line.hasSuffix("  ") || line.hasSuffix("\\") {
                note(next, "a line ends with a forced break", expected: "a sentence", fix: "begin a new paragraph")
            }
            if line.first == " " {
                note(next, "a line begins with a space", expected: "text at the margin", fix: "remove the space")
            }
            parts.append(String(line))
            next += 1
        }
        return .paragraph(inlines((parts.joined(separator: " "), first)))
    }

    private mutating func heading() -> MarkdownBlock? {
        let line = lines[next]
        let level = line.prefix { $0 == "#" }.count
        guard level <= 4, line.dropFirst(level).hasPrefix(" ") else {
            note(next, "'\(line)' is not a heading", expected: "one to four # and a space", fix: "correct it")
            return nil
        }
        next += 1
        return .heading(level: level, inlines((String(line.dropFirst(level + 1)), next - 1)))
    }

    private mutating func code() -> MarkdownBlock? {
        let first = next
        let language = lines[first].dropFirst(3)
        guard language.allSatisfy({ $0.isLetter || $0 == "-" }) else {
            note(first, "a fence is followed by '\(language)'", expected: "one word or nothing", fix: "correct it")
            return nil
        }
        guard let end = lines[(first + 1)...].firstIndex(where: { $0.hasPrefix("```") }) else {
            note(first, "a fence is not closed", expected: "``` below it", fix: "close it")
            return nil
        }
        if lines[end] != "```" {
            note(end, "a fence is closed by '\(lines[end])'", expected: "``` alone", fix: "correct it")
        }
        next = end + 1
        return .code(language: String(language), lines[(first + 1)..<end].joined(separator: "\n"))
    }

    private mutating func list(ordered: Bool) -> MarkdownBlock {
        var items: [[MarkdownInline]] = []
        while next < lines.count {
            let line = lines[next]
            let marker: Int
            if ordered {
                let expected = "\(items.count + 1). "
                guard line.hasPrefix(expected) else { break }
                marker = expected.count
            } else {
                guard isBullet(line) else { break }
                marker = 2
            }
            let first = next
            var parts = [String(line.dropFirst(marker))]
            next += 1
            while next < lines.count, lines[next].hasPrefix(String(repeating: " ", count: marker)) {
                let rest = lines[next].dropFirst(marker)
                if rest.first == " " || isBullet(rest) || rest.hasPrefix("```") {
                    note(
                        next, "a list item has more than one paragraph", expected: "one paragraph",
                        fix: "move it out of the list")
                }
                parts.append(String(rest))
                next += 1
            }
            items.append(inlines((parts.joined(separator: " "), first)))
        }
        if next < lines.count, !interrupts(lines[next]) {
            note(
                next, "the text after a list must be separated", expected: "an empty line, or an indented one",
                fix: "add one, or number the items from 1")
        }
        return .list(ordered: ordered, items)
    }

    private mutating func quote() -> MarkdownBlock {
        let first = next
        var parts: [String] = []
        while next < lines.count, lines[next].hasPrefix(">") {
            parts.append(String(lines[next].dropFirst().drop { $0 == " " }))
            next += 1
        }
        return .quote(inlines((parts.joined(separator: " "), first)))
    }

    private mutating func table() -> MarkdownBlock? {
        let first = next
        var rows: [[[MarkdownInline]]] = []
        var header: [[MarkdownInline]] = []
        while next < lines.count, lines[next].hasPrefix("|") {
            let cells = cells(of: lines[next], at: next)
            if next == first {
                header = cells.map { inlines(($0, first)) }
            } else if next == first + 1 {
                let isRule = cells.allSatisfy { $0.count >= 3 && $0.allSatisfy { $0 == "-" || $0 == ":" } }
                if !isRule || cells.count != header.count {
                    note(next, "a table has no line below its header", expected: "|---| for each cell", fix: "add it")
                }
            } else {
                if cells.count != header.count {
                    note(
                        next, "a row has \(cells.count) cells", expected: "\(header.count), as the header",
                        fix: "correct it; a bar inside a cell is written \\|")
                }
                rows.append(cells.map { inlines(($0, next)) })
            }
            next += 1
        }
        if next == first + 1 {
            note(first, "a table has a header only", expected: "rows", fix: "add them")
        }
        return .table(header: header, rows: rows)
    }

    private mutating func cells(of line: Substring, at index: Int) -> [String] {
        guard line.hasSuffix("|"), line.count > 1 else {
            note(index, "a row of a table does not end with a bar", expected: "| a | b |", fix: "close it")
            return []
        }
        var cells: [String] = []
        var cell = ""
        var isEscaped = false
        for character in line.dropFirst() {
            if isEscaped {
                cell += character == "|" ? "|" : "\\\(character)"
                isEscaped = false
            } else if character == "\\" {
                isEscaped = true
            } else if character == "|" {
                cells.append(String(cell.trimmed { $0 == " " }))
                cell = ""
            } else {
                cell.append(character)
            }
        }
        return cells
    }

    // MARK: Inlines

    private mutating func inlines(_ found: (text: String, line: Int)) -> [MarkdownInline] {
        var reader = InlineReader(found.text, definitions: definitions)
        let inlines = reader.read()
        for problem in reader.problems {
            note(found.line, problem.what, expected: problem.expected, fix: problem.fix)
        }
        return inlines
    }

    private mutating func note(_ index: Int, _ what: String, expected: String, fix: String) {
        problems.note("\(file):\(index + 1):1", what, expected: expected, fix: fix)
    }
}
