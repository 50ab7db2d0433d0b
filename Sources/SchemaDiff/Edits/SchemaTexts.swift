import HoldfastJSON
import HoldfastJSONSchema

/// Finds the text of a compiled schema again: its file, its line, and the object it was read from.
struct SchemaTexts: Sendable {
    private let set: MessageSchemaSet
    private let files: [String: (file: String, root: JSONPointer)]

    init(_ set: MessageSchemaSet) {
        self.set = set
        var files: [String: (file: String, root: JSONPointer)] = [:]
        for document in set.documents {
            files[document.uri] = (document.file, JSONPointer())
            if let id = set.roots[document.file]?["$id"]?.stringValue { files[id] = (document.file, JSONPointer()) }
        }
        self.files = files
    }

    func object(_ uri: String, _ location: JSONPointer) -> JSONObject? {
        guard let (file, root) = files[uri] else { return nil }
        return set.roots[file]?[root.appending(location)]?.objectValue
    }

    func location(_ uri: String, _ target: JSONPointer) -> GateLocation {
        guard let (file, root) = files[uri], let document = set.documents.first(where: { $0.file == file }) else {
            return GateLocation(file: uri, pointer: target)
        }
        // The addition of a profile has no line of its own; the schema around it has one.
        return GateLocation(file: file, pointer: root.appending(target), in: document.text)
    }
}
