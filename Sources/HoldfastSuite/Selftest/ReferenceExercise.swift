import Holdfast
import HoldfastReport

package enum ReferenceExercise {
    /// The number of times that each scenario exercises each clause; skipped scenarios are omitted.
    package static func counts(
        of names: [String], under specification: Specification, program: String
    ) async throws -> [String: [ClauseID: Int]] {
        let selection = try Selection(
            names, role: .server, of: specification, scenarios: specification.scenarios())
        let report = try await Services.run(for: try ReferenceSubject(program: program).subject()) { subject in
            try await ServerSuite(subject, under: specification, selection, jobs: 4).run()
        }
        let performed = report.scenarios.filter { $0.skipped == nil && names.contains($0.name) }
        return performed.keyed(by: \.name).mapValues { result in
            result.verdicts.filter { $0.exercised > 0 }.keyed(by: \.clause).mapValues(\.exercised)
        }
    }
}
