import Holdfast
import HoldfastJSON
import HoldfastSchemaDiff

/// Clauses of profiles that this program does not know: it judges none of them, and compares their sentences.
enum ForeignClauses {
    /// The facts of a state, one for each such clause.
    static func facts(of state: ProtocolState) -> [Fact] { state.foreignClauses.map(\.fact) }

    /// A clause that was left out.
    struct Section: Sendable {
        let id: String
        let text: String
        let file: String
        let line: Int

        fileprivate var fact: Fact {
            Fact(
                rule: .foreignClause, key: id, words: .string(text),
                location: GateLocation(file: file, pointer: JSONPointer(tokens: [id]), line: line), subject: id)
        }
    }

    /// Takes the clauses of profiles out that the tables of the chapters name and this program does not, leaving each line in place.
    static func cut(from texts: inout [String: String]) -> [Section] {
        let named = texts.filter { $0.key.hasPrefix("chapters/") }.values.flatMap(MarkdownTable.tables(in:))
            .filter { $0.header.starts(with: ["profile", "side"]) }.flatMap { $0.rows.map(\.name) }
        let foreign = Set(named).filter { Profile(rawValue: $0) == nil }
        guard !foreign.isEmpty else { return [] }
        var sections: [Section] = []
        for (path, text) in texts.sorted(by: { $0.key < $1.key }) where path.hasPrefix("clauses/") {
            var lines = text.split(separator: "\n", omittingEmptySubsequences: false)
            var start = 0
            while start < lines.count {
                let end = lines[(start + 1)...].firstIndex { $0.hasPrefix("### ") } ?? lines.count
                let parts = lines[start].split(separator: "·").map { $0.split(separator: " ").map(String.init) }
                if lines[start].hasPrefix("### "), parts.count == 3, !foreign.isDisjoint(with: parts[2]) {
                    let body = lines[(start + 1)..<end].prefix { !$0.hasPrefix("Why:") }.joined(separator: " ")
                    sections.append(
                        Section(id: parts[0].last ?? "", text: String(body), file: path, line: start + 1))
                    for index in start..<end { lines[index] = "" }
                }
                start = end
            }
            texts[path] = lines.joined(separator: "\n")
        }
        return sections
    }
}
