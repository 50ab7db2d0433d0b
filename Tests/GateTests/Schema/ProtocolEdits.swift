import Foundation
import HoldfastJSON
import Testing

@testable import HoldfastGate
@testable import HoldfastSchemaDiff

/// One change of a protocol schema, and whom it breaks.
struct ProtocolEdit: Sendable, CustomTestStringConvertible {
    let name: String
    /// Whether some old message is refused by the new schema.
    let narrows: Bool
    /// Whether some new message is refused by the old schema.
    let widens: Bool
    let apply: @Sendable (inout JSONValue) -> Void

    init(_ name: String, narrows: Bool, widens: Bool, _ apply: @escaping @Sendable (inout JSONValue) -> Void) {
        self.name = name
        self.narrows = narrows
        self.widens = widens
        self.apply = apply
    }

    var testDescription: String { name }
}

extension JSONValue {
    /// A definition.
    subscript(def name: String) -> JSONValue? {
        get { self["$defs"]?[name] }
        set { self["$defs"]?[name] = newValue }
    }

    /// A member of a definition.
    subscript(_ def: String, _ property: String) -> JSONValue? {
        get { self["$defs"]?[def]?["properties"]?[property] }
        set { self["$defs"]?[def]?["properties"]?[property] = newValue }
    }

    /// Adds a value to a list.
    mutating func append(_ value: JSONValue) { self = .array((arrayValue ?? []) + [value]) }

    /// Takes a value out of a list.
    mutating func drop(_ value: JSONValue) { self = .array((arrayValue ?? []).filter { $0 != value }) }

    /// Turns a list round.
    mutating func reverse() { self = .array((arrayValue ?? []).reversed()) }

    /// Gives a member another key, at the end.
    mutating func rename(_ key: String, to other: String) {
        let value = self[key]
        self[key] = nil
        self[other] = value
    }
}

extension ProtocolEdit {
    /// Forty changes as people make them.
    static let forty: [ProtocolEdit] = [
        ProtocolEdit("a new member that must be there", narrows: true, widens: true) {
            $0["chat", "lang"] = ["type": "string"]
            $0[def: "chat"]?["required"]?.append("lang")
        },
        ProtocolEdit("a new member that may be there", narrows: false, widens: true) {
            $0["chat", "lang"] = ["type": "string"]
        },
        ProtocolEdit("optional becomes required", narrows: true, widens: false) {
            $0[def: "chat"]?["required"]?.append("mode")
        },
        ProtocolEdit("required becomes optional", narrows: false, widens: true) {
            $0[def: "done"]?["required"]?.drop("stopReason")
        },
        ProtocolEdit("an optional member goes", narrows: true, widens: false) { $0["push", "badge"] = nil },
        ProtocolEdit("a required member goes", narrows: true, widens: true) {
            $0["push", "title"] = nil
            $0[def: "push"]?["required"]?.drop("title")
        },
        ProtocolEdit("an enum value comes", narrows: false, widens: true) {
            $0["done", "stopReason"]?["enum"]?.append("refusal")
        },
        ProtocolEdit("an enum value goes", narrows: true, widens: false) {
            $0["done", "stopReason"]?["enum"]?.drop("cancelled")
        },
        ProtocolEdit("enum values in another order", narrows: false, widens: false) {
            $0["done", "stopReason"]?["enum"]?.reverse()
        },
        ProtocolEdit("a member has another name", narrows: true, widens: true) {
            $0[def: "chat"]?["properties"]?.rename("text", to: "body")
            $0[def: "chat"]?["required"]?.drop("text")
            $0[def: "chat"]?["required"]?.append("body")
        },
        ProtocolEdit("integer becomes number", narrows: false, widens: true) {
            $0["push", "badge"]?["type"] = "number"
        },
        ProtocolEdit("number becomes integer", narrows: true, widens: false) {
            $0["done", "durationMs"]?["type"] = "integer"
        },
        ProtocolEdit("string becomes string or null", narrows: false, widens: true) {
            $0["push", "body"]?["type"] = ["string", "null"]
        },
        ProtocolEdit("maxLength is raised", narrows: false, widens: true) { $0["chat", "text"]?["maxLength"] = 65536 },
        ProtocolEdit("maxLength is lowered", narrows: true, widens: false) { $0["chat", "text"]?["maxLength"] = 1024 },
        ProtocolEdit("maxLength goes", narrows: false, widens: true) { $0["chat", "text"]?["maxLength"] = nil },
        ProtocolEdit("minLength comes", narrows: true, widens: false) { $0["push", "body"]?["minLength"] = 1 },
        ProtocolEdit("a pattern comes", narrows: true, widens: false) { $0["push", "title"]?["pattern"] = "^[A-Z]" },
        ProtocolEdit("another pattern", narrows: true, widens: true) {
            $0[def: "cursor"]?["pattern"] = "^[a-z0-9.]{1,32}$"
        },
        ProtocolEdit("a pattern goes", narrows: false, widens: true) { $0[def: "timestamp"]?["pattern"] = nil },
        ProtocolEdit("maximum is lowered", narrows: true, widens: false) { $0["sync", "limit"]?["maximum"] = 100 },
        ProtocolEdit("minimum becomes exclusive", narrows: true, widens: false) {
            $0["rateLimit", "utilization"]?.rename("minimum", to: "exclusiveMinimum")
        },
        ProtocolEdit("integers from 1 are integers above 0", narrows: false, widens: false) {
            $0["sync", "limit"]?["minimum"] = nil
            $0["sync", "limit"]?["exclusiveMinimum"] = 0
        },
        ProtocolEdit("maxItems is lowered", narrows: true, widens: false) {
            $0["syncResult", "messages"]?["maxItems"] = 100
        },
        ProtocolEdit("uniqueItems goes", narrows: false, widens: true) { $0["sync", "sessions"]?["uniqueItems"] = nil },
        ProtocolEdit("a kind of message comes", narrows: false, widens: true) {
            var typing = $0[def: "sync"]
            typing?["properties"]?["type"] = ["const": "typing"]
            $0[def: "typing"] = typing
            $0["oneOf"]?.append(["$ref": "#/$defs/typing"])
        },
        ProtocolEdit("a kind of message goes", narrows: true, widens: false) {
            $0["oneOf"]?.drop(["$ref": "#/$defs/rateLimit"])
        },
        ProtocolEdit("alternatives in another order", narrows: false, widens: false) { $0["oneOf"]?.reverse() },
        ProtocolEdit("a definition has another name", narrows: false, widens: false) { schema in
            let text = schema.text().replacingOccurrences(of: "#/$defs/usage", with: "#/$defs/tokenUsage")
            guard var renamed = try? JSONParser.value(text) else { return }
            renamed["$defs"]?.rename("usage", to: "tokenUsage")
            schema = renamed
        },
        ProtocolEdit("a reference is written out", narrows: false, widens: false) {
            $0["done", "usage"] = $0[def: "usage"]
        },
        ProtocolEdit("oneOf becomes anyOf", narrows: false, widens: false) { $0.rename("oneOf", to: "anyOf") },
        ProtocolEdit("const becomes an enum of one", narrows: false, widens: false) {
            $0["chat", "type"] = ["enum": ["chat"]]
        },
        ProtocolEdit("a kind has another name", narrows: true, widens: true) {
            $0["push", "type"] = ["const": "notify"]
        },
        ProtocolEdit("a closed object is opened", narrows: false, widens: true) {
            $0[def: "usage"]?["additionalProperties"] = nil
        },
        ProtocolEdit("other members get shorter", narrows: true, widens: false) {
            $0["push", "data"]?["additionalProperties"]?["maxLength"] = 64
        },
        ProtocolEdit("a maximum comes", narrows: true, widens: false) { $0["push", "badge"]?["maximum"] = 99 },
        ProtocolEdit("other words for people", narrows: false, widens: false) {
            $0["chat", "text"]?["description"] = "new words"
            $0["chat", "text"]?["examples"] = ["x"]
        },
        ProtocolEdit("deep: a token count becomes required", narrows: true, widens: false) {
            $0[def: "usage"]?["required"]?.append("cacheReadTokens")
        },
        ProtocolEdit("deep: a role comes", narrows: false, widens: true) {
            $0[def: "role"]?["enum"]?.append("developer")
        },
    ]
}
