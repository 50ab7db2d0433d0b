import Holdfast
import HoldfastBasics
import HoldfastJudge

extension HTMLRun {
    static func groups(of report: RunReport) -> [(title: String, results: [ClauseResult])] {
        let unexpected = report.unexpectedByCause.flatMap { [$0.head] + $0.followers }
        return [
            ("Violated", unexpected.filter { !$0.isUnkeepable }),
            ("Violated, because this wire format cannot keep them", unexpected.filter(\.isUnkeepable)),
            ("In doubt", report.clauses(.inconclusive)),
            ("Warnings: recommendations not followed", report.clauses(.warning)),
            ("Violated as expected (baseline)", report.expected),
        ].filter { !$0.1.isEmpty }
    }

    var groups: [(title: String, results: [ClauseResult])] { Self.groups(of: report) }

    /// Whether a scenario has a finding or a failure.
    static func hasFindings(_ scenario: ScenarioResult, in report: RunReport) -> Bool {
        let outcomes: [Outcome] = [.violation, .harnessError, .warning, .inconclusive]
        return (outcomes.map(HTMLBadge.init) + [.expected, .failed]).contains(HTMLBadge(scenario, in: report))
    }

    var hasFindings: Bool { !groups.isEmpty || !troubles.isEmpty || !report.clauses(.untested).isEmpty }

    func findings(level: Int) -> Markup {
        var chartsLeft = Self.maxCharts
        let cards = groups.prefix(1).map { group($0.title, $0.results, level, &chartsLeft) }
        let others = groups.dropFirst().map { group($0.title, $0.results, level, &chartsLeft) }
        return "\(cards)\(troubles)\(untested(level))\(others)"
    }

    private func group(_ title: String, _ results: [ClauseResult], _ level: Int, _ chartsLeft: inout Int) -> Markup {
        let heads = report.heads
        let causes = results.filter { heads[$0.clause.id] == nil }
        let cards = causes.map { result -> Markup in
            chartsLeft -= 1
            let followers = results.filter { heads[$0.clause.id] == result.clause.id }
            let card = card(result, level: level + 1, hasChart: chartsLeft >= 0)
            guard !followers.isEmpty else { return card }
            let below = followers.map { self.card($0, level: level + 1, hasChart: false, follows: result.clause.id) }
            return """
                \(card)<details class="more follows"><summary>\(counted(followers.count, "clause")) \
                \(followers.count == 1 ? "follows" : "follow") from \(result.clause.id.description): \
                \(followers.map(\.clause.id.description).joined(separator: ", "))</summary>\(below)</details>\n
                """
        }
        let count =
            causes.count == results.count
            ? "\(results.count)" : "\(counted(causes.count, "cause")), \(counted(results.count, "clause"))"
        return "<h\(level) class=\"group\">\(title) <span class=\"count\">\(count)</span></h\(level)>\n\(cards)"
    }

    private func card(_ result: ClauseResult, level: Int, hasChart: Bool, follows head: ClauseID? = nil) -> Markup {
        let clause = result.clause
        let badge = HTMLBadge(result, in: report)
        let occurrences = result.ordered
        let id = links.id(clause.id)
        var html: Markup = """
            <article class="card \(badge.name)" id="\(id)" aria-labelledby="\(id).name">
            <h\(level) id="\(id).name">\(badge.html) <a class="self" href="#\(id)">\(clause.id.description)</a></h\(level)>
            <blockquote>\(sentence(clause))</blockquote>\n
            """
        if let head { html += "<p class=\"meta\">Follows from \(links.link(head)).</p>\n" }
        if let first = occurrences.first {
            html += finding(first.finding)
            html += location(first, result)
            if hasChart { html += chart(of: first, clause.id) }
            let others = occurrences.dropFirst()
            if !others.isEmpty { html += more(others) }
        }
        html += remarks(result)
        if let rerun = report.rerun(of: result) {
            html += command("Rerun only this", rerun)
            if let rate = report.rate(of: result) { html += "<p class=\"meta\">\(capitalized(rate))</p>\n" }
        }
        return html + "</article>\n"
    }

    private func finding(_ finding: Finding) -> Markup {
        """
        <p class="what">\(.prose(capitalized(PlainText.line(finding.what, limit: 1_000))))</p>
        <dl class="pair"><div><dt>Expected</dt><dd>\(.prose(PlainText.line(finding.expected, limit: 1_000)))</dd></div>
        <div><dt>Actual</dt><dd>\(.prose(PlainText.line(finding.actual, limit: 1_000)))</dd></div></dl>\n
        """
    }

    private func location(_ occurrence: ClauseResult.Occurrence, _ result: ClauseResult) -> Markup {
        let clause = result.clause
        let expectation = scenarios[occurrence.scenario].flatMap { report.expectation(of: clause.id, in: $0) }
        let reason: Markup? = expectation.map { entry in
            """
            <p class="meta">Expected until \(entry.expires.description): \(PlainText.line(entry.reason))\
            \(entry.link.map { " (\(PlainText.line($0)))" } ?? "")</p>\n
            """
        }
        return """
            <p class="meta">in \(links.link(scenario: occurrence.scenario)) · \(clause.keyword.rawValue) for the \
            \(clause.role.rawValue) · profile \(clause.profile.rawValue) · exercised \(times(result.exercised))</p>
            \(reason)
            """
    }

    private func chart(of occurrence: ClauseResult.Occurrence, _ clause: ClauseID) -> Markup {
        guard let scenario = scenarios[occurrence.scenario], !scenario.history.events.isEmpty else { return "" }
        let chart = SequenceChart(
            scenario.history, marking: [.init(clause, occurrence.finding)], maxVerbatim: Self.maxVerbatim)
        return HTMLChart(chart: chart, outcomes: outcomes[scenario.name] ?? [:])
            .excerpt(name: scenario.name, link: links.id(scenario: scenario.name))
    }

    private func more(_ others: ArraySlice<ClauseResult.Occurrence>) -> Markup {
        let shown = others.prefix(Self.maxFindings).map { occurrence -> Markup in
            let finding = occurrence.finding
            return """
                <li>\(links.link(scenario: occurrence.scenario)): \(PlainText.line(finding.what)). \
                Expected: \(PlainText.line(finding.expected)). Actual: \(PlainText.line(finding.actual)).</li>\n
                """
        }
        let left = others.count - shown.count
        let rest: Markup = left > 0 ? "<li>and \(readable(left)) more</li>" : ""
        return """
            <details class="more"><summary>\(counted(others.count, "more finding"))</summary><ul>\(shown)\(rest)</ul></details>\n
            """
    }

    func remarks(_ result: ClauseResult) -> Markup {
        Markup.joined(result.remarks.prefix(10).map { "<p class=\"remark\">\(.prose(PlainText.line($0)))</p>\n" })
    }

    func command(_ title: String, _ command: String) -> Markup {
        "<p class=\"again\"><span>\(title)</span> <code>\(PlainText.line(command, limit: 2_000))</code></p>\n"
    }

    func sentence(_ clause: Clause) -> Markup {
        guard let range = clause.sentence.firstRange(of: clause.keyword.rawValue) else {
            return .prose(clause.sentence)
        }
        return """
            \(.prose(String(clause.sentence[..<range.lowerBound])))<strong>\(clause.keyword.rawValue)</strong>\
            \(.prose(String(clause.sentence[range.upperBound...])))
            """
    }

    /// A sentence with a capital, unless it starts with a name such as `lastSeq`.
    func capitalized(_ text: String) -> String {
        let word = text.prefix { $0 != " " }
        guard word.allSatisfy({ ("a"..."z").contains($0) || $0 == "," }) else { return text }
        return text.prefix(1).uppercased() + text.dropFirst()
    }
}
