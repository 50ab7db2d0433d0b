import Holdfast
import HoldfastBasics
import HoldfastJSON
import HoldfastSchemaDiff

/// Compares the schemas of parameters, headers and bodies of requests; headers and bodies only if their text changed,
/// because the schema files that they refer to are compared separately.
struct RequestSchemas {
    /// A schema in both versions, and everything that contains it: a change of a shared answer is one finding.
    private struct Pair {
        let old: RequestDocument.Slot
        let new: RequestDocument.Slot
        var labels: [String]
        var requests: [String]

        var name: String { new.label }
    }

    private struct Key: Hashable {
        let kind: RequestDocument.Slot.Kind
        let isAnswer: Bool
        let old: JSONValue
        let new: JSONValue
    }

    /// Compares the requests of two states beyond their facts.
    /// - Throws: Every schema that is not usable.
    static func entries(
        _ old: ProtocolState, _ new: ProtocolState
    ) throws(InputProblems) -> [GateEntry] {
        let pairs = pairs(RequestDocument(old), RequestDocument(new, namedAs: old))
        guard !pairs.isEmpty else { return [] }
        let findings = compareSchemas(
            old: try schemas(old, pairs, \.old), new: try schemas(new, pairs, \.new), policy: SchemaEntries.policy)
        return pairs.compactMap { pair in
            let own = findings.filter { $0.messages.contains(pair.name) && $0.severity > .information }
            return own.max { $0.severity < $1.severity }.map { entry($0, own, pair, old, new) }
        }
    }

    private static func pairs(_ before: RequestDocument, _ after: RequestDocument) -> [Pair] {
        let known = before.slots.keyed(by: \.label)
        var pairs: [Key: Pair] = [:]
        for new in after.slots {
            guard let old = known[new.label], new.kind == .parameter || old.schema != new.schema else { continue }
            let key = Key(kind: new.kind, isAnswer: new.isAnswer, old: old.schema, new: new.schema)
            pairs[key, default: Pair(old: old, new: new, labels: [], requests: [])].labels.append(new.label)
            pairs[key]?.requests.append(new.request)
        }
        return pairs.values.sorted { $0.name < $1.name }
    }

    private static func entry(
        _ worst: GateFinding, _ all: [GateFinding], _ pair: Pair, _ old: ProtocolState, _ new: ProtocolState
    ) -> GateEntry {
        let broken = Set(all.flatMap(\.breaks))
        let rules = Set(all.map(\.rule)).sorted().joined(separator: ", ")
        var finding = GateFinding(
            rule: "request-\(pair.new.kind.rawValue)-changed", severity: worst.severity, direction: worst.direction,
            old: old.located(pair.old.location), new: new.located(pair.new.location), oldValue: pair.old.schema,
            newValue: pair.new.schema,
            why: "\(rules): \(worst.why)",
            witness: all.filter { $0.severity == worst.severity }.compactMap(\.witness)
                .min { $0.json.utf8.count < $1.json.utf8.count })
        finding.breaks = broken
        finding.words = pair.labels.map { "`\($0)`" }.joined(separator: ", ") + " has a different schema"
        var entry = GateEntry(finding, breaks: broken.map { GateParty($0) }, subjects: pair.requests)
        entry.parts = all
        return entry
    }

    private static func schemas(
        _ state: ProtocolState, _ pairs: [Pair], _ side: KeyPath<Pair, RequestDocument.Slot>
    ) throws(InputProblems) -> MessageSchemaSet {
        var parts: JSONObject = [:]
        for pair in pairs { parts[pair.name] = pair[keyPath: side].schema }
        // References in the file are relative to the folder above the schemas.
        let uri = String(MessageSchemas.base.dropLast("schemas/".count)) + RequestDocument.file
        let document = MessageSchemaSet.Document(
            file: RequestDocument.file, uri: uri, text: JSONValue.object(["$defs": .object(parts)]).text())
        let messages = pairs.map { pair in
            MessageSchemaSet.Message(
                name: pair.name, travel: pair.new.isAnswer ? .serverToClient : .clientToServer,
                uri: uri + "#" + percentEncoded(JSONPointer(tokens: ["$defs", pair.name]).description, keeping: "/"))
        }
        return try MessageSchemaSet(
            documents: MessageSchemaSet.documents(state.specification.files) + [document], messages: messages,
            profiles: [])
    }
}
