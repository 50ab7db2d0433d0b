import HoldfastJSON
import HoldfastJSONSchema

/// Finds the clause behind a schema violation.
///
/// `x-clause` next to the violated keyword names it: a string for all keywords, or an object by keyword, or by keyword
/// and member (`required/seq`). Otherwise the string in the nearest enclosing schema names it; if a reference led to
/// unmarked definitions, the string in the message's schema does.
enum ClauseAttribution {
    static func clause(of violation: SchemaViolation, in schema: Schema, root: String) -> ClauseID? {
        var location: JSONPointer? = violation.schemaLocation
        while let current = location {
            if let mark = schema.schemaValue(at: violation.schemaURI, current)?["x-clause"] {
                if let name = mark.stringValue { return ClauseID(name) }
                if let name = entry(for: violation, in: mark, at: current) { return ClauseID(name) }
            }
            location = current.parent
        }
        return schema.schemaValue(at: root, JSONPointer())?["x-clause"]?.stringValue.flatMap { ClauseID($0) }
    }

    /// The entry in an object of clauses, which applies only to keywords of the same schema.
    private static func entry(for violation: SchemaViolation, in mark: JSONValue, at location: JSONPointer) -> String? {
        let below = violation.schemaLocation.tokens.dropFirst(location.tokens.count)
        guard let keyword = below.first, below.count <= 2 else { return nil }
        if keyword == "required" {
            for (name, clause) in mark.objectValue ?? [:] where name.hasPrefix("required/") {
                if violation.message.contains("'\(name.dropFirst("required/".count))'") { return clause.stringValue }
            }
        }
        if below.count == 2, let clause = mark[below.joined(separator: "/")]?.stringValue { return clause }
        return mark[keyword]?.stringValue
    }
}
