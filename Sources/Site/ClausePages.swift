import Holdfast
import HoldfastBasics

/// The page of each area, with a section for each clause, and the list of all clauses.
struct ClausePages {
    let site: Site
    let renderer: PageRenderer

    /// The page of an area: the introduction from its file, then a section for each clause.
    func page(of clauses: [Clause], introduction: MarkdownPage) -> String {
        let opening = introduction.blocks.map(\.block).prefix {
            if case .heading(3, _) = $0 { false } else { true }
        }
        let contents = clauses.map { clause in
            "<li><a href=\"#\(clause.id)\">\(clause.id)</a> \(inline(clause.sentence))</li>"
        }
        return """
            \(renderer.html(Array(opening)))
            <details class="contents"><summary>\(clauses.count) clauses</summary><ul>
            \(contents.joined(separator: "\n"))
            </ul></details>
            \(clauses.map(section).joined(separator: "\n"))
            """
    }

    func list() -> String {
        let rows = site.specification.clauses.map { clause in
            [
                SiteMarkup.link(
                    clause.id.description, to: renderer.links.address(of: clause.id, from: renderer.page)),
                clause.role.rawValue, clause.profile.rawValue, clause.keyword.rawValue, inline(clause.sentence),
            ]
        }
        return "<h1>All clauses</h1>\n" + SiteMarkup.table(["clause", "role", "profile", "keyword", "sentence"], rows)
    }

    // MARK: One clause

    private func section(_ clause: Clause) -> String {
        var parts = [
            "<h3><a class=\"here\" href=\"#\(clause.id)\">\(clause.id)</a> <span class=\"about\">\(clause.role.rawValue) · "
                + "\(clause.profile.rawValue) · <span class=\"keyword\">\(clause.keyword.rawValue)</span></span></h3>",
            "<p class=\"sentence\">\(inline(clause.sentence))</p>",
            note("Why", inline(clause.why)),
            note("How it is judged", inline(clause.judgedFrom)),
        ]
        if let reason = clause.exclusion { parts.append(note("Not judged", inline(reason))) }
        if let seen = clause.seen { parts.append(note("Known bugs in the wild", inline(seen))) }
        parts.append(note("Scenarios", scenarios(of: clause)))
        parts.append(note("Fixtures", fixtures(of: clause)))
        if let defects = site.defects[clause.id] {
            parts.append(note("Named defects that break it", list(of: defects, breaking: clause)))
        }
        let sources = renderer.html([.link(text: [.text("trace")], destination: "../trace.md")])
        parts.append(
            "<p class=\"origin\">From \(escapedForMarkup(clause.sources.joined(separator: ", "))) (\(sources)), since "
                + "\(escapedForMarkup(clause.since)); written in Spec/\(clause.file), line \(clause.line).</p>")
        return "<section id=\"\(clause.id)\" class=\"card clause\">\n\(parts.joined(separator: "\n"))\n</section>"
    }

    private func note(_ name: String, _ content: String) -> String {
        content.isEmpty ? "" : "<div class=\"note\"><h4>\(name)</h4><div>\(content)</div></div>"
    }

    private func scenarios(of clause: Clause) -> String {
        let found = site.scenarios.filter { $0.clauses.contains(clause.id) }.map {
            "\(link($0.name, $0.address)): \(escapedForMarkup($0.title))"
        }
        return found.isEmpty ? "" : SiteMarkup.list(found)
    }

    private func fixtures(of clause: Clause) -> String {
        let found = site.fixtures.filter { $0.clauses.contains(clause.id) }
        guard !found.isEmpty else { return "" }
        let own = found.filter { $0.file.contains("/\(clause.id)-") }
        let others = found.filter { !$0.file.contains("/\(clause.id)-") }
        func items(_ fixtures: [FixtureIndex.Entry]) -> String {
            SiteMarkup.list(fixtures.map { "\(link($0.file, $0.address)): \(escapedForMarkup($0.why))" })
        }
        let more =
            "<details><summary>\(own.isEmpty ? "Fixtures" : "More fixtures") that show it: \(others.count)</summary>"
        return (own.isEmpty ? "" : items(own)) + (others.isEmpty ? "" : "\(more)\(items(others))</details>")
    }

    private func list(of defects: [Site.Defect], breaking clause: Clause) -> String {
        let items = defects.map { defect in
            "<code>\(escapedForMarkup(defect.name))</code>: \(inline(defect.summary))"
        }
        let command = "conformance \(clause.role.rawValue) --reference --defect \(defects[0].name) --only \(clause.id)"
        return SiteMarkup.list(items) + SiteMarkup.code(command)
    }

    private func link(_ words: String, _ address: String) -> String {
        SiteMarkup.link(words, to: LinkResolver.relative(address, from: renderer.page))
    }

    private func inline(_ text: String) -> String {
        var reader = InlineReader(text, definitions: [:])
        return renderer.html(reader.read())
    }
}
