import HoldfastJSON
import Testing

@testable import HoldfastGate
@testable import HoldfastSchemaDiff

/// Messages that come, go, or travel another way; and what readers were told about things they do not know.
@Suite struct MessageSetTests {
    private let chat: JSONValue = ["type": "object", "required": ["type"], "properties": ["type": ["const": "chat"]]]
    private let done: JSONValue = ["type": "object", "required": ["type"], "properties": ["type": ["const": "done"]]]

    private func severities(_ findings: [GateFinding], _ rule: String) -> [GateDirection: GateSeverity] {
        Dictionary(
            findings.filter { $0.rule == rule }.compactMap { finding in finding.direction.map { ($0, finding.severity) }
            }
        ) {
            max($0, $1)
        }
    }

    @Test func `a new kind breaks old clients and no server`() throws {
        let old = try RuleCase.set([("chat", chat, .both)])
        let new = try RuleCase.set([("chat", chat, .both), ("done", done, .both)])
        let findings = compareSchemas(old: old, new: new)
        #expect(severities(findings, "message-added") == [.clientToServer: .information, .serverToClient: .error])
        #expect(findings.first?.witness?.json == #"{"type":"done"}"#)
        let tolerant = compareSchemas(old: old, new: new, policy: ComparisonPolicy(ignoresUnknownMessages: true))
        #expect(severities(tolerant, "message-added")[.serverToClient] == .warning)
        let backwards = compareSchemas(old: new, new: old)
        #expect(severities(backwards, "message-removed") == [.clientToServer: .error, .serverToClient: .warning])
        #expect(backwards.first?.witness?.validBy == .old)
    }

    @Test func `a message that only has another name is one finding in each direction`() throws {
        let findings = compareSchemas(
            old: try RuleCase.set([("chat", chat, .serverToClient)]),
            new: try RuleCase.set([("done", done, .serverToClient)]))
        #expect(findings.map(\.rule) == ["discriminator-value-changed"])
        #expect(findings.first?.messages == ["chat", "done"])
    }

    @Test func `a message that travels another way`() throws {
        let findings = compareSchemas(
            old: try RuleCase.set([("chat", chat, .clientToServer)]),
            new: try RuleCase.set([("chat", chat, .serverToClient)]))
        #expect(
            severities(findings, "message-direction-changed") == [.clientToServer: .error, .serverToClient: .error])
    }

    /// Whether a member has to be there, is something where it is not, or is only allowed.
    enum Presence: Sendable {
        case required, `default`, optional
    }

    /// Who breaks, in all 24 cases: strict or tolerant, open or closed, added or removed, required, with a default, or optional.
    @Test(
        arguments: [
            // closed, tolerant, added, presence: to the server, to the client
            (true, false, true, Presence.required, GateSeverity.error, GateSeverity.error),
            (true, false, true, .default, .error, .error),
            (true, false, true, .optional, .information, .error),
            (true, false, false, .required, .error, .error),
            (true, false, false, .default, .error, .warning),
            (true, false, false, .optional, .error, .warning),
            (false, false, true, .required, .error, .information),
            (false, false, true, .default, .error, .error),
            (false, false, true, .optional, .warning, .information),
            (false, false, false, .required, .warning, .error),
            (false, false, false, .default, .information, .warning),
            (false, false, false, .optional, .information, .warning),
            (true, true, true, .required, .error, .information),
            (true, true, true, .default, .error, .error),
            (true, true, true, .optional, .information, .information),
            (true, true, false, .required, .warning, .error),
            (true, true, false, .default, .information, .warning),
            (true, true, false, .optional, .information, .warning),
            (false, true, true, .required, .error, .information),
            (false, true, true, .default, .error, .error),
            (false, true, true, .optional, .information, .information),
            (false, true, false, .required, .warning, .error),
            (false, true, false, .default, .information, .warning),
            (false, true, false, .optional, .information, .warning),
        ] as [(Bool, Bool, Bool, Presence, GateSeverity, GateSeverity)])
    func `content models`(
        isClosed: Bool, isTolerant: Bool, isAdded: Bool, presence: Presence, toServer: GateSeverity,
        toClient: GateSeverity
    ) throws {
        var short: JSONValue = ["type": "object", "properties": ["a": ["type": "string"]]]
        var long: JSONValue = ["type": "object", "properties": ["a": ["type": "string"], "b": ["type": "integer"]]]
        switch presence {
        case .required: long["required"] = ["b"]
        case .default: long["properties"]?["b"]?["default"] = 1
        case .optional: break
        }
        if isClosed {
            short["additionalProperties"] = false
            long["additionalProperties"] = false
        }
        let word = presence == .required ? "required" : presence == .default && isAdded ? "default" : "optional"
        let rule = "property-\(isAdded ? "added" : "removed")-\(word)"
        let findings = try RuleCase.findings(
            isAdded ? short : long, isAdded ? long : short,
            policy: ComparisonPolicy(unknownMembers: isTolerant ? .ignored : .asWritten))
        #expect(
            severities(findings, rule) == [.clientToServer: toServer, .serverToClient: toClient],
            "\(findings.map(\.why))")
        #expect(findings.allSatisfy { $0.rule == rule }, "\(findings.map(\.rule))")
    }

    @Test func `a warning hides no error beside it`() throws {
        func chain(_ depth: Int, _ end: JSONValue) -> JSONValue {
            (0..<depth).reduce(end) { inner, _ in ["type": "object", "properties": ["m": inner]] }
        }
        func message(_ length: JSONValue) -> JSONValue {
            ["type": "object", "properties": ["deep": chain(62, ["type": "string", "maxLength": length])]]
        }
        var new = message(8)
        new["properties"]?["kind"] = ["type": "string"]
        // The change at the bottom lies deeper than the walk goes.
        let findings = try RuleCase.findings(message(9), new)
        #expect(findings.contains { $0.severity == .error && $0.direction == .clientToServer }, "\(findings)")
        let alone = try RuleCase.findings(message(9), message(9))
        #expect(alone.isEmpty, "\(alone)")
    }

    @Test func `a witness complains about the edit it shows`() throws {
        func message(_ required: JSONValue) -> JSONValue {
            [
                "type": "object", "required": required,
                "properties": ["epoch": ["type": "string"], "lastSeq": ["type": "integer"]],
            ]
        }
        let findings = try RuleCase.findings(message(["epoch", "lastSeq"]), message([]), travel: .serverToClient)
        #expect(findings.count == 2)
        for finding in findings {
            let name = try #require(finding.oldValue?.stringValue)
            #expect(finding.witness?.complaint.contains("'\(name)'") == true, "\(finding)")
        }
    }

    @Test func `an edit in a shared definition is told once, with the messages it reaches`() throws {
        func set(_ length: Int) throws -> MessageSchemaSet {
            let shared: JSONValue = ["$defs": ["id": ["type": "string", "maxLength": JSONValue(length)]]]
            func message(_ name: String) -> JSONValue {
                [
                    "type": "object",
                    "properties": ["id": ["$ref": "shared.json#/$defs/id"], "twin": ["$ref": "shared.json#/$defs/id"]],
                ]
            }
            return try MessageSchemaSet(
                documents: [
                    .init(
                        file: "shared.json", uri: "https://rules.example/shared.json", text: shared.text(pretty: true)),
                    .init(file: "a.json", uri: "https://rules.example/a.json", text: message("a").text(pretty: true)),
                    .init(file: "b.json", uri: "https://rules.example/b.json", text: message("b").text(pretty: true)),
                ],
                messages: [
                    .init(name: "a", travel: .clientToServer, uri: "https://rules.example/a.json"),
                    .init(name: "b", travel: .clientToServer, uri: "https://rules.example/b.json"),
                ])
        }
        let findings = compareSchemas(old: try set(9), new: try set(8))
        #expect(findings.count == 1)
        #expect(findings.first?.messages == ["a", "b"])
        #expect(findings.first?.new?.pointerText == "shared.json#/$defs/id/maxLength")
        #expect(findings.first?.new?.line == 5)
    }
}
