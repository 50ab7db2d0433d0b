import HoldfastJSON
import HoldfastJSONSchema

/// Finds the clause that a schema violation belongs to.
///
/// `x-clause` beside the violated keyword says so: a string for every keyword, or an object by keyword, or by keyword and
/// member (`required/seq`). Without one, the nearest schema around it with a string does, and where a reference led into
/// definitions without any, the schema of the message.
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

    /// The entry of an object of clauses; only the schema that holds the keyword itself may speak of it by name.
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
