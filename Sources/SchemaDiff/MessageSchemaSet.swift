import JSON
import JSONSchema

/// The message schemas of one version: documents, and which parts of them are messages that travel.
package struct MessageSchemaSet: Sendable {
    /// One file that holds schemas.
    package struct Document: Sendable {
        /// The file, as it is named in findings.
        package let file: String
        /// The URI it is retrieved by.
        package let uri: String
        /// Its text.
        package let text: String

        /// Names a document.
        package init(file: String, uri: String, text: String) {
            self.file = file
            self.uri = uri
            self.text = text
        }
    }

    /// One kind of message.
    package struct Message: Sendable {
        /// Its name, by which both versions are paired.
        package let name: String
        /// The ways it travels.
        package let travel: MessageTravel
        /// The schema: a URI of a document, with a fragment for a part of it.
        package let uri: String

        /// Names a message.
        package init(name: String, travel: MessageTravel, uri: String) {
            self.name = name
            self.travel = travel
            self.uri = uri
        }
    }

    /// The documents, by file name.
    package let documents: [Document]
    /// The messages, by name.
    package let messages: [Message]
    /// The schemas as values, with what profiles add.
    let registry: SchemaRegistry
    /// The parsed documents, by file.
    let roots: [String: JSONValue]
    /// The compiled schemas, by message.
    let schemas: [String: Schema]
    /// Keywords that draft 2020-12 does not have.
    let unknownKeywords: [GatePlace]

    /// Reads documents and takes some of their schemas as messages.
    /// - Throws: Every document that is no JSON or no schema, and every message whose schema cannot be compiled.
    package init(
        documents: [Document], messages: [Message], assertsFormats: Bool = true,
        prepared prepare: (JSONValue) -> JSONValue = { $0 }
    ) throws(SchemaProblems) {
        var problems: [SchemaProblem] = []
        var registry = SchemaRegistry()
        var roots: [String: JSONValue] = [:]
        for document in documents.sorted(by: { $0.file < $1.file }) {
            do {
                let root = prepare(try JSONParser.value(document.text))
                try registry.add(root, at: document.uri)
                roots[document.file] = root
            } catch {
                problems.append(
                    SchemaProblem(
                        place: document.file, what: "\(error)", expected: "a JSON Schema, draft 2020-12",
                        fix: "correct the file"))
            }
        }
        var schemas: [String: Schema] = [:]
        if problems.isEmpty {
            for message in messages {
                do {
                    // A misspelt keyword is a finding, not a reason to look at nothing.
                    schemas[message.name] = try Schema(
                        uri: message.uri, registry: registry, formats: assertsFormats ? .assert : .annotate,
                        unknownKeywords: .ignore)
                } catch {
                    problems.append(
                        SchemaProblem(
                            place: message.uri, what: "\(error)", expected: "a JSON Schema, draft 2020-12",
                            fix: "correct the schema of the message \(message.name)"))
                }
            }
        }
        guard problems.isEmpty else { throw SchemaProblems(all: problems) }
        self.documents = documents.sorted { $0.file < $1.file }
        self.messages = messages.sorted { $0.name < $1.name }
        self.registry = registry
        self.roots = roots
        self.schemas = schemas
        unknownKeywords = self.documents.flatMap { document in
            UnknownKeywords.places(in: roots[document.file] ?? true).map { pointer in
                GatePlace(
                    file: document.file, pointer: pointer,
                    line: JSONParser.location(of: pointer, in: document.text)?.line)
            }
        }
    }

    /// Takes the alternatives of one schema as messages, each named by the value that its kind has.
    /// - Throws: What keeps the document from being a schema, and alternatives that cannot be told apart by a member.
    package init(
        alternativesOf document: Document, travel: MessageTravel, assertsFormats: Bool = true
    ) throws(SchemaProblems) {
        let root: JSONValue
        do {
            root = try JSONParser.value(document.text)
        } catch {
            throw SchemaProblems(all: [
                SchemaProblem(place: document.file, what: "\(error)", expected: "JSON", fix: "correct the file")
            ])
        }
        let word = root["oneOf"] != nil ? "oneOf" : "anyOf"
        var messages: [Message] = []
        for index in (root[word]?.arrayValue ?? []).indices {
            messages.append(Message(name: String(index), travel: travel, uri: "\(document.uri)#/\(word)/\(index)"))
        }
        // What stands beside the alternatives holds for all of them.
        let unnamed = try MessageSchemaSet(
            documents: [document],
            messages: messages.isEmpty ? [Message(name: "message", travel: travel, uri: document.uri)] : messages,
            assertsFormats: assertsFormats)
        var named: [Message] = []
        var schemas: [String: Schema] = [:]
        for message in messages {
            guard let schema = unnamed.schemas[message.name] else { continue }
            let tag = Tags.of(schema.program).first { $0.value.stringValue != nil }
            guard let name = tag?.value.stringValue else {
                throw SchemaProblems(all: [
                    SchemaProblem(
                        place: "\(document.file)#/\(word)/\(message.name)", what: "has no member that names its kind",
                        expected: "a member with one fixed value that must be there", fix: "give it one")
                ])
            }
            named.append(Message(name: name, travel: travel, uri: message.uri))
            schemas[name] = schema
        }
        do {
            schemas[Self.every] = try Schema(
                uri: document.uri, registry: unnamed.registry, formats: assertsFormats ? .assert : .annotate,
                unknownKeywords: .ignore)
        } catch {
            throw SchemaProblems(all: [
                SchemaProblem(
                    place: document.file, what: "\(error)", expected: "a JSON Schema, draft 2020-12",
                    fix: "correct the file")
            ])
        }
        named.append(Message(name: Self.every, travel: travel, uri: document.uri))
        self.init(unnamed, messages: named, schemas: schemas)
    }

    /// The same documents, other messages.
    private init(_ other: MessageSchemaSet, messages: [Message], schemas: [String: Schema]) {
        documents = other.documents
        self.messages = messages.sorted { $0.name < $1.name }
        registry = other.registry
        roots = other.roots
        self.schemas = schemas
        unknownKeywords = other.unknownKeywords
    }

    /// Whether a message is made of the same documents in another version, so that nothing can differ.
    func reads(_ name: String, as other: MessageSchemaSet) -> Bool {
        func parts(_ set: MessageSchemaSet) -> [String: JSONValue]? {
            guard let program = set.schemas[name]?.program else { return nil }
            var parts: [String: JSONValue] = [:]
            for resource in program.resources {
                let document = set.documents.first {
                    $0.uri == resource.uri || set.roots[$0.file]?["$id"]?.stringValue == resource.uri
                }
                guard let document, let root = set.roots[document.file] else { return nil }
                parts[resource.uri] = root
            }
            return parts
        }
        guard let mine = parts(self), let theirs = parts(other) else { return false }
        // The order of members does not count.
        return mine == theirs
    }

    /// The name of what holds for all messages of one schema with alternatives.
    static let every = "*"
}

/// What keeps documents from being compared.
package struct SchemaProblems: Error {
    package let all: [SchemaProblem]
}

/// A document that is no schema: where, what, what would be one, and the fix.
package struct SchemaProblem: Sendable {
    package let place: String
    package let what: String
    package let expected: String
    package let fix: String
}
