import Holdfast
import HoldfastBasics
import HoldfastJudge

/// Several reports side by side: a column for each report, a row for each clause, and the findings below.
struct HTMLComparison {
    private let entries: [HTMLReport.Entry]
    private let names: [String]
    private let runs: [HTMLRun]
    private let results: [[ClauseID: ClauseResult]]

    init(_ entries: [HTMLReport.Entry]) {
        self.entries = entries
        names = Self.short(entries.map(\.name))
        runs = entries.enumerated().map { HTMLRun($1.report, prefix: "r\($0 + 1).", isWhole: false) }
        results = entries.map { $0.report.clauses.keyed(by: \.clause.id) }
    }

    var page: HTMLPage {
        var page = HTMLPage(
            title: entries.indices.map { "\(name($0)): \(entries[$0].report.headline)" }.joined(separator: " · "))
        let good = entries.count { $0.report.exit == .conforms }
        page.header = """
            <p class="kicker">Holdfast conformance report</p>
            <div class="verdict \(good == entries.count ? "good" : "bad")"><h1><span class="sign" aria-hidden="true">\
            \(good == entries.count ? "✓" : "✕")</span> \(good) of \(entries.count) conform</h1>
            <p class="lead">\(difference)</p></div>
            \(subjects)
            """
        page.add("clauses", "Clause by clause", filter + table)
        for (index, entry) in entries.enumerated() {
            let run = runs[index]
            let head = HTMLHead(report: entry.report)
            let scenarios = run.links.scenarios.isEmpty ? "" : run.scenarios(level: 4)
            page.add(
                "r\(index + 1)", name(index),
                """
                \(head.verdict(level: 3))\(head.facts)\
                \(run.hasFindings ? HTMLPage.legend + run.findings(level: 4) : "<p>Nothing was found.</p>")\
                \(scenarios == "" ? "" : "<h3 class=\"group\">Scenarios with findings</h3>" + scenarios)
                """)
        }
        return page
    }

    private func name(_ index: Int) -> String { PlainText.line(names[index], limit: 60) }

    /// The names without their common folders, and without `report.json` if they remain distinct.
    private static func short(_ names: [String]) -> [String] {
        var parts = names.map { $0.split(separator: "/", omittingEmptySubsequences: true) }
        while let first = parts.first?.first, parts.allSatisfy({ $0.count > 1 && $0.first == first }) {
            parts = parts.map { Array($0.dropFirst()) }
        }
        let folders = parts.map { $0.count > 1 && $0.last == "report.json" ? Array($0.dropLast()) : $0 }
        if Set(folders).count == folders.count { parts = folders }
        return zip(parts, names).map { $0.isEmpty ? $1 : $0.joined(separator: "/") }
    }

    private var clauses: [Clause] {
        var known: [ClauseID: Clause] = [:]
        for result in results.flatMap(\.values) { known[result.clause.id] = result.clause }
        return known.values.sorted { $0.id < $1.id }
    }

    private func badge(_ clause: ClauseID, _ index: Int) -> HTMLBadge? {
        results[index][clause].map { HTMLBadge($0, in: entries[index].report) }
    }

    private var differing: Set<ClauseID> {
        Set(clauses.map(\.id).filter { clause in Set(entries.indices.compactMap { badge(clause, $0) }).count > 1 })
    }

    private var difference: String {
        let (count, partly) = (differing.count, clauses.count { clause in results.contains { $0[clause.id] == nil } })
        let same =
            partly == 0 ? "They agree on every clause." : "They agree on every clause they share."
        let sentence = "\(counted(count, "clause")) \(count == 1 ? "does" : "do") differ."
        let rest = "\(counted(partly, "clause")) \(partly == 1 ? "applies" : "apply") to only some of them."
        return (count == 0 ? same : sentence) + (partly == 0 ? "" : " " + rest)
    }

    private var subjects: Markup {
        let heads = entries.indices.map { "<th scope=\"col\"><a href=\"#r\($0 + 1)\">\(name($0))</a></th>" as Markup }
        func row(_ title: String, _ cell: (RunReport) -> Markup) -> Markup {
            "<tr><th scope=\"row\">\(title)</th>\(entries.map { "<td>\(cell($0.report))</td>" as Markup })</tr>\n"
        }
        let proof = { (report: RunReport) -> Markup in
            guard let proof = report.persistenceProof else { return "not applicable" }
            return "\(HTMLBadge(proof.outcome).html) <small>\(.prose(PlainText.line(proof.words, limit: 300)))</small>"
        }
        return """
            <div class="scroll" tabindex="0" role="region" aria-label="The reports"><table class="sides">
            <thead><tr><th scope="col">Report</th>\(heads)</tr></thead><tbody>
            \(row("Verdict") { "<strong class=\"\(HTMLHead.tone(of: $0.exit))\">\(HTMLHead.sign(of: $0.exit)) \($0.verdict)</strong>" })\
            \(row("Subject") { "\(PlainText.line($0.subject.name))" })\
            \(row("Address") { "<code>\(PlainText.line($0.address))</code>" })\
            \(row("Profiles") { "\($0.subject.profileNames)" })\
            \(row("Date") { "\(HTMLHead.day($0.startedAt))" })\
            \(row("Clauses") { "\($0.clauses(.pass).count) pass, \($0.clauses(.violation).count) violated" })\
            \(row("Persistence proof", proof))</tbody></table></div>\n
            """
    }

    private var filter: Markup {
        var badges: Set<HTMLBadge> = []
        for (index, known) in results.enumerated() {
            for clause in known.keys { badge(clause, index).map { _ = badges.insert($0) } }
            badges.formUnion(entries[index].report.scenarios.map { HTMLBadge($0, in: entries[index].report) })
        }
        return HTMLPage.filter(
            badges: HTMLBadge.all.filter(badges.contains), areas: Set(clauses.map(\.id.area)).sorted())
    }

    private var table: Markup {
        let heads = entries.indices.map { "<th scope=\"col\">\(name($0))</th>" as Markup }
        let differing = differing
        let rows = clauses.map { clause -> Markup in
            let cells = entries.indices.map { index -> Markup in
                guard let badge = badge(clause.id, index), let result = results[index][clause.id] else {
                    return "<td><small>not applicable</small></td>"
                }
                let isFound = [.violation, .inconclusive, .warning].contains(result.outcome)
                guard isFound else { return "<td>\(badge.html)</td>" }
                return "<td><a href=\"#\(runs[index].links.id(clause.id))\">\(badge.html)</a></td>"
            }
            let names = Set(entries.indices.compactMap { badge(clause.id, $0)?.name }).sorted().joined(separator: " ")
            return """
                <tr class="item\(differing.contains(clause.id) ? " differs" : "")" id="\(clause.id.description)" \
                data-v="\(names)" data-a="\(clause.id.area.rawValue)"><th scope="row"><b>\(clause.id.description)</b> \
                <small>\(.prose(clause.sentence))</small></th>\(cells)</tr>\n
                """
        }
        return """
            <div class="scroll" tabindex="0" role="region" aria-label="Clauses by report"><table class="sides clauses">
            <thead><tr><th scope="col">Clause</th>\(heads)</tr></thead><tbody>\(rows)</tbody></table></div>\n
            """
    }
}
