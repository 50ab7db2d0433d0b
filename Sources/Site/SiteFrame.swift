import Holdfast

/// What stands around the content of each page: the head, the way to the other pages, the search box.
struct SiteFrame {
    let specification: Specification
    let chapters: [(page: String, title: String)]

    func html(page: String, title: String, content: String) -> String {
        let root = String(repeating: "../", count: page.split(separator: "/").count - 1)
        return """
            <!doctype html>
            <html lang="en" data-root="\(root)">
            <head>
            <meta charset="utf-8">
            <meta name="viewport" content="width=device-width, initial-scale=1">
            <title>\(HTMLText.escaped(title)) · Holdfast \(HTMLText.escaped(specification.version))</title>
            <link rel="stylesheet" href="\(root)site.css">
            <link rel="icon" href="data:,">
            </head>
            <body>
            <a class="skip" href="#content">To the content</a>
            <header>
            <a class="home" href="\(root)index.html">Holdfast \(HTMLText.escaped(specification.version))</a>
            <div class="search"><input id="search" type="search" placeholder="Search ( / )" aria-label="Search the specification">
            <ul id="found" hidden></ul></div>
            </header>
            <div class="columns">
            <nav aria-label="Pages">
            \(navigation(root, page))
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
        let chapters = chapters.map { ($0.page, $0.title) }
        let areas = Area.allCases.map { ("clauses/\($0.rawValue).html", $0.rawValue) }
        let others = [("trace.html", "Trace"), ("out-of-scope.html", "Out of scope")]
        return group("Chapters", chapters, root, page)
            + group("Clauses", [("clauses/index.html", "All clauses")] + areas, root, page)
            + group("Appendices", others, root, page)
    }

    private func group(_ name: String, _ pages: [(String, String)], _ root: String, _ here: String) -> String {
        let items = pages.map { page, title in
            let current = page == here ? " aria-current=\"page\"" : ""
            return "<li><a href=\"\(root)\(page)\"\(current)>\(HTMLText.escaped(title))</a></li>"
        }
        return "<h2>\(name)</h2><ul>\n\(items.joined(separator: "\n"))\n</ul>\n"
    }

    static let style = """
        :root { color-scheme: light dark; --text: #1b1f24; --soft: #57606a; --page: #ffffff; --card: #f6f8fa;
          --line: #d0d7de; --link: #0a55b8; --mark: #7a3e00; }
        @media (prefers-color-scheme: dark) {
          :root { --text: #e6edf3; --soft: #9aa4af; --page: #0d1117; --card: #161b22; --line: #30363d; --link: #79b8ff;
            --mark: #f0b06a; }
        }
        * { box-sizing: border-box; }
        html { scroll-padding-top: 4rem; }
        body { margin: 0; color: var(--text); background: var(--page); font: 16px/1.55 system-ui, sans-serif; }
        a { color: var(--link); }
        header { position: sticky; top: 0; z-index: 2; display: flex; gap: 1rem; align-items: center; padding: .5rem 1rem;
          background: var(--page); border-bottom: 1px solid var(--line); }
        .home { font-weight: 600; text-decoration: none; white-space: nowrap; }
        .search { position: relative; flex: 1; max-width: 32rem; margin-left: auto; }
        .search input { width: 100%; padding: .4rem .6rem; font: inherit; color: inherit; background: var(--card);
          border: 1px solid var(--line); border-radius: 6px; }
        #found { position: absolute; right: 0; left: 0; max-height: 70vh; margin: .3rem 0 0; padding: .4rem; overflow: auto;
          list-style: none; background: var(--page); border: 1px solid var(--line); border-radius: 6px; }
        #found li { padding: .25rem; font-size: .9rem; color: var(--soft); }
        .skip { position: absolute; left: -100rem; }
        .skip:focus { left: 1rem; top: 1rem; z-index: 3; background: var(--page); }
        .columns { display: grid; grid-template-columns: 15rem minmax(0, 1fr); gap: 2rem; max-width: 78rem; margin: 0 auto;
          padding: 0 1rem; }
        nav { font-size: .9rem; position: sticky; top: 3.5rem; align-self: start; max-height: calc(100vh - 3.5rem);
          overflow: auto; }
        nav h2 { font-size: .8rem; margin: 1rem 0 .2rem; color: var(--soft); }
        nav ul { margin: 0; padding: 0; list-style: none; }
        nav a { text-decoration: none; }
        nav a[aria-current] { font-weight: 700; }
        main { padding-bottom: 4rem; overflow-wrap: break-word; }
        h1, h2, h3 { line-height: 1.25; }
        pre { padding: .8rem; overflow-x: auto; background: var(--card); border: 1px solid var(--line); border-radius: 6px;
          font-size: .85rem; line-height: 1.4; }
        code { font-family: ui-monospace, monospace; font-size: .9em; }
        .table { overflow-x: auto; }
        table { border-collapse: collapse; }
        th, td { padding: .3rem .6rem; border: 1px solid var(--line); text-align: left; vertical-align: top; }
        blockquote { margin-left: 0; padding-left: 1rem; border-left: 3px solid var(--line); color: var(--soft); }
        .card { margin: 1.2rem 0; padding: .2rem 1rem .6rem; border: 1px solid var(--line); border-radius: 8px; }
        .card:target { border-color: var(--link); box-shadow: 0 0 0 1px var(--link); }
        .card h2 { font-size: 1.05rem; }
        .here { color: inherit; text-decoration: none; }
        .about { font-size: .85rem; font-weight: 400; color: var(--soft); }
        .keyword { font-weight: 700; color: var(--mark); }
        .sentence { font-size: 1.08rem; }
        .note { display: grid; grid-template-columns: 9rem minmax(0, 1fr); gap: .2rem 1rem; margin: .5rem 0; }
        .note h4 { margin: 0; font-size: .85rem; color: var(--soft); }
        .note ul { margin: 0; padding-left: 1.1rem; }
        .origin { font-size: .85rem; color: var(--soft); }
        figure { margin: 1rem 0; overflow-x: auto; }
        figure svg { min-width: 40rem; max-width: 100%; }
        @media (max-width: 50rem) {
          .columns { display: block; }
          nav { position: static; max-height: none; border-bottom: 1px solid var(--line); padding-bottom: .5rem; }
          nav ul { display: flex; flex-wrap: wrap; gap: .1rem .8rem; }
          .note { display: block; }
        }
        @media print {
          header, nav, .skip, .contents { display: none; }
          .columns { display: block; }
          .card { break-inside: avoid-page; }
          pre { white-space: pre-wrap; }
          a { color: inherit; }
        }

        """
}
