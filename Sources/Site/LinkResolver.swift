import Holdfast

/// Converts links between files of `Spec/` to links between pages of the site.
struct LinkResolver {
    /// The clauses with a section.
    let clauses: Set<ClauseID>
    /// The page of each file, such as `chapters/05-messages.html` for `chapters/05-messages.md`.
    let pages: [String: String]

    func address(of clause: ClauseID, from page: String) -> String {
        Self.relative("clauses/\(clause.area.rawValue).html", from: page) + "#\(clause)"
    }

    /// The address of a link's target, relative to a page; nil if it has no page.
    func address(of destination: String, from page: String) -> String? {
        if destination.hasPrefix("https://") { return destination }
        let parts = destination.split(separator: "#", maxSplits: 1, omittingEmptySubsequences: false)
        let anchor = parts.count == 2 ? String(parts[1]) : nil
        let target: String
        if parts[0].isEmpty {
            target = page
        } else {
            let file = Self.joined(String(parts[0]), to: page)
            guard let found = pages[file] else { return nil }
            target = found
        }
        guard let anchor else { return Self.relative(target, from: page) }
        return (target == page ? "" : Self.relative(target, from: page)) + "#\(clauseAnchor(anchor) ?? anchor)"
    }

    /// `SYNC-3` for `sync-3--server--sync`, the anchor of its heading in the file.
    private func clauseAnchor(_ anchor: String) -> String? {
        let words = anchor.split(separator: "-", omittingEmptySubsequences: false)
        guard words.count > 3, words[2].isEmpty else { return nil }
        return ClauseID("\(words[0].uppercased())-\(words[1])").flatMap { clauses.contains($0) ? $0.description : nil }
    }

    static func joined(_ path: String, to page: String) -> String {
        var parts = page.split(separator: "/").dropLast().map(String.init)
        for part in path.split(separator: "/") where part != "." {
            if part == ".." {
                _ = parts.popLast()
            } else {
                parts.append(String(part))
            }
        }
        return parts.joined(separator: "/")
    }

    static func relative(_ path: String, from page: String) -> String {
        let target = path.split(separator: "/")
        let here = page.split(separator: "/").dropLast()
        let shared = zip(target.dropLast(), here).prefix { $0 == $1 }.count
        return (Array(repeating: "..", count: here.count - shared) + target.dropFirst(shared).map(String.init))
            .joined(separator: "/")
    }
}
