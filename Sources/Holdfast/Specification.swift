import HoldfastJSON
import HoldfastJSONSchema

/// One version of the specification: clauses, schemas, scenarios and dialects.
public struct Specification: Sendable {
    /// The version, `major.minor`.
    public let version: String
    /// Every clause, by area and number.
    public let clauses: [Clause]
    /// The source files.
    public let files: SpecificationFiles

    private let byID: [ClauseID: Clause]
    private let schemas: SchemaCache
    private let tables: StateTables

    /// Reads a specification.
    /// - Throws: All problems of all files.
    public init(_ files: SpecificationFiles) throws(InputProblems) {
        var problems: [InputProblem] = []
        var clauses: [Clause] = []
        var byID: [ClauseID: Clause] = [:]
        for area in Area.allCases {
            let file = "clauses/\(area.rawValue).md"
            guard let text = files.texts[file] else {
                problems.note(
                    "Spec/\(file)", "no such file", expected: "one chapter for each area", fix: "restore the file")
                continue
            }
            for clause in problems.take({ () throws(InputProblems) in try ClauseReader.clauses(in: text, file: file) })
                ?? []
            {
                problems += Self.misplacements(of: clause, area: area, before: byID[clause.id])
                byID[clause.id] = clause
                clauses.append(clause)
            }
        }
        problems += Self.missingCaptureNeeds(in: clauses)
        let schemas = problems.take { () throws(InputProblems) in try SchemaCache(files) }
        let version = files.json("version.json")?["specification"]?.stringValue
        if version == nil {
            problems.note(
                "Spec/version.json", "states no version", expected: #"{"specification": "1.0", "protocol": 1}"#,
                fix: "restore the file")
        }
        guard problems.isEmpty, let schemas, let version else { throw InputProblems(problems) }
        self.version = version
        self.clauses = clauses.sorted { $0.id < $1.id }
        (self.files, self.byID, self.schemas) = (files, byID, schemas)
        tables = StateTables(files)
    }

    /// The clause with an id, if there is one.
    public subscript(id: ClauseID) -> Clause? { byID[id] }

    package func states(of machine: String, _ role: Role) -> StateTable? { tables[role, machine] }

    /// The message schemas with the additions of the given profiles; compiled on first use.
    public func messageSchemas(for profiles: Set<Profile>) -> MessageSchemas { schemas[.init(profiles: profiles)] }

    /// The message schemas for senders: open sets such as the error codes are limited to this version's values.
    public func schemasOfSent(for profiles: Set<Profile>) -> MessageSchemas {
        schemas[.init(profiles: profiles, closesSets: true)]
    }

    /// The problems of clauses without a line `Capture:`.
    ///
    /// If no clause has one, the specification is older than that line, and is accepted for comparison.
    private static func missingCaptureNeeds(in clauses: [Clause]) -> [InputProblem] {
        guard clauses.contains(where: { $0.captureNeeds != nil }) else { return [] }
        return clauses.filter { $0.captureNeeds == nil && $0.exclusion == nil }.map { clause in
            InputProblem(
                location: "Spec/\(clause.file):\(clause.line):1", what: "\(clause.id) has no line 'Capture:'",
                expected: "what a capture must contain to judge the clause, or 'any'",
                fix: "add it below 'Judged from:'")
        }
    }

    private static func misplacements(of clause: Clause, area: Area, before: Clause?) -> [InputProblem] {
        let location = "Spec/\(clause.file):\(clause.line):1"
        var problems: [InputProblem] = []
        if clause.id.area != area {
            problems.note(
                location, "\(clause.id) stands in the chapter of \(area.rawValue)",
                expected: "clauses of \(area.rawValue) only",
                fix: "move it to Spec/clauses/\(clause.id.area.rawValue).md")
        }
        if let before {
            problems.note(
                location, "\(clause.id) is already defined in line \(before.line)", expected: "every id once",
                fix: "give the second one the next free number")
        }
        return problems
    }
}
