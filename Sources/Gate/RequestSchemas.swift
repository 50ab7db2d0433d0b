import Basics
import Holdfast
import JSON
import SchemaDiff

/// Compares what parameters and bodies of requests may hold; bodies only where another schema is named, because the schemas
/// of the specification are compared by themselves.
struct RequestSchemas {
    /// The part of both versions that is compared under one label: `POST /api/chat: body application/json`.
    private struct Pair {
        let was: RequestDocument.Request
        let now: RequestDocument.Request
        let part: String
        let old: JSONValue
        let new: JSONValue
        let isAnswer: Bool

        var label: String { "\(was.name): \(part)" }

        /// A place in the schemas that are compared, as a place in the file of one of the requests.
        func place(_ told: GatePlace, _ request: RequestDocument.Request) -> GatePlace {
            guard told.file == RequestDocument.file else { return told }
            return GatePlace(
                file: told.file,
                pointer: JSONPointer(tokens: request.place.pointer.tokens + [part] + told.pointer.tokens.dropFirst(2)),
                line: request.place.line)
        }
    }

    /// Compares the schemas that the requests of both states name.
    /// - Throws: Every schema that cannot be used.
    static func entries(
        _ old: ProtocolState, _ new: ProtocolState, _ before: RequestDocument, _ after: RequestDocument
    ) throws(InputProblems) -> [GateEntry] {
        var pairs: [Pair] = []
        for was in before.requests {
            guard let now = after.requests.first(where: { $0.name == was.name }) else { continue }
            func pair(_ part: String, _ old: JSONValue, _ new: JSONValue, isAnswer: Bool) {
                pairs.append(Pair(was: was, now: now, part: part, old: old, new: new, isAnswer: isAnswer))
            }
            for (key, one) in was.parameters.sorted(by: { $0.key < $1.key }) {
                guard let other = now.parameters[key] else { continue }
                pair("parameter \(key)", one.schema, other.schema, isAnswer: false)
            }
            for (key, one) in was.bodies.sorted(by: { $0.key < $1.key }) {
                guard let other = now.bodies[key], one.schema != other.schema else { continue }
                pair(key, one.schema, other.schema, isAnswer: one.isAnswer)
            }
        }
        guard !pairs.isEmpty else { return [] }
        let findings = compareSchemas(
            old: try schemas(old, pairs, \.old), new: try schemas(new, pairs, \.new), policy: SchemaEntries.policy)
        let byLabel = Dictionary(pairs.map { ($0.label, $0) }, uniquingKeysWith: { first, _ in first })
        return findings.compactMap { finding in
            let named = finding.messages.compactMap { byLabel[$0] }
            guard let first = named.first, !SchemaEntries.explainsOnly.contains(finding.rule) else { return nil }
            return entry(finding, first, named.map(\.label))
        }
    }

    private static func entry(_ finding: GateFinding, _ first: Pair, _ labels: [String]) -> GateEntry {
        var told = finding
        told.messages = []
        if finding.rule != "not-proven" {
            told.rule = first.part.hasPrefix("parameter") ? "request-parameter-changed" : "request-body-changed"
        }
        told.old = finding.old.map { first.place($0, first.was) }
        told.new = finding.new.map { first.place($0, first.now) }
        told.why = "\(labels.joined(separator: ", ")): \(finding.rule): \(finding.why)"
        // Of an answer that new clients may get from old servers, the servers are who sends otherwise.
        let breaker = GateParty(first.isAnswer && finding.direction == .clientToServer ? .server : .client)
        return GateEntry(
            told, breaks: finding.severity == .error ? [breaker] : [], subjects: [first.was.name])
    }

    /// The schemas of a state, and beside them those that its requests name.
    private static func schemas(
        _ state: ProtocolState, _ pairs: [Pair], _ side: KeyPath<Pair, JSONValue>
    ) throws(InputProblems) -> MessageSchemaSet {
        var parts: JSONObject = [:]
        for pair in pairs { parts[pair.label] = pair[keyPath: side] }
        let schemas = try MessageSchemaSet(state.specification.files)
        // References in the file are relative to the folder above the schemas.
        let uri = String(MessageSchemas.base.dropLast("schemas/".count)) + RequestDocument.file
        let document = MessageSchemaSet.Document(
            file: RequestDocument.file, uri: uri, text: JSONValue.object(["$defs": .object(parts)]).text())
        let messages = pairs.map { pair in
            MessageSchemaSet.Message(
                name: pair.label, travel: pair.isAnswer ? .both : .clientToServer,
                uri: uri + "#" + percentEncoded(JSONPointer(tokens: ["$defs", pair.label]).description, keeping: "/"))
        }
        return try MessageSchemaSet(documents: schemas.documents + [document], messages: messages, profiles: [])
    }
}
