import Holdfast
import HoldfastBasics
import HoldfastJudge

/// The frame of a page: its policy, its only style and script, its landmarks, and its sections in order.
///
/// The script never creates HTML from text: it filters, opens link targets, and shows frames under the pointer.
struct HTMLPage {
    private let title: String
    var header: Markup = ""
    var again = "conformance judge report.json"
    private var sections: [(id: String, title: String, content: Markup)] = []

    init(title: String) { self.title = title }

    mutating func add(_ id: String, _ title: String, _ content: Markup) { sections.append((id, title, content)) }

    var text: String {
        let style = Resources.reportCSS + Self.indices
        let script = Resources.reportJS
        let policy = """
            default-src 'none'; style-src '\(SHA256.source(of: style))'; script-src '\(SHA256.source(of: script))'; \
            base-uri 'none'; form-action 'none'
            """
        let navigation = sections.map { "<a href=\"#\($0.id)\">\($0.title)</a>\n" as Markup }
        let content = sections.map { section -> Markup in
            """
            <section id="\(section.id)" aria-labelledby="\(section.id).name">
            <h2 id="\(section.id).name">\(section.title)</h2>
            \(section.content)</section>\n
            """
        }
        let start: Markup = """
            <!doctype html>
            <html lang="en"><head><meta charset="utf-8"><meta http-equiv="Content-Security-Policy" content="\(policy: policy)">
            <title>\(title) · Holdfast</title>
            <meta name="viewport" content="width=device-width, initial-scale=1"><meta name="color-scheme" content="light dark">
            <meta name="referrer" content="no-referrer">
            <style>
            """
        let body: Markup = """
            </head><body>
            <a class="skip" href="#main">Skip to the findings</a>
            <header>\(header)</header>
            <nav aria-label="Sections">\(navigation)</nav>
            <main id="main" tabindex="-1">
            \(content)</main>
            <footer><p>Recompute every verdict from the transcripts: \
            <code>\(again)</code>. This page loads nothing from the network.</p></footer>
            <div id="peek" aria-hidden="true" hidden></div>
            <script>
            """
        return start.source + style + "</style>\n" + body.source + script + "</script>\n</body></html>\n"
    }

    /// The columns of charts; positions are classes, because the policy also forbids style attributes.
    private static let indices = (0...HTMLChart.maxColumns).map { index in
        ".n\(index){--n:\(index)}.a\(index){--a:\(index)}.b\(index){--b:\(index)}\n"
    }.joined()

    static let legend = Markup(stringLiteral: Resources.legendHTML)

    /// Controls to filter clauses and scenarios; hidden without the script.
    static func filter(_ report: RunReport) -> Markup {
        let clauses = Set(report.clauses.map { HTMLBadge($0, in: report) })
        let scenarios = Set(report.scenarios.map { HTMLBadge($0, in: report) })
        return filter(
            badges: HTMLBadge.all.filter { clauses.contains($0) || scenarios.contains($0) },
            areas: Set(report.clauses.map(\.clause.id.area)).sorted())
    }

    static func filter(badges: [HTMLBadge], areas: [Area]) -> Markup {
        var seen: Set<String> = []
        let boxes = badges.filter { seen.insert($0.name).inserted }.map { badge -> Markup in
            "<label><input type=\"checkbox\" name=\"v\" value=\"\(badge.name)\" checked> \(badge.html)</label>\n"
        }
        let options = areas.map { "<option>\($0.rawValue)</option>" as Markup }
        return """
            <form class="filter" id="filter" role="search" aria-label="Filter clauses and scenarios" hidden>
            <fieldset><legend>Show</legend>\(boxes)</fieldset>
            <label>Area <select name="a"><option value="">all</option>\(options)</select></label>
            <label>Text <input type="search" name="q" placeholder="id or words" autocomplete="off"></label>
            <button type="reset">Show all</button> <button type="button" name="unfold">Expand all</button>
            <output aria-live="polite"></output> <small><kbd>n</kbd> next violation, <kbd>p</kbd> previous</small></form>\n
            """
    }
}

extension Markup.Interpolation {
    /// A policy, which never contains a character that ends an attribute.
    fileprivate mutating func appendInterpolation(policy: String) { appendLiteral(policy) }
}
