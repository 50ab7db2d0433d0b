import HoldfastJSON
import HoldfastJSONSchema

/// The schemas of messages, bodies and pushes, compiled for the profiles a subject declares.
public struct MessageSchemas: Sendable {
    /// The profiles whose additions are in force.
    public let profiles: Set<Profile>

    private let compiled: [String: Entry]

    /// One compiled schema.
    struct Entry: Sendable {
        /// The file below `schemas/`.
        let file: String
        /// The side that sends such a message.
        let sender: Role
        let schema: Schema
    }

    /// Where the schemas are published; references between them are relative to this.
    package static let base = "https://holdfast.example/spec/1/schemas/"

    /// Names of bodies and pushes; a message of the socket has the name of its type.
    private static let named = [
        "rest/session.json": "session", "rest/sessionList.json": "sessionList", "rest/chatRequest.json": "chatRequest",
        "rest/chatResponse.json": "chatResponse", "rest/error.json": "restError", "rest/health.json": "health",
        "push/payload.json": "push", "push/headers.json": "pushHeaders",
    ]

    /// Compiles every message schema of a specification.
    ///
    /// With `closesSets`, an open set holds no more than this version lists, as it does for who sends.
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
        var compiled: [String: Entry] = [:]
        for (file, root) in entries {
            do {
                let schema = try Schema(uri: Self.base + file, registry: registry)
                let sender = root["x-direction"]?.stringValue.flatMap(Role.init) ?? .server
                compiled[Self.name(of: file)] = Entry(file: file, sender: sender, schema: schema)
            } catch {
                note("schemas/\(file)", "\(error)")
            }
        }
        guard problems.isEmpty else { throw InputProblems(problems) }
        self.compiled = compiled
    }

    /// The names of all messages, bodies and pushes, sorted: `ack`, …, `restError`, `push`.
    public var names: [String] { compiled.keys.sorted() }

    /// The types of WebSocket messages that a side sends, sorted.
    public func types(sentBy role: Role) -> [String] {
        compiled.filter { $0.value.file.hasPrefix("messages/") && $0.value.sender == role && $0.key != "rateLimit" }
            .keys.sorted()
    }

    /// The schema file of a name, below `schemas/`; nil for an unknown name.
    public func file(of name: String) -> String? { compiled[name]?.file }

    /// The side that sends what has a name; nil for an unknown name.
    public func sender(of name: String) -> Role? { compiled[name]?.sender }

    /// The name under which a schema file below `schemas/` is known, such as `restError` for `rest/error.json`.
    public static func name(of file: String) -> String {
        if let name = named[file] { return name }
        let last = file.split(separator: "/").last ?? ""
        return String(last.hasSuffix(".json") ? last.dropLast(5) : last)
    }

    subscript(name: String) -> Entry? { compiled[name] }

    private static func schemaFile(_ path: String) -> String? {
        guard path.hasPrefix("schemas/"), path.hasSuffix(".json"), !path.hasPrefix("schemas/files/") else { return nil }
        return String(path.dropFirst("schemas/".count))
    }
}
