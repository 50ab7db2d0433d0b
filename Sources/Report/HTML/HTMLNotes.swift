import Holdfast
import HoldfastBasics
import HoldfastJudge

struct HTMLNotes {
    let report: RunReport
    let links: HTMLLinks

    var html: Markup { "\(tiers)\(lines)\(excluded)" }

    private var tiers: Markup {
        guard report.tiers.count > 1 else { return "" }
        let rows = report.tiers.map { tier -> Markup in
            """
            <tr><th scope="row">tier \(tier.tier) <small>\(tier.agent)</small></th><td>\(tier.performed)</td>\
            <td>\(tier.leftOut)</td><td>\(tier.words)</td></tr>
            """
        }
        return """
            <div class="scroll" tabindex="0" role="region" aria-label="Scenarios by tier"><table>
            <thead><tr><th scope="col">Scenarios</th><th scope="col">run</th><th scope="col">skipped</th>\
            <th scope="col">clauses</th></tr></thead><tbody>\(rows)</tbody></table></div>\n
            """
    }

    private var lines: Markup {
        var lines = JSONReport.lines(of: report.unseen).map { "\($0)." } + report.notes + report.diagnostics
        lines += report.outOfReach.map { "Out of reach: \($0.line)" }
        let open = [
            ("Set aside (skipped on request)", report.setAside),
            (report.part == nil ? "Not met by this life" : "Left to the other shards", report.deferred),
            ("Without a check yet", report.pending),
        ]
        lines += open.filter { !$0.1.isEmpty }.map { "\($0): \(names($1))" }
        lines += report.skipped.map { "Skipped: \($0)" }
        for result in report.baseline?.results.filter({ $0.state == .notInRun }) ?? [] { lines.append(result.what) }
        guard !lines.isEmpty else { return "" }
        return "<ul class=\"plain\">\(lines.map { "<li>\(PlainText.line($0, limit: 2_000))</li>\n" as Markup })</ul>\n"
    }

    private var excluded: Markup {
        guard !report.excluded.isEmpty else { return "" }
        return "<p>A black-box test cannot judge \(names(report.excluded)); review them by hand.</p>\n"
    }

    private func names(_ clauses: [ClauseID]) -> String { clauses.map(\.description).joined(separator: ", ") }
}
