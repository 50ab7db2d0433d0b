import HoldfastJSON
import HoldfastPlatform
import Testing

@testable import HoldfastGate
@testable import HoldfastSchemaDiff

/// Schemas that were written to be hard: the answer may be "not proven", but it comes.
@Suite struct HostileSchemaTests {
    /// Compares under a small limit; a break may be missed only by saying that nothing was proved.
    private func answers(_ old: JSONValue, _ new: JSONValue) async throws -> [GateFinding] {
        let clock = ContinuousClock()
        let start = clock.now
        let findings = try await onDeepStack {
            Result {
                try RuleCase.findings(old, new, policy: ComparisonPolicy(stepLimit: 4_000), travel: .clientToServer)
            }
        }.get()
        #expect(clock.now - start < .seconds(60))
        return findings
    }

    @Test func `unions that multiply`() async throws {
        func clause(_ index: Int, _ length: Int) -> JSONValue {
            let names = (0..<3).map { "v\((index * 7 + $0 * 5) % 17)" }
            return [
                "anyOf": .array(
                    names.map { name in
                        [
                            "type": "object", "required": [.string(name)],
                            "properties": [name: ["minimum": JSONValue(length)]],
                        ]
                    })
            ]
        }
        let old: JSONValue = ["type": "object", "allOf": .array((0..<24).map { clause($0, $0 % 3) })]
        let new: JSONValue = ["type": "object", "allOf": .array((0..<24).map { clause($0 + 1, $0 % 4) })]
        #expect(try await !answers(old, new).isEmpty)
    }

    @Test func `patterns that grow when they are determined`() async throws {
        let old: JSONValue = ["type": "string", "pattern": "^(a|b)*a(a|b){18}$"]
        let new: JSONValue = ["type": "string", "pattern": "^(a|b)*b(a|b){18}$"]
        let findings = try await answers(old, new)
        #expect(findings.contains { $0.severity == .error })
    }

    @Test func `values too large to be built`() async throws {
        let old: JSONValue = ["type": "array", "maxItems": 4_000_000_000]
        let new: JSONValue = ["type": "array", "maxItems": 1_000_000_000]
        #expect(try await answers(old, new).map(\.rule) == ["not-proven"])
        let long: JSONValue = ["type": "string", "minLength": 4_000_000_000]
        #expect(try await answers(long, ["type": "string", "minLength": 5_000_000_000]).map(\.rule) == ["not-proven"])
    }

    @Test func `schemas inside one another`() async throws {
        func nested(_ depth: Int, _ inner: JSONValue) -> JSONValue {
            (0..<depth).reduce(inner) { schema, _ in ["type": "object", "required": ["a"], "properties": ["a": schema]]
            }
        }
        #expect(
            try await answers(nested(70, ["type": "string"]), nested(70, ["type": "integer"])).contains {
                $0.severity == .error
            })
        #expect(
            try await answers(nested(30, ["type": "string"]), nested(30, ["type": "integer"])).map(\.rule) == [
                "type-changed"
            ]
        )
    }

    @Test func `a walk that stops early says so`() throws {
        func set(_ type: String) throws -> MessageSchemaSet {
            let text = #"{"type":"object","properties":{"a":{"properties":{"b":{"type":"\#(type)"}}}}}"#
            let uri = "https://holdfast.example/m.json"
            return try MessageSchemaSet(
                documents: [MessageSchemaSet.Document(file: "m.json", uri: uri, text: text)],
                messages: [MessageSchemaSet.Message(name: "m", travel: .both, uri: uri)])
        }
        let (old, new) = (try set("string"), try set("integer"))
        let one = try #require(old.schemas["m"]), other = try #require(new.schemas["m"])
        func walked(_ steps: Int) -> (Bool, Int) {
            var walk = SchemaWalk(
                SchemaSpace(old: one.program, new: other.program), old: SchemaTexts(old), new: SchemaTexts(new),
                steps: steps)
            let count = walk.walk().count
            return (walk.ranOut, count)
        }
        #expect(walked(1) == (true, 0))
        #expect(walked(40_000) == (false, 1))
    }

    @Test func `a tree that cannot end holds nothing`() async throws {
        let endless: JSONValue = ["type": "object", "required": ["a"], "properties": ["a": ["$ref": "#"]]]
        // No finite value is valid under it: nobody can break.
        #expect(try await answers(endless, ["type": "string"]).allSatisfy { $0.severity < .error })
    }
}
