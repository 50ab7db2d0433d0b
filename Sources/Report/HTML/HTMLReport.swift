import Holdfast
import HoldfastJudge

/// The report for people as one HTML file that needs nothing but itself.
///
/// It loads nothing and runs nothing but its own style and script, which a policy in it names by their digests; everything that
/// came from a subject is text. Without the script it is whole: the script filters, opens what a link names, and shows frames
/// under the pointer.
package struct HTMLReport {
    /// A report and what it is called among others.
    package struct Entry: Sendable {
        /// What it is called, such as the name of its file.
        package let name: String
        package let report: RunReport

        package init(_ name: String, _ report: RunReport) { (self.name, self.report) = (name, report) }
    }

    private let entries: [Entry]

    package init(_ report: RunReport) { entries = [Entry(report.subject.name, report)] }

    /// The page of several reports, side by side; of one alone it is the same as without a name.
    package init(comparing entries: [Entry]) { self.entries = entries }

    /// The whole file, ending with a newline.
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
        if notes != "" { page.add("notes", "About this run", notes) }
        return page.text
    }
}
