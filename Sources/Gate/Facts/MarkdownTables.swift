import HoldfastBasics

struct MarkdownTable: Sendable, Equatable {
    struct Row: Sendable, Equatable {
        /// The cells, trimmed, in order.
        let cells: [String]
        /// The line, from 1.
        let line: Int

        /// The first cell without backticks.
        var name: String { (cells.first ?? "").filter { $0 != "`" } }
    }

    let header: [String]
    let rows: [Row]

    static func tables(in text: String) -> [MarkdownTable] {
        // Line ends, indentation and a missing last bar make no difference to readers.
        let lines = text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline).map {
            String($0.trimmed(\.isWhitespace))
        }
        var tables: [MarkdownTable] = []
        var index = 0
        while index + 1 < lines.count {
            guard let header = cells(of: lines[index]), isSeparator(lines[index + 1]) else {
                index += 1
                continue
            }
            var rows: [Row] = []
            index += 2
            while index < lines.count, let cells = cells(of: lines[index]) {
                rows.append(Row(cells: cells, line: index + 1))
                index += 1
            }
            tables.append(MarkdownTable(header: header, rows: rows))
        }
        return tables
    }

    private static func isSeparator(_ line: String) -> Bool {
        line.hasPrefix("|") && line.contains("-") && line.allSatisfy { "|-: ".contains($0) }
    }

    /// The cells of a line; an escaped bar, or one in code, belongs to its cell.
    private static func cells(of line: String) -> [String]? {
        guard line.hasPrefix("|") else { return nil }
        var cells: [String] = []
        var cell = ""
        var isEscaped = false
        var isCode = false
        for character in line.dropFirst() {
            if character == "|", !isEscaped, !isCode {
                cells.append(String(cell.trimmed(\.isWhitespace)))
                cell = ""
            } else {
                if character == "`", !isEscaped { isCode.toggle() }
                cell.append(character)
            }
            isEscaped = character == "\\" && !isEscaped
        }
        if !cell.allSatisfy(\.isWhitespace) { cells.append(String(cell.trimmed(\.isWhitespace))) }
        return cells
    }
}
