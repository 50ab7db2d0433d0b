import Holdfast
import HoldfastBasics

extension FixtureIndex.Entry {
    /// Its group, such as `messages-done` or `transcripts-SYNC`.
    var group: String {
        let parts = file.split(separator: "/")
        guard parts.count == 3, parts[0] == "transcripts" else { return parts.prefix(2).joined(separator: "-") }
        return "transcripts-\(parts[2].prefix { $0 != "-" })"
    }

    var page: String { "fixtures/\(group).html" }

    var anchor: String {
        let parts = file.split(separator: "/").suffix(2)
        return parts.joined(separator: "-").split(separator: ".").dropLast().joined(separator: ".")
    }

    var address: String { "\(page)#\(anchor)" }
}

/// The pages of the fixtures, one for each message type and each area.
struct FixturePages {
    let site: Site
    let links: LinkResolver

    /// The maximum number of characters of a file that a page shows.
    private static let mostCharacters = 6_000

    func all() -> [(page: String, title: String, content: String)] {
        Dictionary(grouping: site.fixtures, by: \.group).sorted { $0.key < $1.key }.map { group, fixtures in
            let page = fixtures[0].page
            let title = "Fixtures: " + group.replacing("-", with: ", ")
            let renderer = PageRenderer(links: links, page: page)
            let sections = fixtures.map { section($0, renderer) }
            return (page, title, "<h1>\(escapedForMarkup(title))</h1>\n" + sections.joined(separator: "\n"))
        }
    }

    private func section(_ fixture: FixtureIndex.Entry, _ renderer: PageRenderer) -> String {
        var parts = [
            "<h2><a class=\"here\" href=\"#\(escapedForMarkup(fixture.anchor))\">\(escapedForMarkup(fixture.file))</a></h2>",
            "<p>\(renderer.withClauses(fixture.why))</p>",
            "<p>Expected: \(renderer.withClauses(fixture.verdict))\(broken(fixture, renderer))</p>",
        ]
        if let notation = fixture.notation {
            parts.append("<pre tabindex=\"0\"><code>\(escapedForMarkup(notation))</code></pre>")
        }
        if let text = site.texts[fixture.file] {
            let shown = text.prefix(Self.mostCharacters)
            let more = text.count - shown.count
            parts.append(
                "<details><summary>The file</summary><pre tabindex=\"0\"><code>\(escapedForMarkup(shown))"
                    + (more > 0 ? "\n… \(more) more characters" : "") + "</code></pre></details>")
        }
        return
            "<section id=\"\(escapedForMarkup(fixture.anchor))\" class=\"card\">\n\(parts.joined(separator: "\n"))\n</section>"
    }

    private func broken(_ fixture: FixtureIndex.Entry, _ renderer: PageRenderer) -> String {
        guard let location = fixture.rejectedAt else { return "" }
        let clauses = fixture.clauses.map(\.description).joined(separator: ", ")
        return " by \(renderer.withClauses(clauses)) at <code>\(escapedForMarkup(location))</code>"
    }
}
