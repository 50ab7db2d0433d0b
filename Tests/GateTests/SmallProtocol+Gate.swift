import Holdfast
import HoldfastBasics
import HoldfastReport
import TestSupport
import Testing

@testable import HoldfastGate
@testable import HoldfastSchemaDiff

extension SmallProtocol {
    /// Puts another text in place of a part that has to be there.
    mutating func edit(_ part: String, by other: String, in file: String) {
        let isThere = replace(part, by: other, in: file)
        #expect(isThere, "\(file) does not hold '\(part)'")
    }

    /// The state of these files.
    func state(_ name: String = "new") throws -> ProtocolState {
        try ProtocolState(name: name, files: files.mapValues { Array($0.utf8) })
    }
}

/// What the gate finds when the small protocol is edited.
struct Edit {
    var old = SmallProtocol()
    var new = SmallProtocol()
    var options = GateOptions(today: Edit.today)

    static let today: CivilDate = {
        guard let day = CivilDate("2026-11-22") else { preconditionFailure("this is a day") }
        return day
    }()

    init(_ change: (inout SmallProtocol) -> Void = { _ in }) {
        change(&new)
    }

    func report() async throws -> GateReport {
        try await gate(from: old.state("old"), to: new.state(), options: options)
    }

    /// The findings as `rule severity`, policies of versions left out, because every edit here leaves the version as it is.
    func rules() async throws -> [String] {
        let policies: Set = ["version-unchanged", "breaking-without-major", "changelog-missing"]
        return try await report().entries.filter { !policies.contains($0.finding.rule) }
            .map { "\($0.finding.rule) \($0.finding.severity.rawValue)" }.sorted()
    }
}
