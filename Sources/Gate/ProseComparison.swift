import Holdfast
import HoldfastJSON
import HoldfastSchemaDiff

/// Reports other differences, such as explanatory pages, which bind no peer.
struct ProseComparison {
    /// Whether another comparison reads a file below `Spec/`.
    private static func isRead(_ path: String) -> Bool {
        path.hasPrefix("clauses/") || path.hasPrefix("scenarios/") || path == "version.json"
            || (path.hasPrefix("schemas/") && !path.hasPrefix("schemas/files/")) || path.hasPrefix("fixtures/")
    }

    /// Compares the remaining files of two states.
    ///
    /// A file that another finding already covers is not reported again.
    static func entries(_ old: ProtocolState, _ new: ProtocolState, besides reported: Set<String>) -> [GateEntry] {
        let before = old.specification.files.texts
        let after = new.specification.files.texts
        return Set(before.keys).union(after.keys).filter {
            !isRead($0) && !reported.contains($0) && before[$0] != after[$0] && !isReworded($0, old, new)
        }.sorted().map {
            path in
            let isFormat = path.hasPrefix("schemas/files/")
            let line = before[path].flatMap { was in after[path].flatMap { firstDifference(was, $0) } }
            let rule = before[path] == nil ? "page-added" : after[path] == nil ? "page-removed" : "page-changed"
            return GateEntry(
                isFormat ? "file-format" + rule.dropFirst("page".count) : rule,
                isFormat && rule != "page-added" ? .warning : .information,
                old: before[path].map { _ in GateLocation(file: path, line: line ?? 1) },
                new: after[path].map { _ in GateLocation(file: path, line: line ?? 1) },
                why: isFormat
                    ? "the format of a tool's file changed; look at it if you write or read such files"
                    : path.hasSuffix(".json")
                        ? "its compared parts are the same"
                        : "its prose binds no peer; its tables are compared separately",
                bump: .patch)
        }
    }

    /// Whether a format of the tools has the same meaning in different words or a different order.
    private static func isReworded(_ path: String, _ old: ProtocolState, _ new: ProtocolState) -> Bool {
        guard path.hasPrefix("schemas/files/"), let before = MessageSchemaSet(old.specification.files, format: path),
            let after = MessageSchemaSet(new.specification.files, format: path)
        else { return false }
        return before.means(path, as: after)
    }

    /// The first line, from 1, in which two texts differ.
    static func firstDifference(_ old: String, _ new: String) -> Int {
        let before = old.split(separator: "\n", omittingEmptySubsequences: false)
        let after = new.split(separator: "\n", omittingEmptySubsequences: false)
        return zip(before, after).prefix { $0 == $1 }.count + 1
    }
}
