import Holdfast
import HoldfastJSON
import HoldfastSchemaDiff

extension MessageSchemaSet {
    /// The messages, bodies and pushes of a specification, under the given profiles.
    /// - Throws: Every schema file that is no JSON or no schema.
    ///
    /// Of the messages only those of some files are taken, where that is wanted.
    package init(
        _ files: SpecificationFiles, profiles: Set<Profile> = [], only: Set<String>? = nil
    ) throws(InputProblems) {
        var documents: [Document] = []
        var messages: [Message] = []
        for (path, text) in files.texts.sorted(by: { $0.key < $1.key }) {
            guard path.hasPrefix("schemas/"), path.hasSuffix(".json"), !path.hasPrefix("schemas/files/") else {
                continue
            }
            let file = String(path.dropFirst("schemas/".count))
            let uri = MessageSchemas.base + file
            documents.append(Document(file: path, uri: uri, text: text))
            let root = try? JSONParser.value(text)
            if root?.isSharedSchema ?? false { continue }
            if let only, !only.contains(path) { continue }
            let direction = root?["x-direction"]?.stringValue
            messages.append(
                Message(
                    name: MessageSchemas.name(of: file),
                    travel: direction == "client" ? .clientToServer : direction == "both" ? .both : .serverToClient,
                    uri: uri))
        }
        try self.init(documents: documents, messages: messages, profiles: profiles)
    }
}

extension MessageSchemaSet {
    /// Documents with what the profiles add to them.
    /// - Throws: Every document that is no schema.
    init(documents: [Document], messages: [Message], profiles: Set<Profile>) throws(InputProblems) {
        do {
            try self.init(documents: documents, messages: messages) { ProfileOverlay.apply(profiles, to: $0) }
        } catch {
            throw InputProblems(
                error.all.map { InputProblem(location: $0.location, what: $0.what, expected: $0.expected, fix: $0.fix) }
            )
        }
    }
}

extension JSONValue {
    /// Whether it is a schema that only defines what others refer to, so that it is no message.
    var isSharedSchema: Bool {
        guard let members = objectValue, members["$defs"] != nil else { return false }
        return members.allSatisfy { $0.key.hasPrefix("$") || ["title", "description"].contains($0.key) }
    }
}
