import HoldfastJSON

/// The list of all fixtures, `Fixtures/index.json`.
public struct FixtureIndex: Sendable {
    /// A golden message or transcript.
    public struct Entry: Sendable, Equatable {
        /// The file, relative to `Fixtures/`.
        public let file: String
        /// The expected result: `valid` or `invalid` for a message; for a transcript, each clause with its verdict,
        /// such as `SYNC-3 violation, SYNC-7 pass`.
        public let verdict: String
        /// The clauses it demonstrates, satisfied or violated, in index order.
        public let clauses: [ClauseID]
        /// The clauses it violates.
        public let broken: Set<ClauseID>
        /// The schema location that rejects a message; nil if it is valid or never reaches a schema.
        public var rejectedAt: String?
        /// The notation of a transcript; nil for a message.
        public var notation: String?
        /// The subject's declared profiles.
        public var profiles: Set<Profile> = []
        /// A sentence about it.
        public var why = ""
    }

    /// All fixtures in index order.
    public let entries: [Entry]

    /// Reads the index of a specification.
    /// - Throws: A problem if it is missing or not JSON.
    public init(_ files: SpecificationFiles) throws(InputProblems) {
        let root: JSONValue
        do {
            root = try JSONParser.value(files.texts["fixtures/index.json"] ?? "")
        } catch {
            throw InputProblems([
                InputProblem(
                    location: "Fixtures/index.json", what: "\(error)", expected: "the index of the fixtures",
                    fix: "restore the file")
            ])
        }
        func text(_ entry: JSONValue, _ name: String) -> String { entry[name]?.stringValue ?? "" }
        let messages = (root["messages"]?.arrayValue ?? []).compactMap { entry -> Entry? in
            guard let file = entry["file"]?.stringValue else { return nil }
            let clauses = [ClauseID(text(entry, "clause"))].compactMap(\.self)
            return Entry(
                file: file, verdict: text(entry, "verdict"), clauses: clauses, broken: Set(clauses),
                rejectedAt: entry["schemaLocation"]?.stringValue, why: text(entry, "why"))
        }
        let transcripts = (root["transcripts"]?.arrayValue ?? []).compactMap { entry -> Entry? in
            guard let file = entry["file"]?.stringValue, let expected = entry["expected"]?.objectValue else {
                return nil
            }
            let verdicts = expected.map { (ClauseID($0.key), $0.value.stringValue ?? "") }
            let broken = verdicts.filter { $0.1 == "violation" || $0.1 == "warning" }
            let profiles = (entry["profiles"]?.arrayValue ?? []).compactMap(\.stringValue)
            return Entry(
                file: file, verdict: expected.map { "\($0.key) \($0.value.stringValue ?? "")" }.joined(separator: ", "),
                clauses: verdicts.compactMap(\.0), broken: Set(broken.compactMap(\.0)),
                notation: entry["notation"]?.stringValue, profiles: Set(profiles.compactMap(Profile.init(rawValue:))),
                why: text(entry, "why"))
        }
        entries = messages + transcripts
    }

    /// The files that demonstrate a clause, satisfied or violated.
    public func files(showing clause: ClauseID) -> [String] {
        entries.filter { $0.clauses.contains(clause) }.map(\.file)
    }

    /// The shortest transcript with a violated, or satisfied, clause; one named after the clause takes precedence.
    public func history(of clause: ClauseID, isBroken: Bool) -> Entry? {
        let candidates = entries.filter {
            $0.notation != nil && $0.clauses.contains(clause) && $0.broken.contains(clause) == isBroken
        }
        func rank(_ entry: Entry) -> (Int, Int, String) {
            let isNamed = entry.file.split(separator: "/").last?.hasPrefix("\(clause)-") ?? false
            return (isNamed ? 0 : 1, entry.notation?.count ?? 0, entry.file)
        }
        return candidates.min { rank($0) < rank($1) }
    }

    /// The clauses that any transcript violates.
    public var brokenByTranscripts: Set<ClauseID> {
        entries.filter { $0.file.hasPrefix("transcripts/") }.reduce(into: []) { $0.formUnion($1.broken) }
    }
}
