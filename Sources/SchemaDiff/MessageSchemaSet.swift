import HoldfastJSON
import HoldfastJSONSchema

/// The message schemas of one version: documents, and the parts of them that are messages.
package struct MessageSchemaSet: Sendable {
    package struct Document: Sendable {
        /// The file's name in findings.
        package let file: String
        /// The URI it is retrieved by.
        package let uri: String
        package let text: String

        package init(file: String, uri: String, text: String) { (self.file, self.uri, self.text) = (file, uri, text) }
    }

    package struct Message: Sendable {
        /// Its name, which pairs the two versions.
        package let name: String
        package let travel: MessageTravel
        /// The schema: a URI of a document, with a fragment for a part of it.
        package let uri: String

        package init(name: String, travel: MessageTravel, uri: String) {
            (self.name, self.travel, self.uri) = (name, travel, uri)
        }
    }

    package let documents: [Document]
    package let messages: [Message]
    /// The parsed documents, by file, with what profiles add.
    let roots: [String: JSONValue]
    let schemas: [String: Schema]
    /// Keywords that draft 2020-12 does not have.
    let unknownKeywords: [GateLocation]

    /// Reads documents and uses some of their schemas as messages.
    /// - Throws: Every document that is not JSON or not a schema, and every message whose schema cannot be compiled.
    package init(
        documents: [Document], messages: [Message], prepared prepare: (JSONValue) -> JSONValue = { $0 }
    ) throws(SchemaProblems) {
        var problems: [SchemaProblem] = []
        var registry = SchemaRegistry()
        var roots: [String: JSONValue] = [:]
        let documents = documents.sorted { $0.file < $1.file }
        for document in documents {
            do {
                let root = prepare(try JSONParser.value(document.text))
                try registry.add(root, at: document.uri)
                roots[document.file] = root
            } catch {
                problems.append(SchemaProblem(location: document.file, what: "\(error)"))
            }
        }
        var schemas: [String: Schema] = [:]
        for message in problems.isEmpty ? messages : [] {
            do {
                // A misspelled keyword is a finding, not a reason to stop.
                schemas[message.name] = try Schema(
                    ofFewValues: message.uri, registry: registry, unknownKeywords: .ignore)
            } catch {
                problems.append(
                    SchemaProblem(
                        location: message.uri, what: "\(error)",
                        fix: "correct the schema of the message \(message.name)"))
            }
        }
        guard problems.isEmpty else { throw SchemaProblems(all: problems) }
        self.documents = documents
        self.messages = messages.sorted { $0.name < $1.name }
        (self.roots, self.schemas) = (roots, schemas)
        unknownKeywords = documents.flatMap { document in
            UnknownKeywords.locations(in: roots[document.file] ?? true).map { pointer in
                GateLocation(
                    file: document.file, pointer: pointer,
                    line: JSONParser.location(of: pointer, in: document.text)?.line)
            }
        }
    }

    /// Whether a message's schema has the same meaning in another version, in any words and order.
    package func means(_ name: String, as other: MessageSchemaSet) -> Bool {
        guard let one = schemas[name], let two = other.schemas[name] else { return false }
        let space = SchemaSpace(old: one.program, new: two.program)
        return space.colors[space.roots[0]] == space.colors[space.roots[1]]
    }

    /// Whether a message consists of the same documents in another version, so that nothing can differ.
    func isUnchanged(_ name: String, in other: MessageSchemaSet) -> Bool {
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
}

package struct SchemaProblems: Error {
    package let all: [SchemaProblem]
}

package struct SchemaProblem: Sendable {
    package let location: String
    package let what: String
    package var expected = "a JSON Schema, draft 2020-12"
    package var fix = "correct the file"
}
