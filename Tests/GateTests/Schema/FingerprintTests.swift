import HoldfastJSON
import Testing

@testable import HoldfastGate
@testable import HoldfastSchemaDiff

@Suite struct FingerprintTests {
    private func finding(line: Int, value: JSONValue) -> GateFinding {
        GateFinding(
            rule: "limit-tightened", severity: .error, direction: .clientToServer, messages: ["chat"],
            old: GateLocation(file: "chat.json", pointer: JSONPointer(tokens: ["maxLength"]), line: line),
            oldValue: value, why: "")
    }

    @Test func `a moved line keeps the fingerprint`() {
        #expect(finding(line: 3, value: 5).fingerprint == finding(line: 30, value: 5).fingerprint)
    }

    @Test func `another value is another finding`() {
        #expect(finding(line: 3, value: 5).fingerprint != finding(line: 3, value: 6).fingerprint)
        #expect(finding(line: 3, value: 5).fingerprint.count == 16)
    }
}
