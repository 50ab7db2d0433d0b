import HoldfastJSON
import HoldfastJSONSchema
import HoldfastPlatform

/// The schemas of messages, bodies and pushes, compiled for the declared profiles.
public struct MessageSchemas: Sendable {
    /// The profiles whose additions apply.
    public let profiles: Set<Profile>

    private let sources: [String: Source]

    final class Entry: Sendable {
        let file: String
        let sender: Role
        let schema: Schema

        init(file: String, sender: Role, schema: Schema) {
            (self.file, self.sender, self.schema) = (file, sender, schema)
        }
    }

    /// One schema, compiled on first use.
    private final class Source: Sendable {
        let file: String
        let sender: Role
        private let registry: SchemaRegistry
        private let compiled = Mutex<Entry?>(nil)

        init(file: String, sender: Role, registry: SchemaRegistry) {
            (self.file, self.sender, self.registry) = (file, sender, registry)
        }

        func entry() throws(SchemaProblem) -> Entry {
            if let known = compiled.withLock({ $0 }) { return known }
            let schema = try Schema(uri: MessageSchemas.base + file, registry: registry)
            let entry = Entry(file: file, sender: sender, schema: schema)
            compiled.withLock { $0 = entry }
            return entry
        }
    }

    /// The base URI of the published schemas and their references.
    package static let base = "https://holdfast.example/spec/1/schemas/"

    /// The names of bodies and pushes; a message on the socket is named by its type.
    private static let named = [
        "rest/session.json": "session", "rest/sessionList.json": "sessionList", "rest/chatRequest.json": "chatRequest",
        "rest/chatResponse.json": "chatResponse", "rest/error.json": "restError", "rest/health.json": "health",
        "push/payload.json": "push", "push/headers.json": "pushHeaders",
    ]

    /// Loads every message schema of a specification.
    ///
    /// With `closesSets`, open sets are limited to this version's values, as for a sender. Embedded schemas are
    /// compiled on first use, so that no start waits for all.
    /// - Throws: A problem for each file that is not JSON or not a schema.
    public init(
        _ files: SpecificationFiles, profiles: Set<Profile>, closesSets: Bool = false
    ) throws(InputProblems) {
        self.profiles = profiles
        var problems: [InputProblem] = []
        func note(_ path: String, _ what: String) {
            problems.note("Spec/\(path)", what, expected: "a JSON Schema, draft 2020-12", fix: "correct the file")
        }
        var registry = SchemaRegistry()
        var entries: [(file: String, root: JSONValue)] = []
        for (path, text) in files.texts.sorted(by: { $0.key < $1.key }) {
            guard let name = SpecificationFiles.name(of: path, in: "schemas"), !name.hasPrefix("files/") else {
                continue
            }
            let file = "\(name).json"
            do {
                let root = ProfileOverlay.apply(profiles, to: try JSONParser.value(text), closesSets: closesSets)
                try registry.add(root, at: Self.base + file)
                if file != "common.json" { entries.append((file, root)) }
            } catch {
                note(path, "\(error)")
            }
        }
        if entries.isEmpty { note("schemas/messages", "no schema found") }
        let isSound = files.areSound
        var sources: [String: Source] = [:]
        for (file, root) in entries {
            let sender = root["x-direction"]?.stringValue.flatMap(Role.init) ?? .server
            let source = Source(file: file, sender: sender, registry: registry)
            sources[Self.name(of: file)] = source
            guard !isSound else { continue }
            do { _ = try source.entry() } catch { note("schemas/\(file)", "\(error)") }
        }
        guard problems.isEmpty else { throw InputProblems(problems) }
        self.sources = sources
    }

    /// The sorted names of all messages, bodies and pushes: `ack`, …, `restError`, `push`.
    public var names: [String] { sources.keys.sorted() }

    /// The sorted types of the WebSocket messages from one side.
    public func types(sentBy role: Role) -> [String] {
        sources.filter { $0.value.file.hasPrefix("messages/") && $0.value.sender == role && $0.key != "rateLimit" }
            .keys.sorted()
    }

    /// The schema file of a name, in `schemas/`; nil if unknown.
    public func file(of name: String) -> String? { sources[name]?.file }

    /// The sender of a named message; nil if unknown.
    public func sender(of name: String) -> Role? { sources[name]?.sender }

    /// The name for a schema file in `schemas/`, such as `restError` for `rest/error.json`.
    public static func name(of file: String) -> String {
        if let name = named[file] { return name }
        let last = file.split(separator: "/").last ?? ""
        return String(last.hasSuffix(".json") ? last.dropLast(5) : last)
    }

    subscript(name: String) -> Entry? { try? sources[name]?.entry() }
}
