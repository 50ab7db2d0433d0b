import Holdfast
import HoldfastBasics
import HoldfastJudge

extension HTMLRun {
    func scenarios(level: Int) -> Markup {
        var rowsLeft = Self.maxRows
        let scenarios = report.scenarios.filter { links.scenarios.contains($0.name) }
        let byArea = Dictionary(grouping: scenarios, by: Self.area)
        return Markup.joined(
            scenarios.map(Self.area).unique.map { area in
                let items = (byArea[area] ?? []).map { scenario($0, area, &rowsLeft) }
                return "<section class=\"area\"><h\(level)>\(area)</h\(level)>\n\(items)</section>\n"
            })
    }

    /// The part of a name between its first two slashes; a capture's name is a path.
    private static func area(of scenario: ScenarioResult) -> String {
        guard scenario.history.header.capture == nil else { return "parts" }
        let parts = scenario.name.split(separator: "/", maxSplits: 2)
        return PlainText.line(parts.count == 3 ? String(parts[1]) : "others", limit: 40)
    }

    private func scenario(_ scenario: ScenarioResult, _ area: String, _ rowsLeft: inout Int) -> Markup {
        let badge = HTMLBadge(scenario, in: report)
        let isCapture = scenario.history.header.capture != nil
        var facts = isCapture ? [] : ["tier \(scenario.tier)"]
        if scenario.skipped == nil {
            facts += isCapture ? [] : [readable(scenario.duration)]
            facts.append(counted(scenario.history.events.count, "event"))
        }
        return """
            <details class="item scenario" data-v="\(badge.name)" data-a="\(area)" id="\(links.id(scenario: scenario.name))">\
            <summary>\(badge.html) <b>\(PlainText.line(scenario.name, limit: 120))</b> \
            <small>\(facts.joined(separator: " · "))</small></summary><div>
            \(lazily(account(of: scenario, &rowsLeft), badge))</div></details>\n
            """
    }

    /// Inserts rarely read content only when it is opened, so that a browser has less to lay out.
    private func lazily(_ account: Markup, _ badge: HTMLBadge) -> Markup {
        badge.name == HTMLBadge(.violation).name
            ? account
            : "<template>\(account)</template><noscript><p>Needs JavaScript; otherwise see report.json.</p></noscript>"
    }

    private func account(of scenario: ScenarioResult, _ rowsLeft: inout Int) -> Markup {
        if let reason = scenario.skipped { return "<p>Skipped: \(PlainText.line(reason)).</p>" }
        var html: Markup = ""
        if let intended = report.intended[scenario.name], !intended.isEmpty {
            html += "<p>Should exercise \(Markup.joined(intended.map(links.link), by: ", ")).</p>\n"
        }
        let counts = Dictionary(grouping: report.significant(scenario.verdicts), by: \.outcome).mapValues(\.count)
        let words = [Outcome.violation, .warning, .inconclusive, .pass].compactMap { outcome in
            counts[outcome].map { "\(readable($0)) \(outcome.word)" }
        }
        if !words.isEmpty { html += "<p>Exercised: \(words.joined(separator: ", ")).</p>\n" }
        if let location = scenario.stoppedAt {
            html += "<p>It ended early\(PlainText.line(Gap.reason(location))).</p>\n"
        }
        if let failure = scenario.failure { html += "<p>The driver failed: \(PlainText.line(failure)).</p>\n" }
        for problem in scenario.problems.prefix(5) {
            html += "<pre class=\"said\">\(PlainText.cut(problem, to: 4_000))</pre>\n"
        }
        let significant = report.significant(scenario.verdicts)
        let found = significant.flatMap { verdict in verdict.findings.map { (verdict.clause, $0) } }
        let decided = Set(significant.map(\.clause))
        let deferred = scenario.verdicts.filter { verdict in
            verdict.outcome == .inconclusive && !decided.contains(verdict.clause)
                && links.clauses.contains(verdict.clause)
        }.map(\.clause)
        if !deferred.isEmpty {
            html += """
                <p class="meta">It proves nothing for \(Markup.joined(deferred.map(links.link), by: ", ")); \
                other scenarios decide these clauses.</p>\n
                """
        }
        if !found.isEmpty {
            let items = found.prefix(Self.maxFindings).map { clause, finding -> Markup in
                "<li>\(links.link(clause)): \(PlainText.line(finding.what))</li>"
            }
            html += "<ul>\(items)</ul>\n"
        }
        guard !scenario.history.events.isEmpty else { return html }
        var chartRowsLeft = max(0, min(rowsLeft, found.isEmpty ? Self.maxRowsOfQuiet : Self.maxRowsOfOne))
        let chartRows = chartRowsLeft
        let chart = SequenceChart(
            scenario.history, marking: found.map { .init($0, $1) },
            maxVerbatim: found.isEmpty ? Self.maxQuietVerbatim : Self.maxVerbatim)
        let drawn = HTMLChart(chart: chart, outcomes: outcomes[scenario.name] ?? [:])
        html += drawn.whole(name: scenario.name, &chartRowsLeft)
        rowsLeft -= chartRows - chartRowsLeft
        return html
    }
}
