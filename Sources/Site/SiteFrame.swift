import Holdfast
import HoldfastBasics

/// The frame around the content of each page: head, navigation, search box.
struct SiteFrame {
    let specification: Specification
    let guides: [(page: String, title: String)]
    let chapters: [(page: String, title: String)]

    func html(page: String, title: String, content: String) -> String {
        let root = String(repeating: "../", count: page.split(separator: "/").count - 1)
        return """
            <!doctype html>
            <html lang="en" data-root="\(root)">
            <head>
            <meta charset="utf-8">
            <meta name="viewport" content="width=device-width, initial-scale=1">
            <title>\(escapedForMarkup(title)) · Holdfast \(escapedForMarkup(specification.version))</title>
            <link rel="stylesheet" href="\(root)site.css">
            <link rel="icon" href="data:,">
            </head>
            <body>
            <a class="skip" href="#content">To the content</a>
            <header>
            <a class="home" href="\(root)index.html">Holdfast \(escapedForMarkup(specification.version))</a>
            <a class="menu" href="#pages">Menu</a>
            <div class="search"><input id="search" type="search" placeholder="Search ( / )" aria-label="Search these pages">
            <ul id="found" aria-live="polite" hidden></ul></div>
            </header>
            <div class="columns">
            <nav id="pages" aria-label="Pages">
            \(navigation(root, page))
            <a class="menu" href="#content">Close</a>
            </nav>
            <main id="content">
            \(content)
            </main>
            </div>
            <script src="\(root)search.js"></script>
            </body>
            </html>

            """
    }

    private func navigation(_ root: String, _ page: String) -> String {
        let start = [("index.html", "Overview", ""), ("symptoms.html", "Symptoms", "")]
        let chapters = chapters.map { ($0.page, $0.title, "") }
        let areas = Area.allCases.map { ("clauses/\($0.rawValue).html", $0.rawValue, $0.meaning) }
        let others = [
            ("glossary.html", "Glossary", ""), ("files.html", "Scenarios, fixtures, schemas", ""),
            ("trace.html", "Trace", ""),
            ("out-of-scope.html", "Out of scope", ""),
        ]
        let guides = guides.map { ($0.page, $0.title, "") }
        return group("Start", start, root, page) + (guides.isEmpty ? "" : group("Guides", guides, root, page))
            + group("Chapters", chapters, root, page)
            + group("Clauses", [("clauses/index.html", "All clauses", "")] + areas, root, page)
            + group("Reference", others, root, page)
    }

    private func group(_ name: String, _ pages: [(String, String, String)], _ root: String, _ here: String) -> String {
        let items = pages.map { page, title, about in
            let current = page == here ? " aria-current=\"page\"" : ""
            let small = about.isEmpty ? "" : " <small>\(escapedForMarkup(about))</small>"
            return "<li><a href=\"\(root)\(page)\"\(current)>\(escapedForMarkup(title))\(small)</a></li>"
        }
        return "<h2>\(name)</h2><ul>\n\(items.joined(separator: "\n"))\n</ul>\n"
    }
}
