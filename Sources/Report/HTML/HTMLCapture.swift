import Holdfast
import HoldfastBasics
import HoldfastJudge
import HoldfastTranscript

/// The results for captures, as a page like that of a run: verdicts, observations and charts.
package struct HTMLCapture {
    /// All observations of one kind, which are not verdicts.
    package struct Observed {
        let title: String
        let count: Int
        /// The command that leads to the clauses.
        let command: String
        /// The first observations: a description, the place, and a chart.
        let first: [(what: String, lines: [String], chart: SequenceChart)]

        package init(
            _ title: String, count: Int, command: String, first: [(what: String, lines: [String], chart: SequenceChart)]
        ) {
            (self.title, self.count, self.command, self.first) = (title, count, command, first)
        }
    }

    /// A clause's outcome, its first findings, and the parts with these findings.
    package typealias Result = (
        clause: Clause, outcome: Outcome, exercised: Int, findings: [(part: String, finding: Finding)]
    )

    private let run: HTMLRun
    private let exit: ExitStatus
    private let isClean: Bool
    private let headline: String
    private let facts: [(title: String, text: String)]
    private let timeline: [(title: String, lines: [(time: String, what: String)])]
    private let observed: [Observed]
    private let notes: [String]

    /// A page of captures; it looks like a success only if it is clean.
    package init(
        _ headline: String, exit: ExitStatus, isClean: Bool, facts: [(title: String, text: String)],
        parts: [ScenarioResult],
        results: [Result], timeline: [(title: String, lines: [(time: String, what: String)])], observed: [Observed],
        notes: [String], under specification: Specification
    ) {
        let clauses = results.map { result in
            let showing = parts.filter { part in
                part.verdicts.contains { $0.clause == result.clause.id && $0.exercised > 0 }
            }
            return ClauseResult(
                clause: result.clause, outcome: result.outcome, exercised: result.exercised,
                scenarios: showing.map(\.name), decidedBy: [],
                findings: result.findings.map { .init(scenario: $0.part, finding: $0.finding) }, remarks: [])
        }
        let subject =
            parts.first?.history.header.subject ?? History.Subject(name: "capture", role: .server, profiles: [])
        let report = RunReport(
            specification: specification.version, subject: subject, address: "", startedAt: "", duration: .zero,
            wasInterrupted: false, clauses: clauses, pending: [], excluded: [], scenarios: parts, tiers: [],
            setAside: [], outOfReach: [], gaps: [], unseen: [], notes: [], part: nil, deferred: [], leftOut: [],
            isStrict: false, sentences: [:], intended: [:])
        run = HTMLRun(report)
        (self.exit, self.isClean, self.headline) = (exit, isClean, headline)
        (self.facts, self.timeline, self.observed, self.notes) = (facts, timeline, observed, notes)
    }

    package var text: String {
        var page = HTMLPage(title: headline)
        page.again = "conformance judge FILE"
        page.header = "<p class=\"kicker\">Holdfast: a judged capture</p>\n\(verdict)\(list)"
        if !timeline.isEmpty { page.add("story", "What happened", timelineList) }
        page.add("observations", "Observations", HTMLPage.legend + observations)
        if run.hasFindings { page.add("found", "Findings", run.findings(level: 3)) }
        if !run.report.clauses.isEmpty {
            page.add("areas", "Verdicts by area", HTMLMatrix(report: run.report, links: run.links).html)
            page.add("clauses", "All exercised clauses", HTMLPage.filter(run.report) + run.clauses(level: 3))
        }
        page.add("scenarios", "Recording", run.scenarios(level: 3))
        if !notes.isEmpty {
            page.add(
                "notes", "About this capture",
                "<ul class=\"plain\">\(notes.map { "<li>\(PlainText.line($0, limit: 2_000))</li>\n" as Markup })</ul>\n"
            )
        }
        return page.text
    }

    private var verdict: Markup {
        let isNeutral = exit == .conforms && !isClean
        return """
            <div class="verdict \(isNeutral ? "neutral" : HTMLHead.tone(of: exit))"><h1><span class="sign" aria-hidden="true">\
            \(isNeutral ? "•" : HTMLHead.sign(of: exit))</span> \(run.capitalized(headline))</h1></div>\n
            """
    }

    private var timelineList: Markup {
        let sections = timeline.map { chapter -> Markup in
            let rows = chapter.lines.map { line -> Markup in
                "<div><dt>\(line.time)</dt><dd>\(PlainText.line(line.what, limit: 600))</dd></div>\n"
            }
            return
                "<h3 class=\"group\">\(PlainText.line(chapter.title, limit: 600))</h3>\n<dl class=\"facts\">\(rows)</dl>\n"
        }
        return Markup.joined(sections)
    }

    private var list: Markup {
        let rows = facts.map { fact -> Markup in
            "<div><dt>\(fact.title)</dt><dd>\(PlainText.line(fact.text, limit: 600))</dd></div>\n"
        }
        return "<dl class=\"facts\">\(rows)</dl>\n"
    }

    private var observations: Markup {
        guard !observed.isEmpty else {
            return "<p>None: no unanswered question, repeated text, gap or empty read.</p>\n"
        }
        let lead: Markup = "<p class=\"meta\">Observations, not verdicts: the specification may allow them.</p>\n"
        return lead + Markup.joined(observed.map(kind))
    }

    private func kind(_ observed: Observed) -> Markup {
        let items = observed.first.map { item -> Markup in
            let lines = item.lines.map { "\(PlainText.line($0, limit: 1_000))\n" as Markup }
            return """
                <article class="card warning"><h4>\(.prose(PlainText.line(run.capitalized(item.what), limit: 1_000)))</h4>
                <pre class="said">\(lines)</pre>
                \(HTMLChart(chart: item.chart, outcomes: [:]).excerpt(name: observed.title, link: "scenarios"))</article>\n
                """
        }
        let rest = observed.count - observed.first.count
        let more: Markup = rest > 0 ? "<p>And \(readable(rest)) more.</p>\n" : ""
        return """
            <h3 class="group">\(.prose(observed.title)) <span class="count">\(readable(observed.count))</span></h3>
            \(items)\(more)\(run.command("From here to the clauses", observed.command))
            """
    }
}
