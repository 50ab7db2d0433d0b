import Holdfast
import HoldfastJSON
import HoldfastSchemaDiff

/// Clauses of profiles or areas unknown to this program, which cannot judge them but compares their sentences.
enum ForeignClauses {
    static func facts(of state: ProtocolState) -> [Fact] { state.foreignClauses.map(\.fact) }

    /// A clause that `cut(from:)` removed from the text.
    struct Section: Sendable {
        let id: String
        let text: String
        let file: String
        let line: Int
        /// The peers that must keep it; nil for a recommendation, and while no peer declares its profile.
        let bound: GateParty?

        fileprivate var fact: Fact {
            Fact(
                rule: bound == nil ? .foreignClause : .foreignDuty, key: id, words: .string(text),
                location: GateLocation(file: file, pointer: JSONPointer(tokens: [id]), line: line), subject: id,
                obliged: [bound].compactMap(\.self))
        }
    }

    /// Removes the clauses of unknown areas, and those of profiles that only a table of the chapters declares; other
    /// lines keep their numbers.
    ///
    /// `sync with auth`, which older texts contain, counts as such a profile too.
    static func cut(from texts: inout [String: String]) -> [Section] {
        let declared = texts.filter { $0.key.hasPrefix("chapters/") }.values.flatMap(MarkdownTable.tables(in:))
            .filter { $0.header.starts(with: ["profile", "side"]) }.flatMap { $0.rows.map(\.name) }
        func isForeign(_ words: [String]) -> Bool {
            let profiles = words.filter { $0 != "with" }
            return Set(profiles).isSubset(of: declared)
                && (profiles.count > 1 || profiles.contains { Profile(rawValue: $0) == nil })
        }
        var sections: [Section] = []
        for (path, text) in texts.sorted(by: { $0.key < $1.key }) where path.hasPrefix("clauses/") {
            let isKnown = Area.allCases.contains { path == "clauses/\($0.rawValue).md" }
            var lines = text.split(separator: "\n", omittingEmptySubsequences: false)
            var start = 0
            while start < lines.count {
                let end = lines[(start + 1)...].firstIndex { $0.hasPrefix("### ") } ?? lines.count
                let parts = lines[start].split(separator: "·").map { $0.split(separator: " ").map(String.init) }
                if lines[start].hasPrefix("### "), parts.count == 3, !isKnown || isForeign(parts[2]) {
                    let body = lines[(start + 1)..<end].prefix { !$0.hasPrefix("Why:") }.joined(separator: " ")
                    let profiles = parts[2].filter { $0 != "with" }.map(Profile.init(rawValue:))
                    let profile = profiles.contains(nil) ? nil : profiles.last ?? nil
                    sections.append(
                        Section(
                            id: parts[0].last ?? "", text: body, file: path, line: start + 1,
                            bound: body.contains("MUST")
                                ? profile.map { GateParty($0.role, profile: $0.rawValue) } : nil))
                    for index in start..<end { lines[index] = "" }
                }
                start = end
            }
            texts[path] = lines.joined(separator: "\n")
        }
        return sections
    }
}
