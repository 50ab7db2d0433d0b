import Holdfast
import HoldfastBasics
import HoldfastJSON
import HoldfastJudge
import HoldfastSchemaDiff
import HoldfastTranscript

package struct ArchivedTranscript: Sendable {
    package let name: String
    package let history: History

    package init(name: String, history: History) { (self.name, self.history) = (name, history) }
}

package struct GateOccurrence: Sendable, Equatable {
    package let transcript: String
    package let subject: String
    /// The line of the event in the transcript, from 1; nil when the finding cites none.
    package let line: Int?
    /// The event, in the notation of histories.
    package let event: String
    /// The violation there, under either specification.
    package let what: String
    /// The result under the old specification; nil if it has no such clause.
    package let before: HoldfastJudge.Outcome?
    /// The result under the new one; nil if it has no such clause.
    package let after: HoldfastJudge.Outcome?
}

/// Judges transcripts under both specifications: which peer would break, and at which frame.
///
/// Both are judged by the judge of this program; only the specifications differ. So a verdict changes if a clause is
/// added or removed, binds a different profile or has a different keyword, if a schema accepts other values, or if a
/// named timeout has a different value. All other requirements are in the judge itself, and so the same under both.
struct TranscriptComparison {
    private let old: ProtocolState
    private let new: ProtocolState
    private let oldTimeouts: [String: Duration]
    private let newTimeouts: [String: Duration]
    private let hasChanges: Bool

    struct Result {
        var entries: [GateEntry] = []
        var judged = 0
        /// For each clause, the number of transcripts that keep it and that break it, by the new specification.
        var tallies: [ClauseID: (kept: Int, broken: Int)] = [:]
        var notes: [String] = []

        /// The evidence of transcripts for a reworded sentence; nil for other findings.
        ///
        /// Both sentences get the same verdict, because the judge implements only one of them.
        func shown(_ entry: GateEntry) -> String? {
            guard entry.finding.rule == "clause-reworded",
                let id = entry.finding.new?.pointer.lastToken.flatMap(ClauseID.init)
            else { return nil }
            let tally = tallies[id] ?? (0, 0)
            return
                "this judge reads no sentence; the clause is kept in \(tally.kept) and broken in \(tally.broken) of \(judged) transcripts"
        }
    }

    static func result(_ old: ProtocolState, _ new: ProtocolState, archive: [ArchivedTranscript]) async -> Result {
        let timeouts = (old: ChapterFacts.timeouts(of: old), new: ChapterFacts.timeouts(of: new))
        let comparison = TranscriptComparison(
            old: old, new: new, oldTimeouts: timeouts.old, newTimeouts: timeouts.new,
            hasChanges: timeouts.old != timeouts.new || differ(old, new))
        var result = Result()
        guard
            comparison.hasChanges
                || old.specification.clauses.map(\.sentence) != new.specification.clauses.map(\.sentence)
        else {
            result.notes.append(
                "no transcript was judged: all clauses, the schemas and the timeouts are the same"
            )
            return result
        }
        var transcripts = archive
        for fixture in old.fixtures.transcripts {
            let name = "Fixtures/\(fixture.file)"
            do {
                let text = String(decoding: fixture.bytes, as: UTF8.self)
                transcripts.append(
                    ArchivedTranscript(name: name, history: try TranscriptReader.history(in: text, file: name)))
            } catch {
                result.notes.append("not judged: \(error.location): \(error.what)")
            }
        }
        result.judged = transcripts.count
        let (changes, verdicts) = await comparison.changes(of: transcripts)
        for verdict in verdicts {
            result.tallies[verdict.clause, default: (0, 0)].kept += verdict.outcome == .pass ? 1 : 0
            result.tallies[verdict.clause, default: (0, 0)].broken += verdict.outcome.isBroken ? 1 : 0
        }
        result.entries = comparison.entries(changes)
        return result
    }

    private static func differ(_ old: ProtocolState, _ new: ProtocolState) -> Bool {
        func key(_ state: ProtocolState) -> [String] {
            state.specification.clauses.map {
                "\($0.id) \($0.role) \($0.profile.rawValue) \($0.keyword) \($0.exclusion ?? "")"
            }
                + state.texts(below: "schemas/", ".json").filter { !$0.path.hasPrefix("schemas/files/") }.map(\.text)
        }
        return key(old) != key(new)
    }

    private typealias Change = (clause: ClauseID, occurrence: GateOccurrence)

    private func changes(of transcripts: [ArchivedTranscript]) async -> ([Change], [Verdict]) {
        let all = await inParallel(transcripts) { changes(of: $0) }
        return (all.flatMap(\.0), all.flatMap(\.1))
    }

    private func changes(of transcript: ArchivedTranscript) -> ([Change], [Verdict]) {
        let after = verdicts(transcript.history, new, newTimeouts)
        // A reworded sentence is judged by the same rules.
        let before = hasChanges ? verdicts(transcript.history, old, oldTimeouts) : after
        let changes = Set(before.keys).union(after.keys).sorted().compactMap { id -> Change? in
            let was = before[id]
            let now = after[id]
            guard was?.outcome != now?.outcome, was?.isBroken == true || now?.isBroken == true else { return nil }
            let finding = (now?.isBroken == true ? now : was)?.findings.first
            let printer = NotationPrinter(transcript.history)
            let occurrence = GateOccurrence(
                transcript: transcript.name, subject: transcript.history.header.subject.name,
                // The header is the first line of a transcript.
                line: finding?.cited.map { $0 + 2 }, event: finding?.cited.map(printer.word(of:)) ?? "",
                what: finding?.what ?? "", before: was?.outcome, after: now?.outcome)
            return (id, occurrence)
        }
        let reworded = after.values.filter { verdict in
            old.specification[verdict.clause]?.sentence != new.specification[verdict.clause]?.sentence
        }
        return (changes, reworded)
    }

    private func verdicts(
        _ history: History, _ state: ProtocolState, _ timeouts: [String: Duration]
    ) -> [ClauseID: Verdict] {
        var header = history.header
        let defaults = Timeouts()
        for (name, path) in Timeouts.paths where header.timeouts[keyPath: path] == defaults[keyPath: path] {
            if let value = timeouts[name] { header.timeouts[keyPath: path] = value }
        }
        let history =
            header.timeouts == history.header.timeouts ? history : History(header: header, events: history.events)
        return judge(history, under: state.specification).keyed(by: \.clause)
    }

    // MARK: Entries

    private func entries(_ changes: [Change]) -> [GateEntry] {
        let groups = Dictionary(grouping: changes) { change in
            Group(clause: change.clause, after: change.occurrence.after.flatMap { $0.isBroken ? $0 : nil })
        }
        return groups.sorted { $0.key < $1.key }.compactMap { group, changes in
            guard let clause = new.specification[group.clause] ?? old.specification[group.clause] else { return nil }
            let occurrences = changes.map(\.occurrence)
            let subjects = Set(occurrences.map(\.subject)).sorted().joined(separator: ", ")
            let isOne = occurrences.count == 1
            let shown =
                (isOne ? "a transcript" : "\(occurrences.count) transcripts")
                + " of \(subjects) show\(isOne ? "s" : "")"
            let (rule, severity, what): (String, GateSeverity, String) =
                switch group.after {
                case .violation?:
                    (
                        "transcript-regression", .error,
                        "\(clause.id) was kept, or did not exist, and is violated now"
                    )
                case .warning?:
                    (
                        "transcript-warning", .warning,
                        "\(clause.id) is not followed, which is a warning now"
                    )
                default: ("transcript-relief", .warning, "\(clause.id) was broken and no longer is")
                }
            var entry = GateEntry(
                rule, severity, old: old.specification[group.clause]?.location,
                new: new.specification[group.clause]?.location,
                // A waiver covers these transcripts and no others.
                newValue: .array(Set(occurrences.map(\.transcript)).sorted().map { .string($0) }),
                why: "\(shown) it: \(what)",
                breaks: severity == .error ? [clause.party] : [],
                subjects: [clause.id.description])
            entry.occurrences = occurrences
            return entry
        }
    }

    private struct Group: Hashable, Comparable {
        let clause: ClauseID
        let after: HoldfastJudge.Outcome?

        static func < (left: Group, right: Group) -> Bool {
            left.clause == right.clause ? left.after == .violation : left.clause < right.clause
        }
    }
}

extension Verdict {
    fileprivate var isBroken: Bool { outcome.isBroken }
}

extension HoldfastJudge.Outcome {
    fileprivate var isBroken: Bool { self == .violation || self == .warning }
}
