import Holdfast
import JSON
import SchemaDiff

/// Compares what parameters and bodies of requests may hold; bodies only where another schema is named, because the schemas
/// of the specification are compared by themselves.
struct RequestSchemas {
    /// The part of both versions that is compared under one label: `POST /api/chat: body application/json`.
    private struct Pair {
        let request: String
        let part: String
        let old: JSONValue
        let new: JSONValue
        let isAnswer: Bool

        var label: String { "\(request): \(part)" }
    }

    /// Compares the schemas that the requests of both states name.
    /// - Throws: Every schema that cannot be used.
    static func entries(
        _ old: ProtocolState, _ new: ProtocolState, _ before: RequestDocument, _ after: RequestDocument
    ) throws(InputProblems) -> [GateEntry] {
        var pairs: [Pair] = []
        for (name, was) in before.requests.sorted(by: { $0.key < $1.key }) {
            guard let now = after.requests[name] else { continue }
            for (key, one) in was.parameters.sorted(by: { $0.key < $1.key }) {
                guard let other = now.parameters[key] else { continue }
                pairs.append(
                    Pair(request: name, part: "parameter \(key)", old: one.schema, new: other.schema, isAnswer: false))
            }
            for (key, one) in was.bodies.sorted(by: { $0.key < $1.key }) {
                guard let other = now.bodies[key], one.schema != other.schema else { continue }
                pairs.append(
                    Pair(request: name, part: key, old: one.schema, new: other.schema, isAnswer: one.isAnswer))
            }
        }
        guard !pairs.isEmpty else { return [] }
        let findings = compareSchemas(
            old: try schemas(old, pairs, \.old), new: try schemas(new, pairs, \.new), policy: SchemaEntries.policy)
        let byLabel = Dictionary(pairs.map { ($0.label, $0) }, uniquingKeysWith: { first, _ in first })
        return findings.compactMap { finding in
            let named = finding.messages.compactMap { byLabel[$0] }
            guard let first = named.first, !SchemaEntries.explainsOnly.contains(finding.rule) else { return nil }
            return entry(finding, first, named.map(\.label), before, after)
        }
    }

    private static func entry(
        _ finding: GateFinding, _ first: Pair, _ labels: [String], _ before: RequestDocument, _ after: RequestDocument
    ) -> GateEntry {
        // Of an answer that new clients may get from old servers, the servers are who sends otherwise.
        let breaks =
            finding.severity != .error
            ? [] : [GateParty(first.isAnswer && finding.direction == .clientToServer ? .server : .client)]
        let kind = first.part.hasPrefix("parameter") ? "request-parameter-changed" : "request-body-changed"
        func place(_ told: GatePlace?, _ request: RequestDocument.Request?) -> GatePlace? {
            guard let told, told.file == RequestDocument.file, let request else { return told }
            return GatePlace(
                file: request.place.file,
                pointer: JSONPointer(
                    tokens: request.place.pointer.tokens + [first.part] + told.pointer.tokens.dropFirst(2)),
                line: request.place.line)
        }
        return GateEntry(
            GateFinding(
                rule: finding.rule == "not-proven" ? finding.rule : kind, severity: finding.severity,
                direction: finding.direction, old: place(finding.old, before.requests[first.request]),
                new: place(finding.new, after.requests[first.request]), oldValue: finding.oldValue,
                newValue: finding.newValue,
                why: "\(labels.joined(separator: ", ")): \(finding.rule): \(finding.why)", witness: finding.witness),
            breaks: breaks, rise: finding.severity == .error ? .major : .minor, subjects: [first.request])
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
                uri: uri + "#" + fragment(JSONPointer(tokens: ["$defs", pair.label])))
        }
        return try MessageSchemaSet(documents: schemas.documents + [document], messages: messages, profiles: [])
    }

    /// A pointer as the fragment of a URI.
    private static func fragment(_ pointer: JSONPointer) -> String {
        var text = ""
        for byte in pointer.description.utf8 {
            let scalar = Unicode.Scalar(byte)
            let isPlain =
                scalar.isASCII
                && (scalar.properties.isAlphabetic || ("0"..."9").contains(scalar)
                    || "-._~/".unicodeScalars.contains(scalar))
            text += isPlain ? String(scalar) : "%" + (byte < 16 ? "0" : "") + String(byte, radix: 16, uppercase: true)
        }
        return text
    }
}
