import HoldfastBasics
import HoldfastReport

/// The prose of the specification for a terminal: links as their text, tables as lines, and no marks of emphasis.
struct PlainMarkdown {
    let style: ConsoleStyle

    func text(_ markdown: some StringProtocol, indent: Int = 0) -> String {
        var blocks: [String] = []
        var paragraph: [Substring] = []
        func end() {
            if !paragraph.isEmpty {
                blocks.append(style.wrapped(plain(paragraph.joined(separator: " ")), indent: indent))
            }
            paragraph = []
        }
        var rows: [[String]] = []
        for line in markdown.split(separator: "\n", omittingEmptySubsequences: false).map({ Substring($0) }) {
            if line.hasPrefix("|") {
                end()
                let cells = Self.cells(line)
                if !cells.allSatisfy({ $0.allSatisfy { "-: ".contains($0) } }) { rows.append(cells) }
                continue
            }
            if !rows.isEmpty {
                blocks.append(table(rows, indent))
                rows = []
            }
            if line.isEmpty { end() } else { paragraph.append(line) }
        }
        end()
        if !rows.isEmpty { blocks.append(table(rows, indent)) }
        return blocks.joined(separator: "\n\n")
    }

    static func cells(_ line: some StringProtocol) -> [String] {
        line.split(separator: "|", omittingEmptySubsequences: false).dropFirst().dropLast()
            .map { cell in String(cell.trimmed { $0 == " " }) }
    }

    /// A line for each row but the heading: its first cell, then the others.
    private func table(_ rows: [[String]], _ indent: Int) -> String {
        let width = min(24, rows.dropFirst().map { plain($0.first ?? "").count }.max() ?? 0)
        return rows.dropFirst().map { cells in
            let start = padded(plain(cells.first ?? ""), width) + "  "
            let rest = cells.dropFirst().map(plain).filter { !$0.isEmpty }.joined(separator: " · ")
            return style.wrapped(start + rest, indent: indent, hanging: width + 2, keepingSpaces: width + 2)
        }.joined(separator: "\n")
    }

    /// A line without marks of emphasis and addresses of links.
    func plain(_ text: String) -> String {
        var plain = ""
        var rest = text[...]
        while let character = rest.popFirst() {
            switch character {
            case "*": continue
            case "[":
                guard let end = rest.firstIndex(of: "]") else {
                    plain.append(character)
                    continue
                }
                let name = rest[..<end]
                var after = rest[rest.index(after: end)...]
                if after.hasPrefix("("), let close = after.firstIndex(of: ")") {
                    after = after[after.index(after: close)...]
                    plain += name
                    rest = after
                } else if name.allSatisfy({ $0.isLetter || $0.isNumber || $0 == "-" }), !name.isEmpty {
                    plain += name
                    rest = after
                } else {
                    plain.append(character)
                }
            default: plain.append(character)
            }
        }
        return plain
    }
}
