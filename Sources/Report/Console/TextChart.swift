import HoldfastBasics

/// A sequence chart in characters: time, a column for each participant, and labels on the right.
///
/// A cited row is marked `>>` with its clause, and rows that lead to it `>`. Unimportant rows in between are one line.
/// Color is never the only sign.
package struct TextChart {
    /// A row to draw, or the number of omitted ones.
    enum Line: Equatable {
        case row(Int)
        case gap(Int)
    }

    private let chart: SequenceChart
    private let style: ConsoleStyle
    private let width: Int
    private let ink: Ink

    /// Draws a chart within the style's width.
    ///
    /// * `indent`: Empty columns on the left.
    package init(_ chart: SequenceChart, style: ConsoleStyle, indent: Int = 0) {
        self.chart = chart
        self.style = style
        width = max(Self.minLabel, style.width - indent)
        ink = style.hasUnicode ? .unicode : .ascii
    }

    /// The whole chart; rows beyond `limit` are omitted in the middle.
    package func lines(limit: Int = 40) -> [String] {
        let count = chart.rows.count
        guard count > limit else { return draw(chart.rows.indices.map(Line.row)) }
        let half = limit / 2
        return draw(
            (0..<half).map(Line.row) + [.gap(count - 2 * half)] + ((count - half)..<count).map(Line.row))
    }

    /// The cited rows with their neighbors, the rows that lead to them, and the beginning.
    package func excerpt(before: Int = 4, after: Int = 2) -> [String] { draw(excerpted(before: before, after: after)) }

    // MARK: what is shown

    /// The minimum number of rows to omit.
    private static let minGap = 4
    /// The maximum number of rows that lead to a cited one; only the last of them are shown.
    private static let maxLeading = 6
    /// The maximum number of cited rows; only the first of them are shown.
    private static let maxCited = 3

    func excerpted(before: Int, after: Int) -> [Line] {
        let rows = chart.rows
        var shown: Set<Int> = rows.isEmpty ? [] : [0]
        let cited = rows.indices.filter { rows[$0].isCited }.prefix(Self.maxCited)
        let leading = rows.indices.filter { !rows[$0].marks.isEmpty && !rows[$0].isCited }
        shown.formUnion(leading.suffix(Self.maxLeading))
        // Without cited rows, the end is the evidence.
        for index in cited.isEmpty && leading.isEmpty ? [rows.count - 1] : Array(cited) where index >= 0 {
            let near = start(before, before: index)...min(rows.count - 1, index + after)
            shown.formUnion(near.filter { $0 == index || !rows[$0].isRoutine })
            if rows[index].isCited { shown.formUnion(chart.sameLane(as: index, limit: before)) }
        }
        var lines: [Line] = []
        var next = 0
        for index in shown.sorted() {
            lines += between(next, index) + [.row(index)]
            next = index + 1
        }
        return lines + between(next, rows.count)
    }

    /// The index of the row `count` rows earlier; a handshake counts as one, a heartbeat as none.
    private func start(_ count: Int, before index: Int) -> Int {
        let starts = (0..<index).reversed().lazy.filter { row in
            !chart.rows[row].isRoutine
                && (chart.rows[row].kind != .open || row == 0 || chart.rows[row - 1].kind != .open)
        }
        return starts.prefix(count).last ?? 0
    }

    /// The rows themselves if they are few, else their number.
    private func between(_ start: Int, _ end: Int) -> [Line] {
        end - start >= Self.minGap ? [.gap(end - start)] : (start..<end).map(Line.row)
    }

    // MARK: drawing

    private static let minLabel = 22
    private static let widestLane = 9
    private static let narrowestLane = 3
    private static let maxLabelLines = 3

    private func draw(_ lines: [Line]) -> [String] {
        guard !chart.participants.isEmpty else { return [] }
        let times = lines.map { line in
            if case .row(let index) = line { chart.rows[index].time } else { "" }
        }
        let timeWidth = times.map(TextWidth.columns).max() ?? 0
        let laneWidth = laneWidth(beside: timeWidth)
        let page = Page(
            timeWidth: timeWidth, laneWidth: laneWidth ?? 0,
            laneCount: laneWidth == nil ? 0 : chart.participants.count, width: width)
        var drawn = page.laneCount > 0 ? heading(page) : []
        for (line, time) in zip(lines, times) {
            switch line {
            case .gap(let count):
                let lanes = page.lanes(ink.gap)
                drawn.append(style.dim(page.line("", "", lanes, "\(readable(count)) rows")))
            case .row(let index): drawn += draw(chart.rows[index], time, page)
            }
        }
        return drawn
    }

    /// The width of each lane; nil if there is no room for lanes.
    private func laneWidth(beside timeWidth: Int) -> Int? {
        let longest = chart.participants.map { TextWidth.columns($0.name) }.max() ?? 0
        let wanted = min(max(longest + 2, 7), Self.widestLane)
        let room = width - Page.gutter - timeWidth - 2 * Page.space.count
        let count = chart.participants.count
        let laneWidth = max(Self.narrowestLane, min(wanted, (room - Self.minLabel) / count))
        return room - laneWidth * count >= Self.minLabel * 2 / 3 ? laneWidth : nil
    }

    /// The column headings; written out above if a column is too narrow.
    private func heading(_ page: Page) -> [String] {
        let all = chart.participants.map(\.name)
        // The last heading has no neighbor on the right.
        let rooms = all.indices.map { $0 == all.count - 1 ? page.laneWidth : page.laneWidth - 1 }
        let isCut = zip(all, rooms).contains { TextWidth.columns($0) > $1 }
        let words = isCut ? [TextWidth.cut("   columns: \(all.joined(separator: ", "))", to: width, mark: ink.cut)] : []
        let names = zip(all, rooms).map { name, room in
            let name = TextWidth.cut(name, to: room, mark: "")
            let before = max(0, page.laneWidth / 2 - TextWidth.columns(name) / 2)
            return padded(String(repeating: " ", count: before) + name, page.laneWidth)
        }.joined()
        return (words + [page.line("", "", names, "")]).map(style.dim)
    }

    private func draw(_ row: SequenceChart.Row, _ time: String, _ page: Page) -> [String] {
        let mark = row.isCited ? ">>" : row.marks.isEmpty ? "" : ">"
        let label = (page.laneCount > 0 ? "" : direction(row)) + style.spelled(row.label)
        let cited = row.marks.filter(\.isCited).map { $0.clause?.description ?? "here" }.joined(separator: ", ")
        let room = page.labelWidth
        var pieces = [TextWidth.cut(label, to: room, mark: ink.cut)]
        if row.isCited {
            pieces = Self.wrapped(label, to: room, limit: Self.maxLabelLines, mark: ink.cut)
            let (last, name) = (pieces.last ?? "", "<< \(cited)")
            if !pieces.isEmpty, TextWidth.columns(last) + 2 + name.count <= room {
                pieces[pieces.count - 1] = "\(last)  \(name)"
            } else {
                pieces.append(TextWidth.cut(name, to: room, mark: ink.cut))
            }
        }
        return pieces.enumerated().map { number, piece in
            let lanes = number == 0 ? self.lanes(row, page) : page.lanes(ink.lane)
            let line = page.line(number == 0 ? mark : "", number == 0 ? time : "", lanes, piece)
            return row.isCited ? style.red(line) : row.marks.isEmpty ? line : style.bold(line)
        }
    }

    /// The direction in words, if there is no room for lanes.
    private func direction(_ row: SequenceChart.Row) -> String {
        switch row.location {
        case .pause: ""
        case .note(let index): chart.participants[index].name + ": "
        case .message(let from, let to): "\(chart.participants[from].name)>\(chart.participants[to].name): "
        }
    }

    private func lanes(_ row: SequenceChart.Row, _ page: Page) -> String {
        guard page.laneCount > 0 else { return "" }
        switch row.location {
        case .pause: return page.lanes(ink.gap)
        case .note(let index):
            var cells = Array(page.lanes(ink.lane))
            cells[page.middle(index)] = ink.note(row.kind)
            return String(cells)
        case .message(let from, let to):
            var cells = Array(page.lanes(ink.lane))
            let (start, end) = (page.middle(from), page.middle(to))
            guard start != end else { return String(cells) }
            let isRight = end > start
            let stroke = row.kind == .heartbeat ? ink.faint : row.isCited ? ink.strong : ink.stroke
            for column in (min(start, end) + 1)..<max(start, end) {
                cells[column] = cells[column] == ink.lane ? ink.crossing : stroke
            }
            if row.kind == .end { cells[(start + end) / 2] = ink.note(.end) }
            cells[isRight ? end - 1 : end + 1] = isRight ? ink.right : ink.left
            return String(cells)
        }
    }

    /// Breaks at spaces, and inside words that are wider than a line.
    static func wrapped(_ text: String, to room: Int, limit: Int, mark: String) -> [String] {
        var lines: [String] = []
        var line = ""
        for word in text.split(separator: " ", omittingEmptySubsequences: false) {
            var rest = String(word)
            if !line.isEmpty, TextWidth.columns(line) + 1 + TextWidth.columns(rest) > room {
                lines.append(line)
                line = ""
            }
            while TextWidth.columns(rest) > room {
                let start = TextWidth.cut(rest, to: room, mark: "")
                guard !start.isEmpty else { break }
                lines.append(start)
                rest.removeFirst(start.count)
            }
            line += (line.isEmpty ? "" : " ") + rest
        }
        if !line.isEmpty { lines.append(line) }
        guard lines.count > limit else { return lines }
        return lines.prefix(limit - 1) + [TextWidth.cut(lines[limit - 1], to: room - 1, mark: "") + mark]
    }
}

private struct Page {
    static let gutter = 3
    static let space = "  "

    let timeWidth: Int
    let laneWidth: Int
    let laneCount: Int
    let width: Int

    /// The columns left for labels.
    var labelWidth: Int {
        max(8, width - Self.gutter - timeWidth - between.count - laneWidth * laneCount - Self.space.count)
    }

    private var between: String { laneCount > 0 ? Self.space : "" }

    func middle(_ index: Int) -> Int { index * laneWidth + laneWidth / 2 }

    func lanes(_ mark: Character) -> String {
        var cells = [Character](repeating: " ", count: laneWidth * laneCount)
        for index in 0..<laneCount { cells[middle(index)] = mark }
        return String(cells)
    }

    func line(_ mark: String, _ time: String, _ lanes: String, _ label: String) -> String {
        var line = padded(mark, Self.gutter) + aligned(time, timeWidth) + between + lanes + Self.space + label
        while line.last == " " { line.removeLast() }
        return line
    }
}

private struct Ink {
    let lane, gap, stroke, strong, faint, crossing, left, right: Character
    let cut: String
    let notes: [SequenceChart.Row.Kind: Character]

    func note(_ kind: SequenceChart.Row.Kind) -> Character { notes[kind] ?? "*" }

    static let unicode = Ink(
        lane: "│", gap: "┊", stroke: "─", strong: "━", faint: "╌", crossing: "┼", left: "◀", right: "▶", cut: "…",
        notes: [.end: "×", .act: "●", .state: "○"])
    static let ascii = Ink(
        lane: "|", gap: ":", stroke: "-", strong: "=", faint: ".", crossing: "+", left: "<", right: ">", cut: "~",
        notes: [.end: "x", .act: "*", .state: "o"])
}
