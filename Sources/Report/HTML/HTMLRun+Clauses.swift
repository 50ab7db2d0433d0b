import Holdfast
import HoldfastBasics
import HoldfastJudge

extension HTMLRun {
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
            inner = "<p>See the findings above: \(links.link(clause.id)).</p>"
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
        case .notApplicable:
            let missing = report.undeclaredProfile(of: result.clause)
            return "<p>The subject does not declare profile \(missing.rawValue).</p>"
        case .untested: return "<p>\(capitalized(report.whyUntested(result.clause.id))).</p>"
        case .harnessError: return "<p>No scenario could exercise it because the suite failed.</p>"
        default: break
        }
        let intended = result.scenarios.filter { report.intended[$0]?.contains(result.clause.id) ?? false }
        let shown = (intended + result.scenarios.filter { !intended.contains($0) }).prefix(5)
        let left = result.scenarios.count - shown.count
        return """
            <p>Exercised \(times(result.exercised)) in \(counted(result.scenarios.count, "scenario")):</p>
            <ul>\(shown.map { "<li>\(links.link(scenario: $0))</li>" as Markup })\
            \(left > 0 ? "<li>and \(left) more</li>" as Markup : "")</ul>
            """
    }
}
