import Foundation
import Holdfast
import HoldfastJSON
import TestSupport
import Testing

@testable import HoldfastGate
@testable import HoldfastSchemaDiff

/// One change of our own schemas, as a line of text, and what the gate says about it.
struct SpecificationEdit: Sendable, CustomTestStringConvertible {
    let file: String
    let old: String
    let new: String
    /// The findings that are no information: rule, direction, severity.
    let says: [String]
    /// A message that must be among those reached; nil when that goes without saying.
    var reaches: String?

    var testDescription: String { "\(file): \(old) → \(new)" }

    init(_ file: String, _ old: String, _ new: String, _ says: String..., reaches: String? = nil) {
        self.file = file
        self.old = old
        self.new = new
        self.says = says.sorted()
        self.reaches = reaches
    }
}

/// Changes of this very specification, in whose eyes readers ignore members that they do not know.
@Suite struct SpecificationEditTests {
    static let edits: [SpecificationEdit] = [
        // Shared definitions
        SpecificationEdit(
            "common.json", ##""pattern": "^[A-Za-z0-9_-]{1,128}$"\##n    },\##n    "askedSessionId""##,
            ##""pattern": "^[A-Za-z0-9_-]{1,64}$"\##n    },\##n    "askedSessionId""##,
            "pattern-changed serverToClient error", reaches: "done"),
        SpecificationEdit(
            "common.json", ##""pattern": "^[A-Za-z0-9_-]{1,128}$"\##n    },\##n    "connectionId""##,
            ##""pattern": "^[A-Za-z0-9_-]{1,64}$"\##n    },\##n    "connectionId""##,
            "pattern-changed clientToServer error", reaches: "chat"),
        SpecificationEdit(
            "common.json",
            ##""title": "Turn id",\##n      "description": "One question and its answer.",\##n      "type": "string",\##n      "minLength": 1,\##n      "maxLength": 128"##,
            ##""title": "Turn id",\##n      "description": "One question and its answer.",\##n      "type": "string",\##n      "minLength": 1,\##n      "maxLength": 256"##,
            "limit-loosened serverToClient error", reaches: "done"),
        SpecificationEdit(
            "common.json", ##""enum": ["user", "assistant", "system"]"##,
            ##""enum": ["user", "assistant", "system", "tool"]"##,
            "enum-value-added clientToServer error", "enum-value-added serverToClient error", reaches: "session"),
        SpecificationEdit(
            "common.json", ##""enum": ["user", "assistant", "system"]"##, ##""enum": ["user", "assistant"]"##,
            "enum-value-removed clientToServer error", "enum-value-removed serverToClient error", reaches: "chatRequest"
        ),
        SpecificationEdit(
            "common.json", ##""enum": ["user", "assistant", "system"]"##, ##""enum": ["system", "user", "assistant"]"##),
        // Error codes are an open set: a reader takes any.
        SpecificationEdit(
            "common.json", ##"        "internal"\##n"##, ##"        "internal",\##n        "teapot"\##n"##),
        SpecificationEdit("common.json", ##"        "busy",\##n"##, ""),
        SpecificationEdit(
            "common.json", ##""type": ["string", "array"]"##, ##""type": ["string", "array", "null"]"##,
            "became-nullable clientToServer error", "became-nullable serverToClient error", reaches: "session"),
        SpecificationEdit(
            "common.json", ##""type": ["string", "array"]"##, ##""type": "array""##,
            "type-narrowed clientToServer error", "type-narrowed serverToClient error", reaches: "chat"),
        SpecificationEdit(
            "common.json", ##""then": { "required": ["text"] }"##, ##""then": {}"##,
            "property-became-optional clientToServer error", "property-became-optional serverToClient error",
            reaches: "session"),
        SpecificationEdit(
            "common.json",
            ##""contains": {\##n        "type": "object",\##n        "required": ["role"],\##n        "properties": { "role": { "const": "user" } }\##n      }"##,
            ##""uniqueItems": false"##, "contains-removed clientToServer error", reaches: "chat"),
        SpecificationEdit(
            "common.json", ##""minItems": 1,\##n      "items": { "$ref": "#/$defs/chatMessage" }"##,
            ##""minItems": 2,\##n      "items": { "$ref": "#/$defs/chatMessage" }"##,
            "limit-tightened clientToServer error", reaches: "chatRequest"),
        SpecificationEdit(
            "common.json", ##""minItems": 1,\##n      "items": { "$ref": "#/$defs/chatMessage" }"##,
            ##""minItems": 1,\##n      "maxItems": 50,\##n      "items": { "$ref": "#/$defs/chatMessage" }"##,
            "limit-tightened clientToServer error"),
        SpecificationEdit("common.json", ##""title": "Epoch","##, ##""title": "The epoch","##),
        SpecificationEdit("common.json", ##""title": "Nonce","##, ##""deprecated": true,\##n      "title": "Nonce","##),
        SpecificationEdit(
            "common.json", ##""maxLength": 128\##n    },\##n    "epoch""##,
            ##""maxLength": 64\##n    },\##n    "epoch""##, "limit-tightened clientToServer error",
            "limit-tightened serverToClient error", reaches: "ping"),
        SpecificationEdit(
            "common.json", ##"(\\.[0-9]{1,9})?"##, ##"(\\.[0-9]{1,6})?"##,
            "pattern-changed serverToClient error", reaches: "session"),
        SpecificationEdit(
            "common.json", ##"(\\.[0-9]{1,9})?"##, ##"(\\.[0-9]+)?"##, "pattern-changed serverToClient error",
            reaches: "session"),
        SpecificationEdit("common.json", ##"([0-5][0-9]|60)"##, ##"(60|[0-5][0-9])"##),
        SpecificationEdit("common.json", ##""required": ["role", "content"]"##, ##""required": ["content", "role"]"##),
        SpecificationEdit(
            "common.json", ##""required": ["role", "content"]"##, ##""required": ["role"]"##,
            "property-became-optional clientToServer error", reaches: "chat"),
        // Messages of clients
        SpecificationEdit(
            "messages/chat.json", ##""required": ["messages", "clientMessageId"]"##,
            ##""required": ["messages", "clientMessageId", "sessionId"]"##,
            "property-became-required clientToServer error"),
        SpecificationEdit(
            "messages/chat.json", ##""messages": { "$ref": "../common.json#/$defs/chatMessages" },"##,
            ##""messages": { "$ref": "../common.json#/$defs/chatMessages" },\##n    "lang": { "type": "string" },"##),
        SpecificationEdit(
            "messages/chat.json", ##""x-direction": "client""##, ##""x-direction": "server""##,
            "message-direction-changed clientToServer error", "message-direction-changed serverToClient error"),
        SpecificationEdit("messages/chat.json", ##""const": "chat""##, ##""enum": ["chat"]"##),
        SpecificationEdit(
            "messages/chat.json", ##""const": "chat""##, ##""const": "ask""##,
            "discriminator-value-changed clientToServer error"),
        SpecificationEdit(
            "messages/chat.json", ##""allOf": [{ "$ref": "../common.json#/$defs/clientFrame" }],"##,
            ##""type": "object",\##n  "allOf": [{ "required": ["type"] }],"##),
        SpecificationEdit(
            "rest/chatRequest.json", ##""required": ["messages", "clientMessageId"]"##,
            ##""required": ["messages", "clientMessageId", "sessionId"]"##,
            "property-became-required clientToServer error"),
        // Messages of servers
        SpecificationEdit(
            "messages/toolUse.json", ##""enum": ["started", "finished", "failed"]"##,
            ##""enum": ["started", "finished", "failed", "cancelled"]"##, "enum-value-added serverToClient error"),
        SpecificationEdit(
            "messages/toolUse.json", ##""enum": ["started", "finished", "failed"]"##,
            ##""enum": ["started", "finished"]"##, "enum-value-removed serverToClient error"),
        SpecificationEdit(
            "messages/toolUse.json", ##""required": ["tool"]"##, ##""required": []"##,
            "property-became-optional serverToClient error"),
        SpecificationEdit(
            "messages/toolUse.json", ##"    { "x-clause": "ID-3", "required": ["sessionId"] },\##n"##, "",
            "property-became-optional serverToClient error"),
        SpecificationEdit(
            "messages/toolUse.json", ##""sync": { "required": ["seq"] }"##, ##""sync": { "required": [] }"##,
            "property-became-optional serverToClient error"),
        SpecificationEdit(
            "messages/toolUse.json",
            ##"    "input": { "description": "What the tool was given: any JSON value." },\##n"##, "",
            "property-removed-optional serverToClient warning"),
        SpecificationEdit(
            "messages/toolUse.json", ##""toolUseId": {"##, ##""useId": {"##, "property-renamed serverToClient error"),
        SpecificationEdit(
            "messages/error.json",
            ##""retryable": { "description": "True when the same question may succeed later.", "type": "boolean" }"##,
            ##""retryable": { "description": "True when the same question may succeed later.", "type": ["boolean", "string"] }"##,
            "type-widened serverToClient error"),
        SpecificationEdit(
            "messages/error.json", ##""then": { "x-clause": "ENV-2", "not": { "required": ["seq"] } }"##,
            ##""then": {}"##, "not-changed serverToClient error"),
        SpecificationEdit(
            "push/payload.json", ##""type": ["string", "object"]"##, ##""type": "string""##,
            "type-narrowed serverToClient error"),
        SpecificationEdit(
            "push/payload.json", ##""required": ["aps", "sessionId", "messageId"]"##,
            ##""required": ["aps", "messageId"]"##, "property-became-optional serverToClient error"),
        SpecificationEdit(
            "push/headers.json", ##""enum": ["1", "5", "10"]"##, ##""enum": ["1", "5", "10", "7"]"##,
            "enum-value-added serverToClient error"),
        SpecificationEdit(
            "push/headers.json", ##""const": "alert""##, ##""enum": ["alert", "background"]"##,
            "enum-value-added serverToClient error"),
        SpecificationEdit(
            "push/headers.json", ##""pattern": "^[\\x20-\\x7E]{1,64}$""##, ##""pattern": "^[ -~]{1,64}$""##),
        SpecificationEdit(
            "rest/health.json", ##""const": true"##, ##""type": "boolean""##, "const-dropped serverToClient error"),
        SpecificationEdit(
            "rest/sessionList.json", ##""required": ["id", "updatedAt", "messageCount"]"##,
            ##""required": ["id", "updatedAt"]"##, "property-became-optional serverToClient error"),
        SpecificationEdit(
            "rest/session.json", ##""enum": ["running", "done", "failed"]"##,
            ##""enum": ["running", "done", "failed", "queued"]"##, "enum-value-added serverToClient error"),
    ]

    @Test(arguments: edits)
    func `a change of our own schemas`(edit: SpecificationEdit) throws {
        let old = try SourceTree.specification().files
        var new = old
        let path = "schemas/\(edit.file)"
        let text = try #require(old.texts[path])
        try #require(text.contains(edit.old), "\(path) does not hold \(edit.old)")
        new.texts[path] = text.replacingOccurrences(of: edit.old, with: edit.new)
        let findings = compareSchemas(
            old: try Self.whole.get(), new: try MessageSchemaSet(new, profiles: Set(Profile.allCases)),
            policy: .holdfast)
        let loud = findings.filter { $0.severity > .information }
        #expect(
            Set(loud.map { "\($0.rule) \($0.direction?.rawValue ?? "") \($0.severity.rawValue)" }) == Set(edit.says),
            "\(findings)")
        if let message = edit.reaches {
            #expect(findings.contains { $0.messages.contains(message) }, "\(findings.map(\.messages))")
        }
        for finding in loud where finding.severity == .error && !Self.unshown.contains(finding.rule) {
            let witness = try #require(finding.witness, "\(finding)")
            #expect(finding.messages.contains(witness.message))
            #expect((finding.new ?? finding.old)?.line != nil)
        }
    }

    /// What breaks people and shows in no single message.
    private static let unshown: Set = ["message-direction-changed", "property-renamed"]

    /// The schemas with all that profiles add, read once.
    private static let whole = Result {
        try MessageSchemaSet(try SourceTree.specification().files, profiles: Set(Profile.allCases))
    }

    /// The files of this very specification.
    private static func own() throws -> SmallProtocol {
        var own = SmallProtocol()
        let texts = try SourceTree.specification().files.texts.filter { !$0.key.hasPrefix("fixtures/") }
        own.files = Dictionary(uniqueKeysWithValues: texts.map { ("Spec/\($0.key)", $0.value) })
        return own
    }

    @Test func `what only a profile demands is seen`() throws {
        var edit = Edit()
        edit.old = try Self.own()
        edit.new = edit.old
        edit.new.edit(
            #""sync": { "required": ["seq"] }"#, by: #""sync": { "required": [] }"#,
            in: "Spec/schemas/messages/toolUse.json")
        let entries = try SchemaEntries.entries(edit.old.state("old"), edit.new.state())
        let errors = entries.filter { $0.finding.severity == .error }
        #expect(errors.map(\.finding.rule) == ["property-became-optional"])
        #expect(errors.map(\.breaks) == [[GateParty(.client)]])
    }

    @Test func `a specification does not differ from itself`() throws {
        let same = try Self.own()
        #expect(try SchemaEntries.entries(same.state("old"), same.state()).isEmpty)
    }

    @Test func `the table is long enough`() {
        #expect(Self.edits.count >= 40)
    }
}
