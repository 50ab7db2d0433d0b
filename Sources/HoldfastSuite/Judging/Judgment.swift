import Holdfast
import HoldfastBasics
import HoldfastJudge
import HoldfastReport
import HoldfastTranscript

/// The result of all captures of one command, with at most a few findings of each clause.
package struct Judgment: Sendable {
    struct Example<Found: Sendable>: Sendable {
        let file: Int
        let number: Int
        let name: String
        let found: Found
        /// The cited events, in words: their places and texts.
        let lines: [String]
        let chart: SequenceChart

        init(_ found: Found, at events: [Int], on clause: ClauseID?, in unit: JudgeSource.Unit, named name: String) {
            (file, number, self.name, self.found) = (unit.file, unit.number, name, found)
            let cited = JudgedEvents(unit: unit)
            (lines, chart) = (cited.lines(of: events), cited.chart(of: events, on: clause))
        }
    }

    struct SymptomTally: Sendable {
        var count = 0
        var examples: [Example<Symptom>] = []
    }

    struct ClauseTally: Sendable {
        var outcomes: [Outcome: Int] = [:]
        var exercised = 0
        var findings = 0
        /// The number of histories that break it although no server with their wire format can keep it.
        var excused = 0
        var examples: [Example<(outcome: Outcome, finding: Finding)>] = []
        /// The reasons why captures could not exercise it.
        var obstacles: Set<String> = []
        /// Whether any history could have exercised it.
        var wasReachable = false

        var isUnkeepable: Bool { excused > 0 && excused == outcomes[.violation] }

        /// The outcome over all histories: one violation is a violation, and a pass outweighs doubts.
        var outcome: Outcome {
            [.violation, .warning, .pass, .inconclusive, .untested].first { outcomes[$0] ?? 0 > 0 } ?? .notApplicable
        }
    }

    /// A verdict in a report that its transcript does not confirm.
    struct Difference: Sendable {
        let file: Int
        let number: Int
        let scenario: String
        let clause: ClauseID
        let stored: String
        let computed: String
    }

    struct FileTally: Sendable {
        let name: String
        var summary = JudgeSource.Summary()
        var histories = 0
        var cutShort = 0
        var events = 0
        var profiles: Set<Profile> = []
        var dialects: Set<String> = []
        /// The story of its first history, if it is short.
        var timeline: Timeline?
        /// The versions of the specification under which its histories were made.
        var specifications: Set<String> = []

        /// The versions that differ from the given one; none for captures, whose version is unknown.
        func foreignSpecifications(to version: String) -> [String] {
            [.transcript, .report].contains(summary.form) ? specifications.subtracting([version]).sorted() : []
        }
    }

    /// Results that can fail a judgment, from the most to the least severe.
    package enum Failure: String, Sendable, CaseIterable {
        case violation, observation
    }

    static let maxExamples = 3
    static let maxDifferences = 1000
    /// The maximum number of parts with violations that are kept for `--out`.
    static let maxParts = 100

    var clauses: [ClauseID: ClauseTally] = [:]
    var files: [FileTally]
    var differences: [Difference] = []
    var differenceCount = 0
    var recomputed = 0
    var roles: Set<Role> = []
    /// The ways in which servers ended by themselves, each with the files that show it.
    var deaths: [String: [String]] = [:]
    var symptoms: [Symptom.Kind: SymptomTally] = [:]
    /// The least severe result that fails the judgment.
    package var failsOn = Failure.violation
    /// The parts that a page draws; nil if there is no page.
    var drawn: DrawnParts?
    var parts: [(name: String, text: String)] = []
    var duration: Duration = .zero

    package var problems: [InputProblem] {
        files.flatMap { [$0.summary.problem].compactMap { $0 } + $0.summary.moreProblems }
    }

    package var isEmpty: Bool { histories == 0 }

    var bytes: Int { files.reduce(0) { $0 + $1.summary.bytes } }
    var events: Int { files.reduce(0) { $0 + $1.events } }
    var histories: Int { files.reduce(0) { $0 + $1.histories } }

    func clauses(_ outcome: Outcome) -> [ClauseID] { clauses.filter { $0.value.outcome == outcome }.keys.sorted() }

    var observed: [(kind: Symptom.Kind, tally: SymptomTally)] {
        Symptom.Kind.allCases.compactMap { kind in symptoms[kind].map { (kind, $0) } }
    }

    /// Whether any file is a capture; only captures have observations.
    var hasCaptures: Bool { files.contains { $0.summary.lacks != nil } }

    /// The clauses in question: those of declared profiles.
    var inQuestion: [ClauseID: ClauseTally] { clauses.filter { $0.value.outcome != .notApplicable } }

    var exercised: [ClauseID] { clauses.filter { $0.value.exercised > 0 }.keys.sorted() }

    var counts: String {
        let words: [(Outcome, String)] = [
            (.violation, "violated"), (.warning, "warned"), (.pass, "passed"), (.inconclusive, "inconclusive"),
        ]
        let unkeepable = clauses(.violation).count { clauses[$0]?.isUnkeepable == true }
        var parts = words.map { (clauses($0).count, $1) }.filter { $0.0 > 0 }.map { "\($0) \($1)" }
        if unkeepable > 0 {
            let repairable = clauses(.violation).count - unkeepable
            parts[0] += " (\(repairable) to repair, \(unkeepable) that this wire format cannot keep)"
        }
        if let first = parts.first {
            let count = Int(first.prefix { $0 != " " }) ?? 0
            parts[0] = first.replacing("\(count) ", with: count == 1 ? "1 clause " : "\(count) clauses ")
        }
        let rest = inQuestion.count - exercised.count
        if rest > 0 {
            parts.append(
                "\(rest)\(parts.isEmpty ? rest == 1 ? " clause" : " clauses" : "") not covered\(hasCaptures ? " by this capture" : "")"
            )
        }
        if differenceCount > 0 {
            parts.append("\(readable(differenceCount)) of \(readable(recomputed)) stored verdicts differ")
        }
        return parts.isEmpty ? "no clause applies" : parts.joined(separator: ", ")
    }

    var observations: Int { observed.reduce(0) { $0 + $1.tally.count } }

    private var hasViolation: Bool { !clauses(.violation).isEmpty || differenceCount > 0 }

    /// The verdict in one line, which comes first in every format.
    package var headline: String {
        let observations = observations > 0 ? ", \(counted(self.observations, "observation"))" : ""
        if hasViolation { return "violation: \(counts)\(observations)" }
        if exercised.isEmpty { return "nothing could be judged\(observations); \(counts)" }
        if lacksMessages { return "incomplete, no WebSocket message in it\(observations); \(counts)" }
        if isIncomplete { return "incomplete, as the stored run was: \(counts)\(observations)" }
        return "no violations\(observations); \(counts)"
    }

    /// Whether nothing was decided, messages are missing, or a judged report is that of an incomplete run.
    private var isIncomplete: Bool {
        exercised.isEmpty || lacksMessages || files.contains { $0.summary.runIsIncomplete }
    }

    private var lacksMessages: Bool { files.contains { $0.summary.lacksMessages } }

    package var isClean: Bool { exit == .conforms && observations == 0 }

    package var exit: ExitStatus {
        if hasViolation || failsOn == .observation && observations > 0 { return .violation }
        // A capture need not decide every clause; a report must decide all that its subject declared.
        return isIncomplete ? .incomplete : .conforms
    }

    var meaning: String { exit == .violation && !hasViolation ? "observation" : exit.meaning }

    /// The story of the only file, if it has a single history.
    var timeline: Timeline? { files.count == 1 && files[0].histories == 1 ? files[0].timeline : nil }

    mutating func add(
        _ unit: JudgeSource.Unit, name: String, _ verdicts: [Verdict], _ symptoms: [Symptom],
        _ timeline: Timeline? = nil, under specification: Specification, keepsParts: Bool
    ) {
        let header = unit.history.header
        files[unit.file].histories += 1
        if unit.number == 1 { files[unit.file].timeline = timeline }
        files[unit.file].cutShort += unit.wasCutShort ? 1 : 0
        files[unit.file].events += unit.history.events.count - (header.capture?.carried ?? 0)
        files[unit.file].profiles.formUnion(header.subject.profiles)
        files[unit.file].dialects.insert(header.dialect.name)
        files[unit.file].specifications.insert(header.specification)
        roles.insert(header.subject.role)
        if header.subject.role == .server {
            for death in unit.history.deaths { deaths[death, default: []].append(name) }
        }
        for verdict in verdicts where unit.inQuestion?.contains(verdict.clause) ?? true {
            var tally = clauses[verdict.clause] ?? ClauseTally()
            tally.outcomes[verdict.outcome, default: 0] += 1
            tally.exercised += verdict.exercised
            tally.findings += verdict.findings.count
            tally.excused += verdict.isUnkeepable ? 1 : 0
            if let clause = specification[verdict.clause], let need = header.capture?.lacking(for: clause) {
                tally.obstacles.insert(need.reason)
            } else if verdict.outcome != .notApplicable {
                tally.wasReachable = true
            }
            if !verdict.findings.isEmpty { tally.keep(verdict, of: unit, name: name) }
            clauses[verdict.clause] = tally
        }
        // If a part was cut, the next one may contain what is missing here.
        let relevant = unit.wasCutShort ? symptoms.filter { ![.unanswered, .silence].contains($0.kind) } : symptoms
        for (kind, all) in Dictionary(grouping: relevant, by: \.kind) {
            self.symptoms[kind, default: SymptomTally()].keep(all, of: unit, name: name)
        }
        drawn?.add(unit, name: name, verdicts, isOfInterest: !relevant.isEmpty)
        if keepsParts, parts.count < Self.maxParts,
            verdicts.contains(where: {
                $0.outcome == .violation && unit.inQuestion?.contains($0.clause) ?? true
            })
        {
            parts.append((unit.partName, TranscriptWriter.text(unit.history)))
        }
        if let stored = unit.stored { compare(stored.verdicts, verdicts, stored.scenario, unit) }
    }

    private mutating func compare(
        _ stored: [Verdict], _ computed: [Verdict], _ scenario: String, _ unit: JudgeSource.Unit
    ) {
        let before = stored.keyed(by: \.clause)
        let now = computed.keyed(by: \.clause)
        for clause in Set(before.keys).union(now.keys).sorted() {
            let (old, new) = (before[clause], now[clause])
            // Unexercised clauses and clauses of undeclared profiles are not stored.
            if old == nil, new.map({ $0.outcome == .notApplicable || $0.outcome == .untested }) ?? true { continue }
            recomputed += 1
            guard old != new else { continue }
            differenceCount += 1
            guard differences.count < Self.maxDifferences else { continue }
            let (stored, words) = (Self.words(old), Self.words(new))
            let computed = stored == words ? words + " with different findings" : words
            differences.append(
                Difference(
                    file: unit.file, number: unit.number, scenario: scenario, clause: clause, stored: stored,
                    computed: computed))
        }
    }

    private static func words(_ verdict: Verdict?) -> String {
        guard let verdict else { return "no verdict" }
        return verdict.exercised == 0 ? verdict.outcome.word : "\(verdict.outcome.word) (\(verdict.exercised)×)"
    }
}

extension Judgment.ClauseTally {
    /// Keeps the first findings in the order of files and parts, regardless of the order of the workers.
    fileprivate mutating func keep(_ verdict: Verdict, of unit: JudgeSource.Unit, name: String) {
        let kept = examples.filter { $0.found.outcome == outcome }
        let isFull = kept.count >= Judgment.maxExamples
        if verdict.outcome != outcome || isFull && kept.allSatisfy({ ($0.file, $0.number) <= (unit.file, unit.number) })
        {
            examples = kept
            return
        }
        for finding in verdict.findings.prefix(Judgment.maxExamples) {
            examples.append(
                Judgment.Example(
                    (verdict.outcome, finding), at: finding.events, on: verdict.clause, in: unit, named: name))
        }
        // Findings of a less severe outcome are dropped, such as doubts once the clause is broken.
        let sorted = examples.filter { $0.found.outcome == outcome }.enumerated().sorted {
            ($0.element.file, $0.element.number, $0.offset) < ($1.element.file, $1.element.number, $1.offset)
        }
        examples = Array(sorted.map(\.element).prefix(Judgment.maxExamples))
    }
}

extension Judgment.SymptomTally {
    /// Keeps the longest silences, and of other observations the first ones in the order of files and parts.
    fileprivate mutating func keep(_ symptoms: [Symptom], of unit: JudgeSource.Unit, name: String) {
        count += symptoms.count
        for symptom in symptoms.prefix(Judgment.maxExamples) {
            let rank = (-symptom.lasted, unit.file, unit.number)
            if examples.count >= Judgment.maxExamples, examples.allSatisfy({ $0.rank <= rank }) { continue }
            examples.append(Judgment.Example(symptom, at: symptom.events, on: nil, in: unit, named: name))
        }
        let sorted = examples.enumerated().sorted { one, other in
            one.element.rank == other.element.rank
                ? one.offset < other.offset : one.element.rank < other.element.rank
        }
        examples = Array(sorted.map(\.element).prefix(Judgment.maxExamples))
    }
}

extension Judgment.Example<Symptom> {
    fileprivate var rank: (Int, Int, Int) { (-found.lasted, file, number) }
}
