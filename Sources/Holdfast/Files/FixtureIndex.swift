import HoldfastJSON

/// The list of all fixtures, `Fixtures/index.json`, as far as the tools need it.
public struct FixtureIndex: Sendable {
    /// A golden message or transcript.
    public struct Entry: Sendable, Equatable {
        /// The file, relative to `Fixtures/`.
        public let file: String
        /// What is expected of it, in words: `valid` or `invalid` of a message, and of a transcript each clause with its
        /// verdict, such as `SYNC-3 violation, SYNC-7 pass`.
        public let verdict: String
        /// The clauses it shows, kept or broken, in the order of the index.
        public let clauses: [ClauseID]
        /// The clauses it breaks; empty for one that keeps all it shows.
        public let broken: Set<ClauseID>
        /// Where in the schemas a message is refused; nil for one that is valid, or that no schema gets to see.
        public var rejectedAt: String?
        /// The history of a transcript in the notation; nil for a message.
        public var notation: String?
        /// What its subject declares.
        public var profiles: Set<Profile> = []
        /// What it shows, in a sentence.
        public var why = ""
    }

    /// Every fixture, in the order of the index.
    public let entries: [Entry]

    /// Reads the index that came with a specification.
    /// - Throws: A problem when there is none, or it is no JSON.
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
        let messages = (root["messages"]?.arrayValue ?? []).compactMap { entry -> Entry? in
            guard let file = entry["file"]?.stringValue else { return nil }
            let clause = entry["clause"]?.stringValue.flatMap { ClauseID($0) }
            let clauses = [clause].compactMap(\.self)
            return Entry(
                file: file, verdict: entry["verdict"]?.stringValue ?? "", clauses: clauses, broken: Set(clauses),
                rejectedAt: entry["schemaLocation"]?.stringValue, why: entry["why"]?.stringValue ?? "")
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
                why: entry["why"]?.stringValue ?? "")
        }
        entries = messages + transcripts
    }

    /// The files that show a clause kept or broken.
    public func files(showing clause: ClauseID) -> [String] {
        entries.filter { $0.clauses.contains(clause) }.map(\.file)
    }

    /// The shortest transcript that shows a clause broken, or kept; one that is named after the clause comes first.
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

    /// The clauses that some transcript breaks.
    public var brokenByTranscripts: Set<ClauseID> {
        entries.filter { $0.file.hasPrefix("transcripts/") }.reduce(into: []) { $0.formUnion($1.broken) }
    }
}
