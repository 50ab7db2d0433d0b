import Holdfast
import Judge
import Transcript

/// One report as sections of a page.
struct HTMLRun {
    let report: RunReport
    let links: HTMLLinks
    private let scenarios: [String: ScenarioResult]
    private let outcomes: [String: [ClauseID: Outcome]]

    /// The most findings of one clause, and the most clauses with a chart of their own.
    private static let maxFindings = 20
    private static let maxCharts = 60
    /// The most rows in the charts of all scenarios together, and of one of them.
    private static let maxRows = 30_000
    private static let maxRowsOfOne = 4_000
    /// The most characters of a verbatim text where something was found, and elsewhere.
    private static let maxVerbatim = 4_096
    private static let maxQuietVerbatim = 600

    /// A report in a page; one among others shows only what was found in it.
    init(_ report: RunReport, prefix: String = "", isWhole: Bool = true) {
        self.report = report
        let carded = Self.groups(of: report).flatMap { $0.results.map(\.clause.id) }
        let shown = report.scenarios.filter { isWhole || Self.hasFindings($0, in: report) }
        links = HTMLLinks(
            prefix: prefix, clauses: Set(isWhole ? report.clauses.map(\.clause.id) : carded),
            scenarios: Set(shown.map(\.name)))
        scenarios = Dictionary(report.scenarios.map { ($0.name, $0) }, uniquingKeysWith: { first, _ in first })
        outcomes = scenarios.mapValues { scenario in
            Dictionary(scenario.verdicts.map { ($0.clause, $0.outcome) }, uniquingKeysWith: { first, _ in first })
        }
    }

    // MARK: what has to be looked at

    /// The clauses that are not as they should be, by kind, with a heading for each kind.
    private static func groups(of report: RunReport) -> [(title: String, results: [ClauseResult])] {
        [
            ("Violated", report.unexpected), ("In doubt", report.clauses(.inconclusive)),
            ("Recommended, and not followed", report.clauses(.warning)),
            ("Violated, as the baseline expects", report.expected),
        ].filter { !$0.1.isEmpty }
    }

    private var groups: [(title: String, results: [ClauseResult])] { Self.groups(of: report) }

    /// Whether something was found in a scenario, or went wrong.
    private static func hasFindings(_ scenario: ScenarioResult, in report: RunReport) -> Bool {
        [.violation, .harnessError, .warning, .inconclusive].map(HTMLBadge.init).contains(
            HTMLBadge(scenario, in: report))
            || [.expected, .failed].contains(HTMLBadge(scenario, in: report))
    }

    /// Whether there is anything to look at.
    var hasFindings: Bool { !groups.isEmpty || !troubles.isEmpty || !report.clauses(.untested).isEmpty }

    /// A card for each clause that is not as it should be.
    func findings(level: Int) -> Markup {
        var room = Self.maxCharts
        let cards = groups.prefix(1).map { group($0.title, $0.results, level, &room) }
        let others = groups.dropFirst().map { group($0.title, $0.results, level, &room) }
        return "\(cards)\(troubles)\(untested(level))\(others)"
    }

    private func group(_ title: String, _ results: [ClauseResult], _ level: Int, _ room: inout Int) -> Markup {
        let cards = results.map { result -> Markup in
            room -= 1
            return card(result, level: level + 1, hasChart: room >= 0)
        }
        return "<h\(level) class=\"group\">\(title) <span class=\"count\">\(results.count)</span></h\(level)>\n\(cards)"
    }

    private func card(_ result: ClauseResult, level: Int, hasChart: Bool) -> Markup {
        let clause = result.clause
        let badge = HTMLBadge(result, in: report)
        let occurrences = result.findings.sorted {
            isExpected($0, result) != isExpected($1, result) && !isExpected($0, result)
        }
        let id = links.id(clause.id)
        var html: Markup = """
            <article class="card \(badge.name)" id="\(id)" aria-labelledby="\(id).name">
            <h\(level) id="\(id).name">\(badge.html) <a class="self" href="#\(id)">\(clause.id.description)</a></h\(level)>
            <blockquote>\(sentence(clause))</blockquote>\n
            """
        if let first = occurrences.first {
            html += finding(first.finding)
            html += place(first, result)
            if hasChart { html += chart(of: first, clause.id) }
            let others = occurrences.dropFirst()
            if !others.isEmpty { html += more(others) }
        }
        html += remarks(result)
        if let again = report.again { html += command("Run only this again", again.only(clause.id.description)) }
        return html + "</article>\n"
    }

    private func isExpected(_ occurrence: ClauseResult.Occurrence, _ result: ClauseResult) -> Bool {
        guard result.outcome == .violation, let scenario = scenarios[occurrence.scenario] else { return false }
        return report.expectation(of: result.clause.id, in: scenario) != nil
    }

    private func finding(_ finding: Finding) -> Markup {
        """
        <p class="what">\(.prose(capitalised(PlainText.line(finding.what, limit: 1_000))))</p>
        <dl class="pair"><div><dt>Expected</dt><dd>\(.prose(PlainText.line(finding.expected, limit: 1_000)))</dd></div>
        <div><dt>Actual</dt><dd>\(.prose(PlainText.line(finding.actual, limit: 1_000)))</dd></div></dl>\n
        """
    }

    private func place(_ occurrence: ClauseResult.Occurrence, _ result: ClauseResult) -> Markup {
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
            \(clause.role.rawValue) · profile \(clause.profile.rawValue) · put to the test \(times(result.exercised))</p>
            \(reason)
            """
    }

    private func chart(of occurrence: ClauseResult.Occurrence, _ clause: ClauseID) -> Markup {
        guard let scenario = scenarios[occurrence.scenario], !scenario.history.events.isEmpty else { return "" }
        let chart = SequenceChart(
            scenario.history, marking: [.init(clause, occurrence.finding)], maxVerbatim: Self.maxVerbatim)
        return HTMLChart(chart, outcomes: outcomes[scenario.name] ?? [:])
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

    private func remarks(_ result: ClauseResult) -> Markup {
        Markup.joined(result.remarks.prefix(10).map { "<p class=\"remark\">\(.prose(PlainText.line($0)))</p>\n" })
    }

    /// A command that a person can copy.
    func command(_ title: String, _ command: String) -> Markup {
        "<p class=\"again\"><span>\(title)</span> <code>\(PlainText.line(command, limit: 2_000))</code></p>\n"
    }

    /// The sentence of a clause with its keyword set off.
    private func sentence(_ clause: Clause) -> Markup {
        guard let range = clause.sentence.firstRange(of: clause.keyword.rawValue) else {
            return .prose(clause.sentence)
        }
        return """
            \(.prose(String(clause.sentence[..<range.lowerBound])))<strong>\(clause.keyword.rawValue)</strong>\
            \(.prose(String(clause.sentence[range.upperBound...])))
            """
    }

    /// A sentence with its first letter large, unless it begins with a name such as `lastSeq`.
    private func capitalised(_ text: String) -> String {
        let word = text.prefix { $0 != " " }
        guard word.allSatisfy({ ("a"..."z").contains($0) || $0 == "," }) else { return text }
        return text.prefix(1).uppercased() + text.dropFirst()
    }

    // MARK: what went wrong beside the clauses

    /// Failures of the suite and of drivers, and what of the baseline a person has to edit.
    private var troubles: [Markup] {
        var cards: [Markup] = []
        for scenario in report.scenarios {
            for problem in scenario.problems {
                cards.append(trouble("harness error", scenario.name, problem))
            }
        }
        let failed = Dictionary(grouping: report.scenarios.filter { $0.failure != nil }, by: { $0.failure ?? "" })
        for (failure, all) in failed.sorted(by: { ($1.value.count, $0.key) < ($0.value.count, $1.key) }) {
            let rest = all.count > 1 ? "\nand in \(counted(all.count - 1, "more scenario"))" : ""
            let place = all.first.map { "\nat \($0.stoppedAt ?? "the end")" } ?? ""
            cards.append(trouble("driver failure", all.first?.name ?? "", failure + place + rest))
        }
        for result in report.baseline?.stale ?? [] {
            let fix = result.fix.map { "\nfix: \($0)" } ?? ""
            cards.append(
                """
                <article class="card staleBaseline"><h3><span class="v untested"><span aria-hidden="true">!</span> \
                stale baseline</span> \(PlainText.line("\(report.baseline?.file ?? ""):\(result.entry.line)"))</h3>
                <pre class="said">\(PlainText.cut(result.what + fix, to: 2_000))</pre></article>\n
                """)
        }
        return cards
    }

    private func trouble(_ word: String, _ scenario: String, _ text: String) -> Markup {
        """
        <article class="card harnessError"><h3><span class="v harnessError"><span aria-hidden="true">⚠</span> \(word)</span> \
        in \(links.link(scenario: scenario))</h3>
        <pre class="said">\(PlainText.cut(text, to: 4_000))</pre></article>\n
        """
    }

    private func untested(_ level: Int) -> Markup {
        let untested = report.clauses(.untested)
        guard !untested.isEmpty else { return "" }
        let items = report.gaps.map { gap -> Markup in
            "<li>\(capitalised(gap.reason)): \(Markup.joined(gap.clauses.map(links.link), by: ", "))</li>\n"
        }
        return """
            <h\(level) class="group">Untested <span class="count">\(untested.count)</span></h\(level)>
            <p class="meta">Declared, but nothing in this run put these clauses to the test. That counts as incomplete.</p>
            <ul class="plain">\(items)</ul>\n
            """
    }

    // MARK: all clauses

    /// Every clause of the run by area; those with a card lead there.
    func clauses(level: Int) -> Markup {
        let byArea = Dictionary(grouping: report.clauses, by: \.clause.id.area).sorted { $0.key < $1.key }
        let carded = Set(groups.flatMap { $0.results.map(\.clause.id) })
        return Markup.joined(
            byArea.map { area, results in
                """
                <section class="area" id="\(links.id(area))" aria-labelledby="\(links.id(area)).name">
                <h\(level) id="\(links.id(area)).name">\(area.rawValue) <small>\(area.meaning)</small></h\(level)>
                \(results.map { clause($0, hasCard: carded.contains($0.clause.id)) })</section>\n
                """
            })
    }

    private func clause(_ result: ClauseResult, hasCard: Bool) -> Markup {
        let clause = result.clause
        let badge = HTMLBadge(result, in: report)
        let start: Markup = hasCard ? "" : " id=\"\(links.id(clause.id))\""
        let inner: Markup
        if hasCard {
            inner = "<p>What was found stands above: \(links.link(clause.id)).</p>"
        } else {
            inner = "\(evidence(of: result))\(remarks(result))"
        }
        let why: Markup? = clause.why.isEmpty ? nil : "<p class=\"meta\">Why: \(clause.why)</p>"
        return """
            <details class="item" data-v="\(badge.name)" data-a="\(clause.id.area.rawValue)"\(start)>\
            <summary>\(badge.html) <b>\(clause.id.description)</b> <span>\(sentence(clause))</span></summary>\
            <div>\(inner)<p class="meta">\(clause.keyword.rawValue) for the \(clause.role.rawValue) · \
            profile \(clause.profile.rawValue)\(hasCard ? "" : " · link: " + links.link(clause.id))</p>\(why)</div></details>\n
            """
    }

    private func evidence(of result: ClauseResult) -> Markup {
        switch result.outcome {
        case .notApplicable: return "<p>The subject does not declare profile \(result.clause.profile.rawValue).</p>"
        case .untested: return "<p>\(capitalised(report.whyUntested(result.clause.id))).</p>"
        case .harnessError: return "<p>No scenario could exercise it because the suite failed.</p>"
        default: break
        }
        let meant = result.scenarios.filter { report.intended[$0]?.contains(result.clause.id) ?? false }
        let shown = (meant + result.scenarios.filter { !meant.contains($0) }).prefix(5)
        let left = result.scenarios.count - shown.count
        return """
            <p>Put to the test \(times(result.exercised)) in \(counted(result.scenarios.count, "scenario")):</p>
            <ul>\(shown.map { "<li>\(links.link(scenario: $0))</li>" as Markup })\
            \(left > 0 ? "<li>and \(left) more</li>" as Markup : "")</ul>
            """
    }

    // MARK: all scenarios

    /// Every scenario that has a place in the page, with its chart.
    func scenarios(level: Int) -> Markup {
        var room = Self.maxRows
        let scenarios = report.scenarios.filter { links.scenarios.contains($0.name) }
        let byArea = Dictionary(grouping: scenarios) { Self.area(of: $0.name) }
        var seen: Set<String> = []
        let order = scenarios.map { Self.area(of: $0.name) }.filter { seen.insert($0).inserted }
        return Markup.joined(
            order.map { area in
                let items = (byArea[area] ?? []).map { scenario($0, area, &room) }
                return "<section class=\"area\"><h\(level)>\(area)</h\(level)>\n\(items)</section>\n"
            })
    }

    /// The part of a name between its first two strokes.
    private static func area(of name: String) -> String {
        let parts = name.split(separator: "/", maxSplits: 2)
        return PlainText.line(parts.count == 3 ? String(parts[1]) : "others", limit: 40)
    }

    private func scenario(_ scenario: ScenarioResult, _ area: String, _ room: inout Int) -> Markup {
        let badge = HTMLBadge(scenario, in: report)
        var facts = ["tier \(scenario.tier)"]
        if scenario.skipped == nil {
            facts += [readable(scenario.duration), counted(scenario.history.events.count, "event")]
        }
        return """
            <details class="item scenario" data-v="\(badge.name)" data-a="\(area)" id="\(links.id(scenario: scenario.name))">\
            <summary>\(badge.html) <b>\(PlainText.line(scenario.name, limit: 120))</b> \
            <small>\(facts.joined(separator: " · "))</small></summary><div>
            \(account(of: scenario, &room))</div></details>\n
            """
    }

    private func account(of scenario: ScenarioResult, _ room: inout Int) -> Markup {
        if let reason = scenario.skipped { return "<p>Not performed: \(PlainText.line(reason)).</p>" }
        var html: Markup = ""
        if let intended = report.intended[scenario.name], !intended.isEmpty {
            html += "<p>Made to exercise \(Markup.joined(intended.map(links.link), by: ", ")).</p>\n"
        }
        let counts = Dictionary(grouping: report.weighty(scenario.verdicts), by: \.outcome).mapValues(\.count)
        let words = [Outcome.violation, .warning, .inconclusive, .pass].compactMap { outcome in
            counts[outcome].map { "\(readable($0)) \(outcome.word)" }
        }
        if !words.isEmpty { html += "<p>Clauses it put to the test: \(words.joined(separator: ", ")).</p>\n" }
        if let place = scenario.stoppedAt { html += "<p>It ended early, at \(PlainText.line(place)).</p>\n" }
        if let failure = scenario.failure { html += "<p>The driver failed: \(PlainText.line(failure)).</p>\n" }
        for problem in scenario.problems.prefix(5) {
            html += "<pre class=\"said\">\(PlainText.cut(problem, to: 4_000))</pre>\n"
        }
        let weighty = report.weighty(scenario.verdicts)
        let found = weighty.flatMap { verdict in verdict.findings.map { (verdict.clause, $0) } }
        let decided = Set(weighty.map(\.clause))
        let elsewhere = scenario.verdicts.filter { verdict in
            verdict.outcome == .inconclusive && !decided.contains(verdict.clause)
                && links.clauses.contains(verdict.clause)
        }.map(\.clause)
        if !elsewhere.isEmpty {
            html += """
                <p class="meta">What it shows proves nothing for \(Markup.joined(elsewhere.map(links.link), by: ", ")); \
                other scenarios decide there.</p>\n
                """
        }
        if !found.isEmpty {
            let items = found.prefix(Self.maxFindings).map { clause, finding -> Markup in
                "<li>\(links.link(clause)): \(PlainText.line(finding.what))</li>"
            }
            html += "<ul>\(items)</ul>\n"
        }
        guard !scenario.history.events.isEmpty else { return html }
        var own = max(0, min(room, Self.maxRowsOfOne))
        let before = own
        let chart = SequenceChart(
            scenario.history, marking: found.map { .init($0, $1) },
            maxVerbatim: found.isEmpty ? Self.maxQuietVerbatim : Self.maxVerbatim)
        html += HTMLChart(chart, outcomes: outcomes[scenario.name] ?? [:]).whole(name: scenario.name, room: &own)
        room -= before - own
        return html
    }
}
