import Holdfast
import HoldfastBasics
import HoldfastJudge

/// Many runs of one subject: a column for each run, a row for each clause.
struct HTMLHistory {
    private let history: RunHistory

    init(_ history: RunHistory) { self.history = history }

    var text: String {
        let last = history.runs.last
        let exit = last?.exit ?? .incomplete
        var page = HTMLPage(title: "\(PlainText.line(history.subject)), \(counted(history.runs.count, "run"))")
        page.header = """
            <p class="kicker">Holdfast conformance history</p>
            <div class="verdict \(HTMLHead.tone(of: exit))"><h1><span class="sign" aria-hidden="true">\
            \(HTMLHead.sign(of: exit))</span> \(PlainText.line(history.subject))</h1>
            <p class="lead">Latest of \(counted(history.runs.count, "run")): \(PlainText.line(last?.headline ?? "none")). \
            Clauses: \(history.summary).</p></div>\n
            """
        page.add("clauses", "Clauses over time", filter + clauses)
        page.add("runs", "Runs", runs)
        return page.text
    }

    private func badge(_ clause: ClauseID, in run: RunHistory.Run) -> HTMLBadge? {
        run.outcomes[clause].map { run.expected.contains(clause) ? .expected : HTMLBadge($0) }
    }

    private var filter: Markup {
        let used = Set(history.runs.flatMap { run in run.outcomes.keys.compactMap { badge($0, in: run) } })
        return HTMLPage.filter(
            badges: HTMLBadge.all.filter(used.contains), areas: Set(history.sentences.keys.map(\.area)).sorted())
    }

    private var clauses: Markup {
        let heads = history.runs.indices.map { index -> Markup in
            let title = "\(HTMLHead.day(history.runs[index].startedAt)) \(PlainText.line(history.runs[index].name))"
            return "<th scope=\"col\"><a href=\"#run\(index + 1)\" title=\"\(title)\">\(index + 1)</a></th>"
        }
        let rows = history.trends.map { clause, trend -> Markup in
            let badges = history.runs.map { badge(clause, in: $0) }
            let cells = badges.map { badge -> Markup in
                guard let badge else { return "<td class=\"none\">·</td>" }
                return """
                    <td class="\(badge.name)"><span aria-hidden="true" title="\(badge.word)">\(badge.sign)</span>\
                    <span class="hidden">\(badge.word)</span></td>
                    """
            }
            let names = Set(badges.compactMap { $0?.name }).sorted().joined(separator: " ")
            return """
                <tr class="item" id="\(clause.description)" data-v="\(names)" data-a="\(clause.area.rawValue)">\
                <th scope="row"><b>\(clause.description)</b> <em>\(history.words(trend))</em> \
                <small>\(.prose(history.sentences[clause] ?? ""))</small></th>\(cells)</tr>\n
                """
        }
        return """
            <div class="scroll" tabindex="0" role="region" aria-label="Clauses by run"><table class="matrix history">
            <thead><tr><th scope="col">Clause</th>\(heads)</tr></thead><tbody>\(rows)</tbody></table></div>\n
            """
    }

    private var runs: Markup {
        let rows = history.runs.enumerated().map { index, run -> Markup in
            let versions = "\(run.specification)\(run.tool.map { ", program \($0)" } ?? "")"
            return """
                <tr id="run\(index + 1)"><th scope="row">\(index + 1)</th><td>\(HTMLHead.day(run.startedAt))</td>\
                <td><strong class="\(HTMLHead.tone(of: run.exit))">\(HTMLHead.sign(of: run.exit)) \
                \(PlainText.line(run.headline))</strong></td><td><code>\(PlainText.line(run.name))</code></td>\
                <td>\(PlainText.line(versions))</td></tr>\n
                """
        }
        return """
            <div class="scroll" tabindex="0" role="region" aria-label="Runs"><table>
            <thead><tr><th scope="col">Run</th><th scope="col">Date</th><th scope="col">Verdict</th>\
            <th scope="col">Report</th><th scope="col">Specification</th></tr></thead><tbody>\(rows)</tbody></table></div>\n
            """
    }
}
