import Holdfast
import HoldfastBasics

/// Expected violations; the format is `Spec/schemas/files/baseline.json`, version 1.
package struct Baseline: Sendable, Equatable {
    package static let format = "holdfast-baseline"
    package static let version = 1

    /// The name of the file in problems.
    package let file: String
    package let entries: [Entry]

    package func expects(_ clause: ClauseID, in scenario: ScenarioResult) -> Bool {
        entries.contains { $0.names(clause.description, in: scenario) }
    }

    package struct Entry: Sendable, Equatable {
        package let clause: String
        /// The scenarios with the violation: a name, or a pattern with `*`.
        package let scenario: NamePattern
        package let reason: String
        package let link: String?
        /// The last day on which it is accepted.
        package let expires: CivilDate
        let isIntermittent: Bool
        /// Its line in the file, from 1.
        package let line: Int

        package init(
            clause: String, scenario: String, reason: String, link: String? = nil, expires: CivilDate,
            isIntermittent: Bool = false, line: Int = 0
        ) {
            self.clause = clause
            self.scenario = NamePattern(scenario)
            (self.reason, self.link, self.expires) = (reason, link, expires)
            (self.isIntermittent, self.line) = (isIntermittent, line)
        }

        /// Whether it covers a clause in a scenario, in any repetition.
        func names(_ clause: String, in scenario: ScenarioResult) -> Bool {
            self.clause == clause && self.scenario.matches(scenario.baseName)
        }
    }
}
