import Holdfast
import HoldfastJSON
import HoldfastSchemaDiff

extension MessageSchemaSet {
    /// The messages, bodies and pushes of a specification under the given profiles; with `only`, those of these files.
    ///
    /// - Throws: Every schema file that is not JSON or not a schema.
    package init(
        _ files: SpecificationFiles, profiles: Set<Profile> = [], only: Set<String>? = nil
    ) throws(InputProblems) {
        let documents = Self.documents(files)
        let messages = documents.compactMap { document -> Message? in
            if let only, !only.contains(document.file) { return nil }
            let root = try? JSONParser.value(document.text)
            if root?.isSharedSchema ?? false { return nil }
            let direction = root?["x-direction"]?.stringValue
            return Message(
                name: MessageSchemas.name(of: String(document.file.dropFirst("schemas/".count))),
                travel: direction == "client" ? .clientToServer : direction == "both" ? .both : .serverToClient,
                uri: document.uri)
        }
        try self.init(documents: documents, messages: messages, profiles: profiles)
    }

    /// The schema files of a specification; those of the tools' own files are included only if `format` names one.
    static func documents(_ files: SpecificationFiles, and format: String? = nil) -> [Document] {
        files.texts.sorted { $0.key < $1.key }.compactMap { path, text in
            guard path.hasPrefix("schemas/"), path.hasSuffix(".json"),
                format != nil || !path.hasPrefix("schemas/files/")
            else { return nil }
            return Document(file: path, uri: MessageSchemas.base + path.dropFirst("schemas/".count), text: text)
        }
    }
}

extension MessageSchemaSet {
    /// The format of one of the tools' own files; nil if it is not a schema.
    init?(_ files: SpecificationFiles, format: String) {
        let documents = Self.documents(files, and: format)
        let messages = documents.filter { $0.file == format }.map {
            Message(name: format, travel: .both, uri: $0.uri)
        }
        guard let set = try? MessageSchemaSet(documents: documents, messages: messages, profiles: []) else {
            return nil
        }
        self = set
    }

    /// Applies the additions of the profiles to documents.
    /// - Throws: Every document that is not a schema.
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
    /// Whether a schema only defines parts for others, so that it is not a message.
    var isSharedSchema: Bool {
        guard let members = objectValue, members["$defs"] != nil else { return false }
        return members.allSatisfy { $0.key.hasPrefix("$") || ["title", "description"].contains($0.key) }
    }
}
