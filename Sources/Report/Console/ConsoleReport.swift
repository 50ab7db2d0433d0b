import Holdfast
import HoldfastBasics
import HoldfastJudge
import HoldfastTranscript

/// The report for a terminal: the verdict, then problems, then what was proved.
package struct ConsoleReport {
    private let report: RunReport
    private let style: ConsoleStyle
    private let listsAll: Bool

    /// The maximum number of violations drawn as charts; the rest are shown as lines.
    private static let maxCharts = 5

    /// The report of a run; `listsAll` includes clauses that passed.
    package init(_ report: RunReport, style: ConsoleStyle = ConsoleStyle(), listsAll: Bool = false) {
        (self.report, self.style, self.listsAll) = (report, style, listsAll)
    }

    package var text: String {
        var parts = [head]
        parts += report.unexpectedByCause.enumerated().map { index, cause in
            let head = details(cause.head, isDrawn: index < Self.maxCharts)
            return ([head] + cause.followers.map { follower($0, of: cause.head.clause.id) }).joined(separator: "\n")
        }
        for outcome in [Outcome.warning, .harnessError, .inconclusive] {
            parts += report.clauses(outcome).map { details($0) }
        }
        parts += report.scenarios.flatMap { scenario in
            scenario.problems.map { "suite failure in scenario \(scenario.name)\n" + indented($0, by: 2) }
        }
        parts += failures
        parts += stale
        parts += [expected, AreaTable(report: report, style: style).text, table, tiers, gaps].compactMap(\.self)
        if let load = report.load { parts.append(load.lines.joined(separator: "\n")) }
        if listsAll, let reach = report.reach { parts.append(reach.lines(style).joined(separator: "\n")) }
        parts.append(report.headlineIn(style))
        return style.spelled(parts.joined(separator: "\n\n")) + "\n"
    }

    private var head: String {
        let profiles = report.subject.profileNames
        let performed = report.scenarios.count { $0.skipped == nil }
        let agent = report.agentWords.map { " · \($0)" } ?? ""
        let subject = "\(report.subject.name) at \(report.address), specification \(report.specification)"
        let run =
            "profiles \(profiles)\(agent) · \(performed) scenario\(performed == 1 ? "" : "s") in \(readable(report.duration))"
        // The first line is also read by programs, so it is never wrapped.
        let deaths = report.deaths.map { style.red(style.wrapped($0, indent: 0, hanging: 2)) }
        return ([report.headlineIn(style)] + deaths + [subject, run].map { style.wrapped($0, indent: 0, hanging: 2) })
            .joined(separator: "\n")
    }

    private var stale: [String] {
        (report.baseline?.stale ?? []).map { result in
            var lines = [
                "\(style.red("stale baseline")) \(report.baseline?.file ?? ""):\(result.entry.line)",
                style.wrapped(result.what, indent: 2),
            ]
            if let fix = result.fix { lines.append(style.wrapped("fix: \(fix)", indent: 2)) }
            return lines.joined(separator: "\n")
        }
    }

    /// The expected violations and their results; last among the findings, and short.
    private var expected: String? {
        guard let baseline = report.baseline, !baseline.results.isEmpty else { return nil }
        let lines = baseline.results.filter { !$0.isStale }.map { result in
            let entry = result.entry
            let word = result.state == .intermittent ? "intermittent" : result.state == .violated ? "expected" : "-"
            let link = entry.link.map { ", \($0)" } ?? ""
            let text = "\(result.what): \(entry.reason) (until \(entry.expires)\(link))"
            return padded(word, 13) + style.wrapped(text, indent: 13).dropFirst(13)
        }
        return lines.isEmpty ? nil : lines.joined(separator: "\n")
    }

    func details(_ result: ClauseResult, isDrawn: Bool = false) -> String {
        let isExpected = report.isExpected(result)
        let findings = result.ordered.filter { isExpected || report.expectation(of: result, in: $0) == nil }
        return details(result, findings, isDrawn)
    }

    private func follower(_ result: ClauseResult, of head: ClauseID) -> String {
        let start = "  \(result.clause.id) follows from \(head): "
        let room = style.width - TextWidth.columns(start)
        return "  \(style.bold(result.clause.id.description))" + start.dropFirst(2 + result.clause.id.description.count)
            + style.cut("“\(result.clause.sentence)”", to: room)
    }

    private func details(
        _ result: ClauseResult, _ findings: [ClauseResult.Occurrence], _ isDrawn: Bool
    ) -> String {
        guard let first = findings.first else {
            guard result.outcome == .harnessError else {
                return "\(style.word(result.outcome)) \(result.clause.id) (\(result.clause.keyword.rawValue), "
                    + "\(result.clause.role.rawValue)) in scenario \(result.decidedBy.joined(separator: ", "))"
            }
            return "\(style.word(result.outcome)) \(result.clause.id) (\(result.clause.keyword.rawValue)): "
                + "no scenario could exercise it because the suite failed"
        }
        let others = Dictionary(grouping: findings.dropFirst(), by: \.scenario).sorted { $0.key < $1.key }
        let locations = others.prefix(5).map {
            $0.value.count == 1 ? $0.key : "\($0.key) (\(readable($0.value.count))×)"
        }
        var lines = [details(result, first, isDrawn)]
        if !locations.isEmpty {
            let rest = others.count > locations.count ? " and \(others.count - locations.count) more scenarios" : ""
            lines.append(style.wrapped("also in \(locations.joined(separator: ", "))\(rest)", indent: 2))
        }
        if let rerun = report.rerun(of: result) {
            lines.append("  again: \(rerun)")
            if let rate = report.rate(of: result) { lines.append("  \(rate)") }
        }
        var text = lines.joined(separator: "\n")
        // A chart ends with an empty line.
        while text.last == "\n" { text.removeLast() }
        return text
    }

    private func details(
        _ result: ClauseResult, _ occurrence: ClauseResult.Occurrence, _ isDrawn: Bool
    ) -> String {
        let (clause, finding) = (result.clause, occurrence.finding)
        var lines = [
            "\(style.head(clause, result.outcome)) in scenario \(occurrence.scenario)",
            style.wrapped("“\(clause.sentence)”", indent: 2),
        ]
        lines += style.lines(finding)
        if let history = report.scenario(occurrence.scenario)?.history {
            lines += isDrawn ? chart(of: history, clause.id, finding) : events(of: history, finding)
        }
        return lines.joined(separator: "\n")
    }

    private func chart(of history: History, _ clause: ClauseID, _ finding: Finding) -> [String] {
        let chart = SequenceChart(history, marking: [.init(clause, finding)], maxVerbatim: Self.maxVerbatim)
        let lines = TextChart(chart, style: style, indent: 2).excerpt()
        return lines.isEmpty ? [] : [""] + lines.map { "  " + $0 } + [""] + verbatim(of: finding, in: chart)
    }

    private static let maxVerbatim = 600

    private func verbatim(of finding: Finding, in chart: SequenceChart) -> [String] {
        guard let event = finding.cited, let row = chart.row(of: event).map({ chart.rows[$0] }),
            let verbatim = row.verbatim.first(where: { $0.event == event }), !verbatim.text.isEmpty
        else { return [] }
        // The text is not wrapped, because a copied line break would corrupt a string.
        let lines = verbatim.text.split(separator: "\n").map { "    \(visible(String($0)))" }
        return ["  \(verbatim.title) at \(row.time)\(verbatim.isCut ? ", cut" : "")"] + lines
    }

    private func events(of history: History, _ finding: Finding) -> [String] {
        let width = style.width - 2
        return EventLines(history).lines(of: finding.events.suffix(6), width: width).map { "  " + $0 }
    }

    private var failures: [String] {
        report.driverFailures.map { failure, all in
            let names = all.map { "\($0.name) at \(($0.stoppedAt ?? "").prefix { $0 != ":" })" }
            return [
                style.yellow("driver failure in \(counted(all.count, "scenario"))"),
                style.wrapped(failure, indent: 2),
                style.wrapped("in \(listed(names, limit: 3))", indent: 2),
            ].joined(separator: "\n")
        }
    }

    /// The clauses one by one; those with nothing but a count are in the table of areas.
    private var table: String? {
        let shown = report.clauses.filter { $0.outcome != .notApplicable && (listsAll || !$0.remarks.isEmpty) }
        return shown.isEmpty ? nil : shown.map(row).joined(separator: "\n")
    }

    private func row(_ result: ClauseResult) -> String {
        let line = style.row(
            result.clause, result.outcome, exercised: result.exercised, isExpected: report.isExpected(result))
        return ([line] + result.remarks.map { style.wrapped($0, indent: 13) }).joined(separator: "\n")
    }

    private var tiers: String? {
        guard listsAll, report.tiers.count > 1 else { return nil }
        return report.tiers.map { result in
            var parts = ["\(readable(result.performed)) scenario\(result.performed == 1 ? "" : "s")"]
            if result.leftOut > 0 { parts.append("\(readable(result.leftOut)) skipped") }
            return padded("tier \(result.tier) (\(result.agent))", 25) + parts.joined(separator: ", ")
                + (result.words.isEmpty ? "" : ": \(result.words)")
        }.joined(separator: "\n")
    }

    private var gaps: String? {
        var lines = report.unseen.map { profile, count in
            "nothing tested: profile '\(profile.rawValue)' is declared, but "
                + (count == 1
                    ? "its applicable clause was not exercised"
                    : "none of its \(count) applicable clauses was exercised")
        }
        lines += report.gaps.map { "untested: \($0.line(naming: listsAll))" }
        lines += report.outOfReach.flatMap { gap in
            // Without any evidence, the setup is the problem, so its fix is shown.
            let fix = report.hasEvidence ? nil : gap.fix.map { "fix: \($0)" }
            return ["out of reach: \(gap.line(naming: listsAll))"] + [fix].compactMap(\.self)
        }
        if !report.setAside.isEmpty {
            let names = report.setAside.named(listsAll)
            lines.append(
                "set aside: \(counted(report.setAside.count, "clause")) skipped on request: \(names)"
            )
        }
        if let part = report.part, !report.deferred.isEmpty {
            lines.append(
                "left to the other \(counted(part.shard.count - 1, "shard")): \(counted(report.deferred.count, "clause")); 'conformance report merge' combines them"
            )
        }
        lines += report.notes.map { "note: \($0)" }
        let inapplicable = Dictionary(grouping: report.clauses(.notApplicable)) {
            report.undeclaredProfile(of: $0.clause)
        }
        lines += inapplicable.sorted { $0.key < $1.key }.map { profile, results in
            "not applicable: \(counted(results.count, "clause")) of profile '\(profile.rawValue)', not declared"
        }
        lines += report.skipped.map { "skipped: \($0)" }
        let stopped = report.scenarios.filter {
            $0.stoppedAt != nil && $0.skipped == nil && $0.failure == nil && $0.cut != .interruption
        }
        lines += stopped.prefix(5).map { "ended early: \($0.name)\(Gap.reason($0.stoppedAt ?? ""))" }
        if stopped.count > 5 {
            let names = stopped.dropFirst(5).map(\.name).joined(separator: ", ")
            lines.append("ended early: \(counted(stopped.count - 5, "more scenario")): \(names)")
        }
        if !report.pending.isEmpty {
            lines.append(
                "pending: \(counted(report.pending.count, "clause")) without a check yet (\(report.pending.byArea))")
        }
        if !report.excluded.isEmpty {
            lines.append(
                "excluded: \(counted(report.excluded.count, "clause")) that a black-box test cannot judge; see conformance list"
            )
        }
        lines += report.diagnostics.map { "diagnostic: \($0)" }
        return lines.isEmpty
            ? nil : lines.map { style.wrapped(visible($0), indent: 0, hanging: 2) }.joined(separator: "\n")
    }

    private func indented(_ text: String, by columns: Int) -> String {
        let margin = String(repeating: " ", count: columns)
        return text.split(separator: "\n", omittingEmptySubsequences: false).map { margin + $0 }
            .joined(separator: "\n")
    }
}

extension ConsoleStyle {
    package func word(_ outcome: Outcome, width: Int = 0) -> String {
        painted(padded(outcome.word, width), as: outcome)
    }

    /// A clause and its outcome; for a new finding, the keyword tells whether it is a violation.
    package func head(_ clause: Clause, _ outcome: Outcome? = nil) -> String {
        "\(word(outcome ?? (clause.keyword.isRequirement ? .violation : .warning))) \(name(clause))"
    }

    package func name(_ clause: Clause) -> String {
        "\(bold(clause.id.description)) (\(clause.keyword.rawValue), \(clause.role.rawValue))"
    }

    /// A finding, with control characters from the subject escaped.
    package func lines(
        _ finding: Finding, indent: Int = 2, _ shown: (String) -> String = { visible($0) }
    ) -> [String] {
        [
            wrapped(shown(finding.what), indent: 2), wrapped("expected: \(shown(finding.expected))", indent: indent),
            wrapped("actual: \(shown(finding.actual))", indent: indent),
        ]
    }

    func painted(_ text: String, as outcome: Outcome) -> String {
        switch outcome {
        case .pass: green(text)
        case .violation, .harnessError: red(text)
        case .warning, .untested, .inconclusive: yellow(text)
        case .notApplicable: dim(text)
        }
    }

    /// A clause on one line: its outcome, how often it was exercised, and as much of its sentence as fits.
    package func row(_ clause: Clause, _ outcome: Outcome, exercised: Int, isExpected: Bool = false) -> String {
        let word = isExpected ? dim(padded("expected", 12)) : word(outcome, width: 12)
        let count = exercised == 0 ? "-" : exercised == 1 ? "once" : "\(readable(exercised))×"
        let room = width - 12 - 1 - 11 - 7 - 2
        return "\(word) \(padded(clause.id.description, 10)) \(dim(aligned(count, 7)))"
            + (room < 12 ? "" : "  " + cut(clause.sentence, to: room))
    }
}

extension Outcome {
    package var word: String {
        switch self {
        case .pass, .violation, .warning, .untested, .inconclusive: rawValue
        case .notApplicable: "not applicable"
        case .harnessError: "suite failure"
        }
    }
}

extension RunReport {
    package func headlineIn(_ style: ConsoleStyle) -> String {
        switch exit {
        case .conforms: style.green(headline)
        case .violation, .harness: style.red(headline)
        default: style.yellow(headline)
        }
    }
}
