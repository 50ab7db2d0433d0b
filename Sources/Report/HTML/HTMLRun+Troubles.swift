import Holdfast
import HoldfastBasics
import HoldfastJudge

extension HTMLRun {
    /// Failures of the suite and of drivers, and baseline entries to edit.
    var troubles: [Markup] {
        var cards: [Markup] = []
        for scenario in report.scenarios {
            for problem in scenario.problems {
                cards.append(trouble("suite failure", scenario.name, problem))
            }
        }
        for (failure, all) in report.driverFailures {
            let rest = all.count > 1 ? "\nand in \(counted(all.count - 1, "more scenario"))" : ""
            let location = all.first.map { "\nat \($0.stoppedAt ?? "the end")" } ?? ""
            cards.append(trouble("driver failure", all.first?.name ?? "", failure + location + rest))
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

    func untested(_ level: Int) -> Markup {
        let untested = report.clauses(.untested)
        guard !untested.isEmpty else { return "" }
        let items = report.gaps.map { gap -> Markup in
            "<li>\(capitalized(gap.reason)): \(Markup.joined(gap.clauses.map(links.link), by: ", "))</li>\n"
        }
        return """
            <h\(level) class="group">Untested <span class="count">\(untested.count)</span></h\(level)>
            <p class="meta">Declared, but nothing in this run exercised these clauses. The run is incomplete.</p>
            <ul class="plain">\(items)</ul>\n
            """
    }
}
