import HoldfastJSON
import HoldfastJSONSchema
import HoldfastPlatform

/// The schemas of messages, bodies and pushes, compiled for the profiles a subject declares.
public struct MessageSchemas: Sendable {
    /// The profiles whose additions are in force.
    public let profiles: Set<Profile>

    private let sources: [String: Source]

    /// One compiled schema.
    final class Entry: Sendable {
        /// The file below `schemas/`.
        let file: String
        /// The side that sends such a message.
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
            let made = Entry(file: file, sender: sender, schema: schema)
            compiled.withLock { $0 = made }
            return made
        }
    }

    /// Where the schemas are published; references between them are relative to this.
    package static let base = "https://holdfast.example/spec/1/schemas/"

    /// Names of bodies and pushes; a message of the socket has the name of its type.
    private static let named = [
        "rest/session.json": "session", "rest/sessionList.json": "sessionList", "rest/chatRequest.json": "chatRequest",
        "rest/chatResponse.json": "chatResponse", "rest/error.json": "restError", "rest/health.json": "health",
        "push/payload.json": "push", "push/headers.json": "pushHeaders",
    ]

    /// Reads every message schema of a specification.
    ///
    /// With `closesSets`, an open set holds no more than this version lists, as it does for who sends. Those that this program
    /// carries are compiled on first use: a start that needs one of them, or none, does not wait for all.
    /// - Throws: Every file that is no JSON or no schema.
    public init(
        _ files: SpecificationFiles, profiles: Set<Profile>, closesSets: Bool = false
    ) throws(InputProblems) {
        self.profiles = profiles
        var problems: [InputProblem] = []
        func note(_ path: String, _ what: String) {
            problems.append(
                InputProblem(
                    location: "Spec/\(path)", what: what, expected: "a JSON Schema, draft 2020-12",
                    fix: "correct the file"
                ))
        }
        var registry = SchemaRegistry()
        var entries: [(file: String, root: JSONValue)] = []
        for (path, text) in files.texts.sorted(by: { $0.key < $1.key }) {
            guard let file = Self.schemaFile(path) else { continue }
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

    /// The names of all messages, bodies and pushes, sorted: `ack`, …, `restError`, `push`.
    public var names: [String] { sources.keys.sorted() }

    /// The types of WebSocket messages that a side sends, sorted.
    public func types(sentBy role: Role) -> [String] {
        sources.filter { $0.value.file.hasPrefix("messages/") && $0.value.sender == role && $0.key != "rateLimit" }
            .keys.sorted()
    }

    /// The schema file of a name, below `schemas/`; nil for an unknown name.
    public func file(of name: String) -> String? { sources[name]?.file }

    /// The side that sends what has a name; nil for an unknown name.
    public func sender(of name: String) -> Role? { sources[name]?.sender }

    /// The name under which a schema file below `schemas/` is known, such as `restError` for `rest/error.json`.
    public static func name(of file: String) -> String {
        if let name = named[file] { return name }
        let last = file.split(separator: "/").last ?? ""
        return String(last.hasSuffix(".json") ? last.dropLast(5) : last)
    }

    /// The schema of a name; nil for an unknown name.
    subscript(name: String) -> Entry? { try? sources[name]?.entry() }

    private static func schemaFile(_ path: String) -> String? {
        guard path.hasPrefix("schemas/"), path.hasSuffix(".json"), !path.hasPrefix("schemas/files/") else { return nil }
        return String(path.dropFirst("schemas/".count))
    }
}
