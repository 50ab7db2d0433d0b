import Holdfast
import HoldfastBasics
import HoldfastJudge

/// The report as a CI step summary: the verdict, unexpected violations with folded frames, then tables.
struct MarkdownReport {
    let report: RunReport

    /// GitHub's limits are 65,536 characters for a comment and a mebibyte for a step summary.
    private static let maxBytes = 60_000
    private static let maxRows = 50

    var text: String {
        let cases = ReportCases(report).all
        let wrong = cases.filter(\.isWrong)
        let tail = [expected(cases), areas, gaps].compactMap(\.self)
        var parts = ["**\(inline(report.headline))**", subject]
        if let table = table(wrong, cases.filter { $0.head != nil }) { parts.append(table) }
        var bytesLeft = Self.maxBytes - (parts + tail).reduce(0) { $0 + $1.utf8.count + 2 } - 200
        var omitted = 0
        for one in wrong where !one.details.isEmpty {
            let folded = folded(one)
            if omitted == 0, folded.utf8.count + 2 <= bytesLeft {
                bytesLeft -= folded.utf8.count + 2
                parts.append(folded)
            } else {
                omitted += 1
            }
        }
        if omitted > 0 { parts.append("And \(omitted) more in detail: see the console report, or report.json.") }
        return (parts + tail).joined(separator: "\n\n") + "\n"
    }

    private var subject: String {
        let profiles = report.subject.profileNames
        let performed = report.scenarios.count { $0.skipped == nil }
        return
            "\(inline(report.subject.name)) at \(code(report.address)), specification \(inline(report.specification)), "
            + "profiles \(profiles), \(performed) scenario\(performed == 1 ? "" : "s") in \(readable(report.duration))."
    }

    private func table(_ wrong: [ReportCases.Case], _ following: [ReportCases.Case]) -> String? {
        guard !wrong.isEmpty else { return nil }
        let cases = wrong.flatMap { one in [one] + following.filter { $0.head?.description == one.id } }
        return rows(
            ["what", "is", "because"],
            cases.map { one in
                [one.head == nil ? "**\(inline(one.id))**" : inline(one.id), inline(one.kind), inline(because(one))]
            })
    }

    /// The message without its kind, which has its own column.
    private func because(_ one: ReportCases.Case) -> String {
        let start = [one.kind, "violated"].map { $0 + ": " }.first(where: one.message.hasPrefix)
        return String(one.message.dropFirst(start?.count ?? 0))
    }

    private func folded(_ one: ReportCases.Case) -> String {
        // Inside an HTML element, Markdown escapes would be visible.
        let title = escapedForMarkup(PlainText.line("\(one.id) \(one.kind)", limit: 300), quotes: false)
            .replacing("@", with: "&#64;")
        let text = PlainText.harmless(PlainText.cut(one.details, to: 8_000))
        let fence = String(repeating: "`", count: max(3, longestRun(of: "`", in: text) + 1))
        return """
            <details><summary>\(title)</summary>

            \(fence)text
            \(text)
            \(fence)

            </details>
            """
    }

    private func expected(_ cases: [ReportCases.Case]) -> String? {
        guard let baseline = report.baseline else { return nil }
        let results = baseline.results.filter { !$0.isStale }
        guard !results.isEmpty else { return nil }
        return "### Expected by the baseline\n\n"
            + rows(
                ["clause", "scenario", "seen", "reason", "until"],
                results.map { result in
                    let entry = result.entry
                    let seen =
                        result.state == .notInRun ? "not in this run" : "\(result.violated) of \(result.exercised)"
                    let kind = result.state == .intermittent ? "intermittent, \(seen)" : seen
                    let link = entry.link.map { " \(inline($0))" } ?? ""
                    return [
                        inline(entry.clause), code(entry.scenario.text), kind, inline(entry.reason) + link,
                        entry.expires.description,
                    ]
                })
    }

    private var areas: String? {
        let judged = Dictionary(grouping: report.clauses, by: \.clause.id.area)
        let open = report.undecidedByArea
        let areas = Set(judged.keys).union(open.keys).sorted()
        guard !areas.isEmpty else { return nil }
        let outcomes: [(String, (ClauseResult) -> Bool)] = [
            ("pass", { $0.outcome == .pass }),
            ("violated", { $0.outcome == .violation && !report.isExpected($0) }),
            ("expected", { report.isExpected($0) }), ("warned", { $0.outcome == .warning }),
            ("untested", { $0.outcome == .untested }), ("inconclusive", { $0.outcome == .inconclusive }),
            ("suite failures", { $0.outcome == .harnessError }), ("not applicable", { $0.outcome == .notApplicable }),
        ]
        let used = outcomes.filter { column in column.0 == "pass" || report.clauses.contains(where: column.1) }
        let words = ["out of reach", "set aside"].filter { word in open.values.joined().contains { $0.word == word } }
        return "### By area\n\n"
            + rows(
                ["area"] + used.map(\.0) + words,
                areas.map { area in
                    let counts = used.map { column in judged[area]?.count(where: column.1) ?? 0 }
                    let rest = words.map { word in open[area]?.first { $0.word == word }?.count ?? 0 }
                    return [area.rawValue] + (counts + rest).map(String.init)
                })
    }

    private var gaps: String? {
        let parts = [("Untested", report.gaps), ("Out of reach", report.outOfReach)].filter { !$0.1.isEmpty }
        guard !parts.isEmpty else { return nil }
        return parts.map { title, gaps in
            "### \(title)\n\n" + gaps.prefix(Self.maxRows).map { "- \(inline($0.line))" }.joined(separator: "\n")
        }.joined(separator: "\n\n")
    }

    // MARK: words

    private func rows(_ head: [String], _ rows: [[String]]) -> String {
        let line = { (cells: [String]) in "| " + cells.joined(separator: " | ") + " |" }
        var lines = [line(head), "|" + String(repeating: "---|", count: head.count)]
        lines += rows.prefix(Self.maxRows).map(line)
        if rows.count > Self.maxRows {
            lines.append(line(["and \(rows.count - Self.maxRows) more"] + head.dropFirst().map { _ in "" }))
        }
        return lines.joined(separator: "\n")
    }

    private func inline(_ text: String) -> String { Self.inline(text) }

    /// Untrusted text in a line or cell: no markup, no tag, no mention.
    static func inline(_ text: String) -> String {
        var shown = ""
        for scalar in escapedForMarkup(PlainText.line(text, limit: 300), quotes: false).unicodeScalars {
            switch scalar {
            case "@": shown += "&#64;"
            case "\\", "`", "*", "_", "[", "]", "|", "~", "!", "#":
                shown += "\\"
                shown.unicodeScalars.append(scalar)
            default: shown.unicodeScalars.append(scalar)
            }
        }
        return shown
    }

    /// A short text as code; as prose if it contains backticks.
    private func code(_ text: String) -> String {
        let line = PlainText.line(text, limit: 200)
        return line.contains("`") || line.contains("|") || line.isEmpty ? inline(text) : "`\(line)`"
    }
}

package func longestRun(of character: Character, in text: String) -> Int {
    text.split { $0 != character }.map(\.count).max() ?? 0
}
