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

extension Site {
    /// The maximum number of characters of a file that a page shows.
    private static let maxCharacters = 6_000

    /// The pages of the fixtures, one for each message type and each area.
    func fixturePages(_ links: LinkResolver) -> [(page: String, title: String, content: String)] {
        SiteMarkup.pages(
            fixtures, by: \.page, links: links,
            title: { "Fixtures: " + $0.group.replacing("-", with: ", ") }
        ) { ($0.anchor, $0.file, parts(of: $0, $1)) }
    }

    private func parts(of fixture: FixtureIndex.Entry, _ renderer: PageRenderer) -> [String] {
        var parts = [
            "<p>\(renderer.withClauses(fixture.why))</p>",
            "<p>Expected: \(renderer.withClauses(fixture.verdict))\(broken(fixture, renderer))</p>",
        ]
        if let notation = fixture.notation { parts.append(SiteMarkup.code(notation)) }
        if let text = texts[fixture.file] {
            let shown = text.prefix(Self.maxCharacters)
            let more = text.count - shown.count
            let file = SiteMarkup.code(shown + (more > 0 ? "\n… \(more) more characters" : ""))
            parts.append("<details><summary>The file</summary>\(file)</details>")
        }
        return parts
    }

    private func broken(_ fixture: FixtureIndex.Entry, _ renderer: PageRenderer) -> String {
        guard let location = fixture.rejectedAt else { return "" }
        let clauses = fixture.clauses.map(\.description).joined(separator: ", ")
        return " by \(renderer.withClauses(clauses)) at <code>\(escapedForMarkup(location))</code>"
    }
}
