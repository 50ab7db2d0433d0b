import Holdfast
import HoldfastBasics
import HoldfastJudge
import HoldfastTranscript

/// A chart as a list of rows over lifelines; each row expands to its verbatim events.
///
/// Positions are classes, because the page's policy forbids inline styles.
struct HTMLChart {
    /// The maximum number of columns; further ones share the last one.
    static let maxColumns = 48

    let chart: SequenceChart
    let outcomes: [ClauseID: Outcome]

    var columns: Int { min(max(1, chart.participants.count), Self.maxColumns) }

    /// All rows; quiet runs expand on demand, and rows beyond `rowsLeft` are only counted.
    func whole(name: String, _ rowsLeft: inout Int) -> Markup {
        let parts = chart.folded()
        rowsLeft -= parts.count
        let rows = parts.map { part -> Markup in
            switch part {
            case .row(let index): return row(chart.rows[index])
            case .fold(let fold):
                let shown = max(0, min(fold.rows.count, rowsLeft))
                rowsLeft -= shown
                let left = fold.rows.count - shown
                let rest: Markup =
                    left > 0 ? "<li class=\"gap\">\(counted(left, "row")) more: see report.json</li>" : ""
                return """
                    <li class="fold"><details><summary>\(fold.summary)</summary><ol>\
                    \(fold.rows.prefix(shown).map { row(chart.rows[$0]) })\(rest)</ol></details></li>
                    """
            }
        }
        return figure(Markup.joined(rows, by: "\n"), name: name)
    }

    /// The rows around the marks; quiet runs link to the whole chart.
    func excerpt(name: String, link: String) -> Markup {
        let rows = chart.folded(ends: 0).map { part -> Markup in
            switch part {
            case .row(let index): return row(chart.rows[index], isOpen: isShort(chart.rows[index]))
            case .fold(let fold):
                let isLast = fold.rows.upperBound == chart.rows.count
                let word = fold.rows.lowerBound == 0 ? "before" : isLast ? "after" : "between"
                return "<li class=\"gap\"><a href=\"#\(link)\">\(counted(fold.rows.count, "row")) \(word)</a></li>"
            }
        }
        return figure(Markup.joined(rows, by: "\n"), name: name)
    }

    private func figure(_ rows: Markup, name: String) -> Markup {
        let heads = chart.participants.prefix(columns).map { "<span>\($0.name)</span>" as Markup }
        let names = chart.participants.map { "\($0.name), \($0.meaning)" }.joined(separator: "; ")
        return """
            <figure class="chart n\(columns)" aria-label="Message-sequence chart of \(name)">
            <figcaption class="hidden">Columns: \(names).</figcaption>
            <div class="heads" aria-hidden="true"><b>ms</b>\(heads)</div>
            <ol class="rows">
            \(rows)
            </ol></figure>
            """
    }

    /// Whether a row is cited and its text is short enough to show at once.
    private func isShort(_ row: SequenceChart.Row) -> Bool {
        row.isCited && row.verbatim.reduce(0) { $0 + $1.text.utf8.count } <= 900
            && row.verbatim.allSatisfy { $0.text != row.label }
    }

    private func row(_ row: SequenceChart.Row, isOpen: Bool = false) -> Markup {
        let details: Markup = isOpen ? "<details open>" : "<details>"
        var classes = [Self.letter(of: row.kind)]
        var words = ""
        let name = { (index: Int) in chart.participants.indices.contains(index) ? chart.participants[index].name : "" }
        let column = { (index: Int) in min(index, columns - 1) }
        switch row.location {
        case .message(let from, let to):
            classes += [from < to ? "r" : "l", "a\(column(min(from, to)))", "b\(column(max(from, to)))"]
            words = "\(name(from)) to \(name(to)): "
        case .note(let index):
            classes += ["p", "a\(column(index))"]
            words = "\(name(index)): "
        case .pause: classes.append("z")
        }
        if row.isCited {
            let isViolated = row.marks.contains { mark in
                mark.isCited && mark.clause.map { [.violation, nil].contains(outcomes[$0]) } ?? false
            }
            classes += isViolated ? ["cited"] : ["cited", "soft"]
        } else if !row.marks.isEmpty {
            classes.append("near")
        }
        let head: Markup =
            "<b>\(row.at.map { readable($0 / 1000) } ?? "")</b><i>\(words)</i><code>\(content: row.label)</code>\(row.marks.map(mark))"
        let start: Markup = "<li class=\"\(classes.joined(separator: " "))\">"
        if row.verbatim.allSatisfy(\.text.isEmpty) { return "\(start)<div class=\"s\">\(head)</div></li>" }
        if row.verbatim.count == 1, case .message = row.location, let only = row.verbatim.first, !only.isCut {
            // The arrow already shows the sender.
            return
                "\(start)\(details)<summary class=\"s\">\(head)</summary><pre>\(content: only.text)</pre></details></li>"
        }
        return "\(start)\(details)<summary class=\"s\">\(head)</summary>\(row.verbatim.map(verbatim))</details></li>"
    }

    private func mark(_ mark: SequenceChart.Mark) -> Markup {
        guard let clause = mark.clause else {
            return mark.isCited ? "<strong class=\"soft\">see here</strong>" : "<em>related</em>"
        }
        guard mark.isCited else { return "<em>part of the evidence for \(clause.description)</em>" }
        switch outcomes[clause] {
        case .violation, nil: return "<strong>✕ \(clause.description) is violated here</strong>"
        case .warning: return "<strong class=\"soft\">! \(clause.description) is ignored here</strong>"
        default: return "<strong class=\"soft\">? \(clause.description) is inconclusive here</strong>"
        }
    }

    private func verbatim(_ verbatim: SequenceChart.Verbatim) -> Markup {
        let size =
            verbatim.isCut
            ? ", cut: \(readable(verbatim.text.unicodeScalars.count)) characters of \(counted(verbatim.bytes, "byte"))"
            : ""
        guard !verbatim.text.isEmpty else { return "<p>\(verbatim.title)</p>" }
        return "<p>\(verbatim.title)\(size)</p><pre>\(content: verbatim.text)\(verbatim.isCut ? "…" : "")</pre>"
    }

    private static func letter(of kind: SequenceChart.Row.Kind) -> String {
        switch kind {
        case .message: "m"
        case .heartbeat: "h"
        case .open: "o"
        case .end: "e"
        case .act: "c"
        case .state: "t"
        case .wait: "w"
        }
    }
}
