import Holdfast
import JSON
import JSONSchema

/// The message schemas of one version: documents, and which parts of them are messages that travel.
public struct MessageSchemaSet: Sendable {
    /// One file that holds schemas.
    public struct Document: Sendable {
        /// The file, as it is named in findings.
        public let file: String
        /// The URI it is retrieved by.
        public let uri: String
        /// Its text.
        public let text: String

        /// Names a document.
        public init(file: String, uri: String, text: String) {
            self.file = file
            self.uri = uri
            self.text = text
        }
    }

    /// One kind of message.
    public struct Message: Sendable {
        /// Its name, by which both versions are paired.
        public let name: String
        /// The ways it travels.
        public let travel: MessageTravel
        /// The schema: a URI of a document, with a fragment for a part of it.
        public let uri: String

        /// Names a message.
        public init(name: String, travel: MessageTravel, uri: String) {
            self.name = name
            self.travel = travel
            self.uri = uri
        }
    }

    /// The documents, by file name.
    public let documents: [Document]
    /// The messages, by name.
    public let messages: [Message]
    /// The schemas as values, with what profiles add.
    let registry: SchemaRegistry
    /// The parsed documents, by file.
    let roots: [String: JSONValue]

    /// Reads documents and takes some of their schemas as messages.
    /// - Throws: Every document that is no JSON or no schema, and every message whose schema cannot be compiled.
    public init(
        documents: [Document], messages: [Message], profiles: Set<Profile> = []
    ) throws(InputProblems) {
        var problems: [InputProblem] = []
        var registry = SchemaRegistry()
        var roots: [String: JSONValue] = [:]
        for document in documents.sorted(by: { $0.file < $1.file }) {
            do {
                let root = ProfileOverlay.apply(profiles, to: try JSONParser.value(document.text))
                try registry.add(root, at: document.uri)
                roots[document.file] = root
            } catch {
                problems.append(
                    InputProblem(
                        place: document.file, what: "\(error)", expected: "a JSON Schema, draft 2020-12",
                        fix: "correct the file"))
            }
        }
        if problems.isEmpty {
            for message in messages {
                do {
                    _ = try Schema(uri: message.uri, registry: registry)
                } catch {
                    problems.append(
                        InputProblem(
                            place: message.uri, what: "\(error)", expected: "a JSON Schema, draft 2020-12",
                            fix: "correct the schema of the message \(message.name)"))
                }
            }
        }
        guard problems.isEmpty else { throw InputProblems(problems) }
        self.documents = documents.sorted { $0.file < $1.file }
        self.messages = messages.sorted { $0.name < $1.name }
        self.registry = registry
        self.roots = roots
    }

    /// The messages, bodies and pushes of a specification, under the given profiles.
    /// - Throws: Every schema file that is no JSON or no schema.
    public init(_ files: SpecificationFiles, profiles: Set<Profile> = []) throws(InputProblems) {
        var documents: [Document] = []
        var messages: [Message] = []
        for (path, text) in files.texts.sorted(by: { $0.key < $1.key }) {
            guard path.hasPrefix("schemas/"), path.hasSuffix(".json"), !path.hasPrefix("schemas/files/") else {
                continue
            }
            let file = String(path.dropFirst("schemas/".count))
            let uri = MessageSchemas.base + file
            documents.append(Document(file: path, uri: uri, text: text))
            if file == "common.json" { continue }
            let direction = (try? JSONParser.value(text))?["x-direction"]?.stringValue
            messages.append(
                Message(
                    name: MessageSchemas.name(of: file),
                    travel: direction == "client" ? .clientToServer : direction == "both" ? .both : .serverToClient,
                    uri: uri))
        }
        try self.init(documents: documents, messages: messages, profiles: profiles)
    }
}
