import Holdfast
import HoldfastJSON

/// The specification as a folder of HTML pages that need no network.
///
/// It is built from the files of `Spec/` and the index of the fixtures. Broken links, missing anchors and unsupported
/// Markdown are rejected with their line, so a finished site is complete.
package struct Site: Sendable {
    package struct Defect: Sendable {
        package let clause: ClauseID
        /// The name in command line flags.
        package let name: String
        package let summary: String

        package init(clause: ClauseID, name: String, summary: String) {
            (self.clause, self.name, self.summary) = (clause, name, summary)
        }
    }

    let specification: Specification
    let fixtures: [FixtureIndex.Entry]
    let scenarios: [SiteScenario]
    let defects: [ClauseID: [Defect]]
    let texts: [String: String]
    /// The guides by name, such as `Commands.md`, and their pictures.
    let toolPages: [String: String]

    /// Collects the sources.
    /// - Parameters:
    ///   - specification: The specification, with the index of the fixtures among its files.
    ///   - fixtureTexts: The fixtures by path below `Fixtures/`; for a missing one, the site shows only its notation
    ///     and reason.
    ///   - toolPages: The guides by name; pictures as `data:` addresses.
    ///   - defects: The defects of the reference peers.
    /// - Throws: A problem for each unreadable scenario or fixture.
    package init(
        _ specification: Specification, fixtureTexts: [String: String] = [:], toolPages: [String: String] = [:],
        defects: [Defect] = []
    ) throws(InputProblems) {
        self.specification = specification
        self.defects = Dictionary(grouping: defects, by: \.clause)
        texts = fixtureTexts
        self.toolPages = toolPages
        fixtures = try FixtureIndex(specification.files).entries
        scenarios = try SiteScenario.all(in: specification.files)
    }

    /// The files of the site by path; start at `index.html`.
    /// - Throws: A problem for each broken link and each unsupported Markdown construct.
    package func files() throws(InputProblems) -> [String: String] {
        let markdown = try read()
        let locations = pages(markdown)
        let links = LinkResolver(clauses: Set(specification.clauses.map(\.id)), pages: locations)
        try links.problems(in: markdown).throwAll()

        var files: [String: String] = [:]
        var entries: [SearchEntry] = []
        let guides = ToolGuides(toolPages, read: markdown)
        let frame = SiteFrame(specification: specification, guides: guides.pages, chapters: chapters(markdown))
        func add(_ page: String, _ title: String, _ content: String) {
            files[page] = frame.html(page: page, title: title, content: content)
            entries.append(SearchEntry(name: title, text: "", address: page))
        }
        for (file, text) in markdown.sorted(by: { $0.key < $1.key }) {
            let page = locations[file] ?? file
            let renderer = PageRenderer(links: links, page: page, pictures: toolPages)
            if let area = Self.area(of: file) {
                let clauses = specification.clauses.filter { $0.id.area == area }
                let writer = ClausePages(site: self, renderer: renderer)
                add(page, text.title, writer.page(of: clauses, introduction: text))
                entries += clauses.map {
                    SearchEntry(
                        name: $0.id.description, text: "\($0.sentence) \($0.why) \($0.seen ?? "")",
                        address: "\(page)#\($0.id)")
                }
            } else if file.hasPrefix("tool/") {
                files[page] = frame.html(
                    page: page, title: text.title, content: renderer.html(text.blocks.map(\.block)))
                entries += guides.entries(of: file, at: page)
            } else {
                var blocks = text.blocks.map(\.block)
                var opening = ""
                // The opening has the title of this page, so the title of the file is one level lower.
                if file == "README.md" {
                    opening = SiteOpening.html(linkingGuides: !toolPages.isEmpty)
                    if case .heading(1, let words)? = blocks.first { blocks[0] = .heading(level: 2, words) }
                }
                add(page, text.title, opening + renderer.html(blocks))
            }
        }
        let all = PageRenderer(links: links, page: "clauses/index.html")
        add("clauses/index.html", "All clauses", ClausePages(site: self, renderer: all).list())
        for (page, title, content) in scenarioPages(links) + fixturePages(links) { add(page, title, content) }
        for (file, text) in specification.files.texts where Self.isJSONPage(file) {
            add("\(file.dropLast(".json".count)).html", file, links.html(ofJSON: text, in: file))
        }
        add("files.html", "Scenarios, fixtures and schemas", SiteOpening.list(of: entries))
        entries += scenarios.map { SearchEntry(name: $0.name, text: "\($0.title) \($0.summary)", address: $0.address) }
        entries += SymptomIndex(specification.files).entries.map {
            SearchEntry(
                name: $0.title, text: $0.text, address: "symptoms.html#\($0.anchor)", words: $0.words)
        }
        files.merge(SchemaBundle(specification.files).files) { $1 }
        files["site.css"] = Resources.siteCSS
        files["search.js"] = SearchEntry.script(entries.sorted { $0.address < $1.address })
        return files
    }

    private func read() throws(InputProblems) -> [String: MarkdownPage] {
        var pages: [String: MarkdownPage] = [:]
        var problems: [InputProblem] = []
        let guides = toolPages.filter { $0.key.hasSuffix(".md") }.map {
            (ToolGuides.file($0.key), ToolGuides.text($0.value))
        }
        let texts = specification.files.texts.filter { $0.key.hasSuffix(".md") }.map { ($0.key, $0.value) }
        for (file, text) in texts + guides {
            pages[file] = problems.take { () throws(InputProblems) in try MarkdownPage(text, file: "Spec/\(file)") }
        }
        try problems.sorted { $0.location < $1.location }.throwAll()
        return pages
    }

    private func pages(_ markdown: [String: MarkdownPage]) -> [String: String] {
        var pages = ["clauses": "clauses/index.html"]
        for file in markdown.keys {
            pages[file] = file == "README.md" ? "index.html" : "\(file.dropLast(".md".count)).html"
        }
        for file in specification.files.texts.keys where Self.isJSONPage(file) {
            pages[file] = "\(file.dropLast(".json".count)).html"
        }
        return pages
    }

    private func chapters(_ markdown: [String: MarkdownPage]) -> [(page: String, title: String)] {
        markdown.filter { $0.key.hasPrefix("chapters/") }.sorted { $0.key < $1.key }.map {
            ("\($0.key.dropLast(".md".count)).html", $0.value.title)
        }
    }

    /// Whether a file has a page that shows it unchanged.
    private static func isJSONPage(_ file: String) -> Bool {
        file.hasSuffix(".json") && !file.hasPrefix("scenarios/") && !file.hasPrefix("fixtures/")
    }

    private static func area(of file: String) -> Area? {
        guard file.hasPrefix("clauses/"), file.hasSuffix(".md") else { return nil }
        return Area(rawValue: String(file.dropFirst("clauses/".count).dropLast(".md".count)))
    }
}
