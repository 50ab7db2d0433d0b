import Foundation
import HoldfastJSON
import HoldfastJSONSchema
import Testing

@testable import HoldfastGate
@testable import HoldfastSchemaDiff

/// Forty changes of whole protocols, in both directions.
@Suite struct ProtocolEditTests {
    /// Compares a schema with its changed twin, all messages travelling both ways.
    private func findings(_ base: JSONValue, _ edit: ProtocolEdit) throws -> [GateFinding] {
        var changed = base
        edit.apply(&changed)
        func set(_ schema: JSONValue) throws -> MessageSchemaSet {
            let document = MessageSchemaSet.Document(
                file: "one.json", uri: "https://protocol.example/one.json", text: schema.text(pretty: true))
            let word = schema["oneOf"] != nil ? "oneOf" : "anyOf"
            let messages = try (schema[word]?.arrayValue ?? []).enumerated().map { index, alternative in
                let name = try #require(alternative["$ref"]?.stringValue?.split(separator: "/").last)
                let kind = try #require(schema[String(name), "type"])
                return MessageSchemaSet.Message(
                    name: try #require((kind["const"] ?? kind["enum"]?.arrayValue?.first)?.stringValue), travel: .both,
                    uri: "\(document.uri)#/\(word)/\(index)")
            }
            return try MessageSchemaSet(documents: [document], messages: messages)
        }
        return compareSchemas(old: try set(base), new: try set(changed))
    }

    private func check(_ base: JSONValue, _ edit: ProtocolEdit) throws {
        var changed = base
        edit.apply(&changed)
        let old = try Schema(base)
        let new = try Schema(changed)
        let all = try findings(base, edit)
        for (travel, breaks) in [(GateDirection.clientToServer, edit.narrows), (.serverToClient, edit.widens)] {
            let findings = all.filter { $0.direction == nil || $0.direction == travel }
            let errors = findings.filter { $0.severity == .error }
            #expect(errors.isEmpty != breaks, "\(edit.name), \(travel): \(findings.map { "\($0.rule): \($0.why)" })")
            #expect(
                !findings.contains { $0.rule == "not-proven" || $0.rule == "schema-changed" },
                "\(edit.name): \(findings)")
            if !edit.narrows, !edit.widens {
                #expect(findings.allSatisfy { $0.rule == "annotation-changed" }, "\(edit.name), \(travel): \(findings)")
            }
            for finding in errors {
                let witness = try #require(finding.witness, "\(edit.name), \(travel): \(finding.rule) shows nothing")
                let value = try JSONParser.value(witness.json)
                let (writer, reader) = travel == .clientToServer ? (old, new) : (new, old)
                #expect(writer.isValid(value) && !reader.isValid(value), "\(edit.name), \(travel): \(witness.json)")
                #expect((finding.new ?? finding.old)?.line != nil)
            }
        }
    }

    @Test(arguments: ProtocolEdit.forty)
    func `a change of a whole protocol`(edit: ProtocolEdit) throws { try check(ProtocolSchema.flat(), edit) }

    /// Written out flat, where there is time: `HOLDFAST_BENCH` names a folder with further protocols.
    @Test(
        .enabled(if: ProcessInfo.processInfo.environment["HOLDFAST_BENCH"] != nil),
        arguments: ["schema-2020-flat.json"])
    func `a change of another protocol`(file: String) throws {
        let folder = ProcessInfo.processInfo.environment["HOLDFAST_BENCH"] ?? ""
        let base = try JSONParser.value(String(contentsOfFile: "\(folder)/\(file)", encoding: .utf8))
        for edit in ProtocolEdit.forty { try check(base, edit) }
    }
}
