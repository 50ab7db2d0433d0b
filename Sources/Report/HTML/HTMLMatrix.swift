import Holdfast
import HoldfastJudge

/// Clause areas against outcomes, with a link from each count to its clauses.
struct HTMLMatrix {
    let report: RunReport
    let links: HTMLLinks

    var html: Markup {
        let used = HTMLBadge.all.filter { badge in report.clauses.contains { HTMLBadge($0, in: report) == badge } }
        let areas = Dictionary(grouping: report.clauses, by: \.clause.id.area).sorted { $0.key < $1.key }
        let rows = areas.map { area, results -> Markup in
            let cells = used.map { badge -> Markup in
                let count = results.count { HTMLBadge($0, in: report) == badge }
                guard count > 0 else { return "<td class=\"none\">·</td>" }
                return """
                    <td class="\(badge.name)"><a href="#\(links.id(area))" data-f="\(badge.name) \(area.rawValue)">\
                    \(count)<span class="hidden"> \(area.rawValue) \(badge.word)</span></a></td>
                    """
            }
            return """
                <tr><th scope="row"><a href="#\(links.id(area))" data-f="* \(area.rawValue)">\(area.rawValue)</a> \
                <small>\(area.meaning)</small></th>\(cells)</tr>\n
                """
        }
        let totals = used.map { badge -> Markup in
            "<td>\(report.clauses.count { HTMLBadge($0, in: report) == badge })</td>"
        }
        return """
            <div class="scroll" tabindex="0" role="region" aria-label="Clauses by area and verdict"><table class="matrix">
            <thead><tr><th scope="col">Area</th>\(used.map { "<th scope=\"col\">\($0.html)</th>" as Markup })</tr></thead>
            <tbody>\(rows)</tbody>
            <tfoot><tr><th scope="row">All</th>\(totals)</tr></tfoot></table></div>\n
            """
    }
}
