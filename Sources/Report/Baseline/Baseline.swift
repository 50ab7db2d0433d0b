/// Violations that are expected for now; its shape is `Spec/schemas/files/baseline.json`, version 1.
public struct Baseline: Sendable, Equatable {
    /// The value of `format`.
    public static let format = "holdfast-baseline"
    /// The version of the shape.
    public static let version = 1

    /// The file, as problems name it.
    public let file: String
    /// What is expected, in the order of the file.
    public let entries: [Entry]

    /// A baseline.
    public init(file: String, entries: [Entry]) {
        self.file = file
        self.entries = entries
    }

    /// A violation that is expected.
    public struct Entry: Sendable, Equatable {
        /// The clause, as written.
        public let clause: String
        /// The scenarios in which it is violated: a name, or a pattern with `*`.
        public let scenario: NamePattern
        /// Why it is expected.
        public let reason: String
        /// Where it is being mended; nil when nobody said.
        public let link: String?
        /// The last day on which it is expected.
        public let expires: CivilDate
        /// Whether the clause is violated only now and then.
        public let isIntermittent: Bool
        /// Its line in the file, from 1.
        public let line: Int

        /// An entry.
        public init(
            clause: String, scenario: String, reason: String, link: String? = nil, expires: CivilDate,
            isIntermittent: Bool = false, line: Int = 0
        ) {
            self.clause = clause
            self.scenario = NamePattern(scenario)
            self.reason = reason
            self.link = link
            self.expires = expires
            self.isIntermittent = isIntermittent
            self.line = line
        }

        /// Whether it is about a clause in a scenario, whichever repetition of it.
        func names(_ clause: String, in scenario: ScenarioResult) -> Bool {
            self.clause == clause && self.scenario.matches(scenario.baseName)
        }
    }
}
