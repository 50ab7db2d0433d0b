import Holdfast
import HoldfastJudge

/// The report as one self-contained HTML file.
///
/// It loads nothing and runs only its own style and script, which its policy names by digest; everything from a subject
/// is text. It is complete without the script, which filters, opens link targets, and shows frames under the pointer.
package struct HTMLReport {
    package struct Entry: Sendable {
        package let name: String
        package let report: RunReport

        package init(_ name: String, _ report: RunReport) { (self.name, self.report) = (name, report) }
    }

    private let entries: [Entry]

    package init(_ report: RunReport) { entries = [Entry(report.subject.name, report)] }

    /// The page that compares several reports; for a single one, a normal page.
    package init(comparing entries: [Entry]) { self.entries = entries }

    package var text: String {
        if let entry = entries.first, entries.count == 1 { return single(entry.report) }
        return HTMLComparison(entries).page.text
    }

    private func single(_ report: RunReport) -> String {
        let run = HTMLRun(report)
        let head = HTMLHead(report: report)
        let notes = HTMLNotes(report: report, links: run.links).html
        var page = HTMLPage(title: report.headline)
        page.header = "<p class=\"kicker\">Holdfast conformance report</p>\n\(head.verdict(level: 1))\(head.facts)"
        if run.hasFindings {
            page.add("found", "Findings", HTMLPage.legend + run.findings(level: 3))
        }
        if let load = report.load { page.add("load", "Under load", HTMLLoad(figures: load).html) }
        page.add("areas", "Verdicts by area", HTMLMatrix(report: report, links: run.links).html)
        page.add("clauses", "All clauses", HTMLPage.filter(report) + run.clauses(level: 3))
        let legend: Markup = run.hasFindings ? "" : HTMLPage.legend
        page.add("scenarios", "All scenarios", legend + run.scenarios(level: 3))
        if let reach = report.reach { page.add("reach", "Reach", reach.html) }
        if notes != "" { page.add("notes", "About this run", notes) }
        return page.text
    }
}
