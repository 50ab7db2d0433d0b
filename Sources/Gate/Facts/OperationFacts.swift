import Holdfast
import HoldfastJSON
import HoldfastSchemaDiff

/// The facts about the socket in `Spec/asyncapi.json`, which describes it from the server's side.
struct OperationFacts {
    static let file = "asyncapi.json"
    /// The word for access without credentials.
    private static let nothing = "nothing"

    private let root: JSONValue
    private var facts: [Fact] = []

    static func facts(of state: ProtocolState) -> [Fact] {
        guard let root = state.json(file) else { return [] }
        var reader = OperationFacts(root: root)
        reader.read()
        return reader.facts
    }

    /// New messages that no channel carries, if there are channels.
    static func unlisted(_ old: ProtocolState, _ new: ProtocolState) -> [GateEntry] {
        guard let root = new.json(file) else { return [] }
        let listed = (root["channels"]?.objectValue ?? [:]).map(\.value).flatMap { channel in
            (channel["messages"]?.objectValue ?? [:]).compactMap {
                root["components"]?["messages"]?[$0.key]?["payload"]?["$ref"]?.stringValue
            }
        }
        return new.texts(below: "schemas/messages/", ".json").map(\.path).filter {
            old.text($0) == nil && !listed.contains($0)
        }.map { path in
            let name = MessageSchemas.name(of: String(path.dropFirst("schemas/".count)))
            return GateEntry(
                "message-without-channel", .warning, messages: [name], new: GateLocation(file: path, line: 1),
                why: "no channel of \(file) carries it, so readers of that file never learn of it", bump: .patch)
        }
    }

    private init(root: JSONValue) { self.root = root }

    private mutating func read() {
        facts.append(
            Fact(rule: .table, key: Self.file, location: GateLocation(file: Self.file, line: 1), subject: Self.file))
        add(.socket, "content type", ["defaultContentType"], value: root["defaultContentType"] ?? .null)
        for (name, server) in members(root["servers"]) {
            // The host in an example binds no peer.
            add(.socket, "protocol", ["servers", name, "protocol"], value: server["protocol"] ?? .null)
            add(.socket, "path", ["servers", name, "pathname"], value: server["pathname"] ?? "/")
            let ways = server["security"]?.arrayValue ?? []
            for way in ways {
                add(.operationSecurity, Self.lastToken(way), ["servers", name, "security"], coveredBy: Self.nothing)
            }
            if ways.isEmpty { add(.operationSecurity, Self.nothing, ["servers", name]) }
        }
        for (name, scheme) in members(root["components"]?["securitySchemes"]) {
            add(
                .securityScheme, "socket \(name)", ["components", "securitySchemes", name],
                value: scheme.bindingPart(in: root))
        }
        for (channel, value) in members(root["channels"]) {
            add(.socket, "address of \(channel)", ["channels", channel, "address"], value: value["address"] ?? .null)
            for (name, message) in members(value["messages"]) {
                let binding = message.bindingPart(in: root)
                add(
                    .channelMessage, name, ["channels", channel, "messages", name],
                    value: [
                        "payload": binding["payload"] ?? .null,
                        // A statement about all messages need not be repeated for one.
                        "contentType": binding["contentType"].flatMap {
                            $0 == root["defaultContentType"] ? nil : $0
                        } ?? .null,
                        "headers": binding["headers"] ?? .null,
                    ], subject: name)
            }
        }
        for (name, operation) in members(root["operations"]) { read(name, operation) }
    }

    private mutating func read(_ name: String, _ operation: JSONValue) {
        let path = ["operations", name]
        let isSent = operation["action"] == "send"
        add(.operation, name, path, value: operation["action"] ?? .null)
        let parent = "\(FactRule.operation.id): \(name)"
        // A type that is new as a whole is reported as one fact.
        func parents(_ type: String) -> [String] { [parent, "\(FactRule.channelMessage.id): \(type)"] }
        let sender = GateParty(isSent ? .server : .client)
        for message in operation["messages"]?.arrayValue ?? [] {
            let type = Self.lastToken(message)
            add(
                .operationMessage, "\(name) \(type)", path + ["messages", type], subject: name, obliged: [sender],
                parents: parents(type))
        }
        for message in operation["reply"]?["messages"]?.arrayValue ?? [] {
            let type = Self.lastToken(message)
            add(.reply, "\(name) \(type)", path + ["reply", type], subject: name, parents: parents(type))
        }
        let ways = operation["security"]?.arrayValue ?? []
        for scheme in ways {
            add(
                .operationSecurity, "\(name) \(Self.lastToken(scheme))", path + ["security"], subject: name,
                parents: [parent], coveredBy: "\(name) \(Self.nothing)")
        }
        if ways.isEmpty {
            add(.operationSecurity, "\(name) \(Self.nothing)", path, subject: name, parents: [parent])
        }
    }

    private mutating func add(
        _ rule: FactRule, _ key: String, _ path: [String], value: JSONValue = .null, subject: String? = nil,
        obliged: [GateParty] = [], parents: [String] = [], coveredBy cover: String? = nil
    ) {
        facts.append(
            Fact(
                rule: rule, key: key, value: value,
                location: GateLocation(file: Self.file, pointer: JSONPointer(tokens: path)), subject: subject ?? key,
                obliged: obliged, parents: ["\(FactRule.table.id): \(Self.file)"] + parents,
                cover: cover.map { ["\(rule.id): \($0)"] } ?? []))
    }

    private func members(_ value: JSONValue?) -> [(String, JSONValue)] {
        (value?.objectValue ?? [:]).map { ($0.key, $0.value) }
    }

    /// The last token of a reference, or the text of a value that is not one.
    private static func lastToken(_ value: JSONValue) -> String {
        value["$ref"]?.stringValue?.split(separator: "/").last.map(String.init) ?? value.text(sortedKeys: true)
    }
}
