import Holdfast
import HoldfastJudge

/// Outcomes by clause area, with a link from each count to its clauses.
struct HTMLMatrix {
    let report: RunReport
    let links: HTMLLinks

    var html: Markup {
        let used = HTMLBadge.all.filter { badge in report.clauses.contains { HTMLBadge($0, in: report) == badge } }
        // Unjudged clauses have no card to link to, but count in their area.
        let others = [("out of reach", report.unreached), ("set aside", report.setAside)].filter { !$0.1.isEmpty }
        let areas = Set((report.clauses.map(\.clause.id) + others.flatMap(\.1)).map(\.area)).sorted()
        let rows = areas.map { area -> Markup in
            let results = report.clauses.filter { $0.clause.id.area == area }
            let otherCells = others.map { _, clauses -> Markup in
                let count = clauses.count { $0.area == area }
                return count == 0 ? "<td class=\"none\">·</td>" : "<td>\(count)</td>"
            }
            let cells = used.map { badge -> Markup in
                let count = results.count { HTMLBadge($0, in: report) == badge }
                guard count > 0 else { return "<td class=\"none\">·</td>" }
                return """
                    <td class="\(badge.name)"><a href="#\(links.id(area))" data-f="\(badge.name) \(area.rawValue)">\
                    \(count)<span class="hidden"> \(area.rawValue) \(badge.word)</span></a></td>
                    """
            }
            let name: Markup =
                results.isEmpty
                ? "\(area.rawValue)"
                : "<a href=\"#\(links.id(area))\" data-f=\"* \(area.rawValue)\">\(area.rawValue)</a>"
            return """
                <tr><th scope="row">\(name) <small>\(area.meaning)</small></th>\(cells)\(otherCells)</tr>\n
                """
        }
        let totals = used.map { badge -> Markup in
            "<td>\(report.clauses.count { HTMLBadge($0, in: report) == badge })</td>"
        }
        return """
            <div class="scroll" tabindex="0" role="region" aria-label="Clauses by area and verdict"><table class="matrix">
            <thead><tr><th scope="col">Area</th>\(used.map { "<th scope=\"col\">\($0.html)</th>" as Markup })\
            \(others.map { "<th scope=\"col\">\($0.0)</th>" as Markup })</tr></thead>
            <tbody>\(rows)</tbody>
            <tfoot><tr><th scope="row">All</th>\(totals)\(others.map { "<td>\($0.1.count)</td>" as Markup })</tr></tfoot></table></div>\n
            """
    }
}
