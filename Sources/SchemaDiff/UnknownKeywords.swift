import HoldfastJSON
import HoldfastJSONSchema

/// Finds keywords that no dialect knows: most of them are typing errors.
enum UnknownKeywords {
    /// Their places in a schema.
    static func locations(in root: JSONValue) -> [JSONPointer] {
        var found: [JSONPointer] = []
        var pending = [(schema: root, location: JSONPointer())]
        while let next = pending.popLast() {
            guard case .object(let object) = next.schema else { continue }
            for (keyword, value) in object {
                let location = next.location.appending(keyword)
                guard let shape = KeywordTable.all[keyword]?.shape else {
                    if !keyword.hasPrefix("x-") { found.append(location) }
                    continue
                }
                switch (shape, value) {
                case (.schema, _): pending.append((value, location))
                case (.schemas, .array(let values)):
                    for (index, value) in values.enumerated() { pending.append((value, location.appending(index))) }
                case (.schemaMap, .object(let map)):
                    for (name, value) in map { pending.append((value, location.appending(name))) }
                default: break
                }
            }
        }
        return found.sorted { $0.tokens.lexicographicallyPrecedes($1.tokens) }
    }
}
