import JSON
import Testing

@testable import Gate

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

    /// Strict or tolerant, open or closed, added or removed, required or not: who breaks.
    @Test(
        arguments: [
            // closed, tolerant, added, required: to the server, to the client
            (true, false, true, true, GateSeverity.error, GateSeverity.error),
            (true, false, true, false, .information, .error),
            (true, false, false, true, .error, .error),
            (true, false, false, false, .error, .warning),
            (false, false, true, true, .error, .information),
            (false, false, true, false, .warning, .information),
            (false, false, false, true, .warning, .error),
            (false, false, false, false, .information, .warning),
            (true, true, true, true, .error, .information),
            (true, true, true, false, .information, .information),
            (true, true, false, true, .warning, .error),
            (true, true, false, false, .information, .warning),
            (false, true, true, true, .error, .information),
            (false, true, true, false, .information, .information),
            (false, true, false, true, .warning, .error),
            (false, true, false, false, .information, .warning),
        ] as [(Bool, Bool, Bool, Bool, GateSeverity, GateSeverity)])
    func `content models`(
        isClosed: Bool, isTolerant: Bool, isAdded: Bool, isRequired: Bool, toServer: GateSeverity,
        toClient: GateSeverity
    ) throws {
        var short: JSONValue = ["type": "object", "properties": ["a": ["type": "string"]]]
        var long: JSONValue = ["type": "object", "properties": ["a": ["type": "string"], "b": ["type": "integer"]]]
        if isRequired { long["required"] = ["b"] }
        if isClosed {
            short["additionalProperties"] = false
            long["additionalProperties"] = false
        }
        let rule = "property-\(isAdded ? "added" : "removed")-\(isRequired ? "required" : "optional")"
        let findings = try RuleCase.findings(
            isAdded ? short : long, isAdded ? long : short,
            policy: ComparisonPolicy(unknownMembers: isTolerant ? .ignored : .asWritten))
        #expect(
            severities(findings, rule) == [.clientToServer: toServer, .serverToClient: toClient],
            "\(findings.map(\.why))")
        #expect(findings.allSatisfy { $0.rule == rule }, "\(findings.map(\.rule))")
    }

    @Test func `values that readers were told to expect are a warning`() throws {
        let old: JSONValue = ["enum": ["a"], "x-extensible-enum": true]
        let new: JSONValue = ["enum": ["a", "b"], "x-extensible-enum": true]
        let findings = try RuleCase.findings(old, new)
        #expect(severities(findings, "enum-value-added") == [.clientToServer: .information, .serverToClient: .warning])
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
