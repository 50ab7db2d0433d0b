import HoldfastBasics

/// Violations that are expected for now; its shape is `Spec/schemas/files/baseline.json`, version 1.
package struct Baseline: Sendable, Equatable {
    package static let format = "holdfast-baseline"
    /// The version of the shape.
    package static let version = 1

    /// The file, as problems name it.
    package let file: String
    /// What is expected, in the order of the file.
    package let entries: [Entry]

    /// A violation that is expected.
    package struct Entry: Sendable, Equatable {
        package let clause: String
        /// The scenarios in which it is violated: a name, or a pattern with `*`.
        package let scenario: NamePattern
        package let reason: String
        /// Where it is being mended; nil when nobody said.
        package let link: String?
        /// The last day on which it is expected.
        package let expires: CivilDate
        /// Whether the clause is violated only now and then.
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

        /// Whether it is about a clause in a scenario, whichever repetition of it.
        func names(_ clause: String, in scenario: ScenarioResult) -> Bool {
            self.clause == clause && self.scenario.matches(scenario.baseName)
        }
    }
}
