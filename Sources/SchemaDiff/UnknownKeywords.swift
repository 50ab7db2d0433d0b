import HoldfastJSON
import HoldfastJSONSchema

/// Finds keywords that no dialect knows, which are mostly typos.
enum UnknownKeywords {
    static func locations(in root: JSONValue) -> [JSONPointer] {
        var found: [JSONPointer] = []
        var pending = [(schema: root, location: JSONPointer())]
        while let next = pending.popLast() {
            guard case .object(let object) = next.schema else { continue }
            for (keyword, value) in object {
                let location = next.location.appending(keyword)
                if let shape = KeywordTable.all[keyword] {
                    pending += shape.schemas(in: value, at: location)
                } else if !keyword.hasPrefix("x-") {
                    found.append(location)
                }
            }
        }
        return found.sorted { $0.tokens.lexicographicallyPrecedes($1.tokens) }
    }
}
