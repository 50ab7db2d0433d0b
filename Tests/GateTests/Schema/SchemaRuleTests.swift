import HoldfastJSON
import Testing

@testable import HoldfastGate
@testable import HoldfastSchemaDiff

/// What each rule says, on the least schema that shows it.
@Suite struct SchemaRuleTests {
    private static let ofMessageSets: Set = [
        "message-added", "message-removed", "message-direction-changed", "message-renamed",
    ]

    @Test func `each rule has a case, and each case a rule`() {
        let ids = GateRule.schemaRules.map(\.id)
        #expect(Set(ids).count == ids.count)
        #expect(Set(ids) == Set(RuleCase.all.map(\.rule)).union(Self.ofMessageSets))
        for rule in GateRule.schemaRules {
            #expect(
                !rule.title.isEmpty && rule.whyToServer.hasSuffix(".") && rule.whyToClient.hasSuffix("."), "\(rule.id)")
        }
    }

    @Test func `each rule is the mirror of its mirror`() throws {
        for rule in GateRule.schemaRules {
            guard let id = rule.mirror else { continue }
            let mirror = try #require(GateRule.schemaRule(id), "\(rule.id): \(id)")
            #expect(mirror.mirror == rule.id, "\(rule.id) and \(id)")
        }
    }

    @Test(arguments: RuleCase.all)
    func `a rule applies with its weight and its witness`(example: RuleCase) throws {
        let all = try RuleCase.findings(example.old, example.new)
        let findings = all.filter { $0.rule == example.rule }
        for (direction, expected) in [
            (GateDirection.clientToServer, example.toServer), (.serverToClient, example.toClient),
        ] {
            let own = findings.filter { $0.direction == direction || $0.direction == nil }
            #expect(own.map(\.severity).max() == expected, "\(direction): \(all)")
        }
        for finding in findings where finding.severity == .error {
            guard let rule = GateRule.schemaRule(finding.rule), finding.direction != nil,
                let direction = finding.direction,
                rule.weight(direction).safe != .error
            else { continue }
            #expect(finding.witness != nil, "\(finding)")
        }
    }

    @Test(arguments: RuleCase.all)
    func `a rule does not apply to what only looks like it`(example: RuleCase) throws {
        let findings = try RuleCase.findings(example.nearMiss.old, example.nearMiss.new)
        #expect(!findings.contains { $0.rule == example.rule }, "\(findings)")
    }

    @Test(arguments: RuleCase.all)
    func `the edit made backwards falls under the mirror`(example: RuleCase) throws {
        let rule = try #require(GateRule.schemaRule(example.rule))
        let backwards = try RuleCase.findings(example.new, example.old)
        if let id = rule.mirror { #expect(backwards.contains { $0.rule == id }, "\(backwards)") }
    }

    @Test func `the whole range of safe integers has a middle`() throws {
        func numbers(_ type: String) -> JSONValue {
            ["type": .string(type), "minimum": -9_007_199_254_740_991, "maximum": 9_007_199_254_740_991]
        }
        #expect(try RuleCase.findings(numbers("integer"), numbers("number")).isEmpty == false)
    }
}
