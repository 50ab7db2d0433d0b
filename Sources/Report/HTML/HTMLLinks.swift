import Holdfast

/// The anchors in a page; each report in it has its own.
struct HTMLLinks {
    /// The prefix of all anchors; empty for a single report, so that `#SYNC-3` leads to the clause.
    let prefix: String
    /// The clauses and scenarios with an anchor; others are not linked.
    let clauses: Set<ClauseID>
    let scenarios: Set<String>

    func id(_ clause: ClauseID) -> String { prefix + clause.description }
    func id(_ area: Area) -> String { "\(prefix)area-\(area.rawValue)" }
    func id(scenario: String) -> String { "\(prefix)scenario/\(Self.slug(scenario))" }

    func link(_ clause: ClauseID) -> Markup {
        guard clauses.contains(clause) else { return "\(clause.description)" }
        return "<a href=\"#\(id(clause))\">\(clause.description)</a>"
    }

    func link(scenario: String) -> Markup {
        let name = PlainText.line(scenario, limit: 120)
        guard scenarios.contains(scenario) else { return "<span class=\"name\">\(name)</span>" }
        return "<a class=\"name\" href=\"#\(id(scenario: scenario))\">\(name)</a>"
    }

    /// A name without spaces and URL metacharacters.
    private static func slug(_ name: String) -> String {
        var slug = ""
        for byte in name.utf8.prefix(300) {
            let scalar = Unicode.Scalar(byte)
            let isPlain = scalar.isASCII && (scalar.properties.isAlphabetic || ("0"..."9").contains(scalar))
            if isPlain || "/-_.".unicodeScalars.contains(scalar) {
                slug.unicodeScalars.append(scalar)
            } else {
                slug += "~" + String(byte, radix: 16)
            }
        }
        return slug
    }
}
