import Foundation
import HoldfastJSON
import HoldfastJSONSchema
import TestSupport
import Testing

@testable import HoldfastGate
@testable import HoldfastSchemaDiff

/// Changes as pull requests bring them, each predicted: who breaks, by which rules, and which version's message shows it.
@Suite struct ProtocolChangeTests {
    /// What an author reads of a change, without findings about versions and changelogs.
    private static func loud(_ report: GateReport) -> [GateEntry] {
        report.heads.filter { $0.kind == .change && $0.finding.severity > .information }
    }

    private func check(_ changes: [ProtocolChange], sourceLocation: SourceLocation = #_sourceLocation) async throws {
        let breaks = changes.reduce(into: Set<String>()) { $0.formUnion($1.breaks) }
        let says = changes.reduce(into: Set<String>()) { $0.formUnion($1.says) }
        let isWrong = changes.contains(where: \.isWrong)
        let report =
            changes.count == 1
            ? try await ProtocolChange.minor.report(changes[0])
            : try await ProtocolChange.report(changes, version: "1.1")
        for rule in report.entries.map(\.finding.rule) { #expect(RuleBook.rule(rule) != nil, "\(rule)") }
        let loud = Self.loud(report)
        let told =
            "\(report.entries.map { "\($0.finding.rule) \($0.finding.severity) \($0.breaks) \($0.finding.why)" })"
        let found = Set(loud.map { "\($0.finding.rule) \($0.finding.severity.rawValue)" })
        #expect(found == says, "\(told)")
        // One edit is one finding.
        if changes.count == 1 { #expect(loud.count == says.count, "\(told)") }
        #expect(Set(report.failures.flatMap(\.breaks).map(\.description)) == breaks, "\(told)")
        #expect(report.exit.rawValue == (breaks.isEmpty && !isWrong ? 0 : 1), "\(told)")
        // A new major version may break, and may not be wrong.
        if changes.count == 1, !breaks.isEmpty {
            let major = try await ProtocolChange.report(changes, version: "2.0")
            #expect(major.exit.rawValue == (isWrong ? 1 : 0), "\(major.failures.map(\.finding))")
        }
        for change in changes {
            guard let witness = change.witness else { continue }
            #expect(
                report.entries.contains {
                    $0.finding.witness?.validBy.rawValue == witness && change.says.contains("\($0.finding.rule) error")
                },
                "\(change.name): \(told)")
        }
        for finding in loud.map(\.finding) { try confirm(finding) }
    }

    /// A witness is what every reader sees alike, and each version says of it what the finding tells.
    private func confirm(_ finding: GateFinding) throws {
        guard let witness = finding.witness else { return }
        #expect(try JSONParser.value(witness.json).isOrdinary, "\(witness)")
    }

    @Test(arguments: ProtocolChange.all)
    func `a change is told as it was predicted`(change: ProtocolChange) async throws { try await check([change]) }

    @Test(arguments: ProtocolChange.together)
    func `changes that come together are told as each alone`(names: [String]) async throws {
        try await check(
            names.map { name in try #require(ProtocolChange.all.first { $0.name == name }, "no change '\(name)'") })
    }

    @Test func `there are enough of them, each with its own name`() {
        #expect(ProtocolChange.all.count >= 120)
        #expect(ProtocolChange.together.count >= 40)
        #expect(Set(ProtocolChange.all.map(\.name)).count == ProtocolChange.all.count)
    }
}
