import Holdfast
import HoldfastBasics
import HoldfastJudge
import HoldfastTranscript

/// A whole run: every clause of the subject's side, and the transcripts that prove the verdicts.
package struct RunReport: Sendable {
    /// The version of the specification judged under.
    package let specification: String
    /// The subject's declaration.
    package let subject: History.Subject
    /// Where the subject was reached, without secrets.
    package let address: String
    /// When the run began, in ISO 8601.
    package let startedAt: String
    /// Wall time.
    package let duration: Duration
    /// Whether the run was ended before all scenarios were performed.
    package let wasInterrupted: Bool
    /// Each clause in question that has a check, in order.
    package let clauses: [ClauseResult]
    /// Clauses in question that have no check.
    package let pending: [ClauseID]
    /// Clauses in question that no black box can judge.
    package let excluded: [ClauseID]
    /// Every scenario in question, in order.
    package let scenarios: [ScenarioResult]
    /// What came of each tier that has scenarios in question.
    package let tiers: [TierResult]
    /// Clauses nothing decides because whoever ran the suite left out the scenarios that could; out of question.
    package let setAside: [ClauseID]
    /// Clauses nothing decides because the set-up cannot show them, by what would; out of question.
    package let outOfReach: [Gap]
    /// Why clauses are untested.
    package let gaps: [Gap]
    /// Declared profiles of which nothing at all was seen, with the number of their clauses in question.
    package let unseen: [(profile: Profile, clauses: Int)]
    /// What is worth knowing and no verdict.
    package let notes: [String]
    /// What a person may weigh and no verdict rests on; a line each.
    package var diagnostics: [String] = []
    /// Which part of a run it is; nil for a whole one.
    package let part: Shard.Part?
    /// Clauses that this part leaves undecided, because other parts may decide them.
    package let elsewhere: [ClauseID]
    /// Clauses that whoever ran the suite left out by name; each is set aside.
    package let leftOut: Set<ClauseID>
    /// Whether what the set-up cannot show counts as untested.
    package let isStrict: Bool
    /// The sentences of clauses in question that nothing decided: out of reach, set aside, left to other shards, without a check.
    let sentences: [ClauseID: String]
    /// What became of the baseline; nil without one.
    package internal(set) var baseline: BaselineResult?
    /// What is violated and not expected, by what was found in common.
    package internal(set) var causes: [Cause] = []
    /// The clauses each scenario in question is meant to exercise.
    package let intended: [String: [ClauseID]]
    /// The command that repeats the run; nil when nobody can.
    package var again: Again?
    /// The version of the program that made it.
    package var tool: String?
    /// What was measured under load; nil where there was none.
    package var load: LoadFigures?

    /// A command line that repeats a run, without secrets.
    package struct Again: Sendable, Equatable {
        /// The command with its flags, to which `--only` is added.
        package var command: String
        /// What stands behind `--`; nil when nothing does.
        package var driver: String?
        /// Whether nothing less than the whole can be repeated.
        package var isWhole: Bool

        /// A command, and what stands behind `--` in it.
        package init(_ command: String, driver: String? = nil, isWhole: Bool = false) {
            (self.command, self.driver, self.isWhole) = (command, driver, isWhole)
        }

        /// The command that repeats only what a pattern names.
        package func only(_ pattern: String) -> String {
            (isWhole ? command : "\(command) --only \(pattern)") + (driver.map { " -- \($0)" } ?? "")
        }
    }
}

extension RunReport {
    /// Adds up the scenarios of a run.
    ///
    /// `selection` holds the clauses in question, nil means all of the subject's side; `intended` names the clauses each
    /// scenario is meant to exercise. Clauses that were left out by name are set aside, whatever was seen. A part of a run decides
    /// only what it saw.
    package init(
        _ scenarios: [ScenarioResult], of subject: History.Subject, at address: String,
        under specification: Specification, selection: Set<ClauseID>? = nil, intended: [String: [ClauseID]] = [:],
        leftOut: Set<ClauseID> = [], isStrict: Bool = false, startedAt: String, duration: Duration,
        wasInterrupted: Bool = false, part: Shard.Part? = nil
    ) {
        let scenarios = scenarios.map(Self.blamingTheSuite)
        let names = Set(scenarios.map(\.name))
        let inQuestion = specification.clauses.filter {
            $0.role == subject.role && selection?.contains($0.id) ?? true
        }
        let judged = inQuestion.filter { $0.exclusion == nil && Checks.check(of: $0.id) != nil }.map { clause in
            ClauseResult(clause, in: scenarios, intended: intended, subject: subject)
        }
        let undecided = judged.filter(\.isUndecided)
        func clauses(_ results: [ClauseResult], without isSkipped: (ScenarioResult) -> Bool) -> [ClauseID] {
            results.filter { Self.isLeftOpen($0, for: isSkipped, among: scenarios, intended: intended) }
                .map(\.clause.id)
        }
        let setAside = judged.map(\.clause.id).filter(
            leftOut.union(clauses(undecided, without: \.wasSetAside)).contains)
        let isElsewhere = { (result: ClauseResult) in part != nil && result.isUndecided }
        // A part leaves its undecided clauses to the merged report. A pass that other scenarios happened to show does not
        // count: what is out of reach follows from the setup alone, so that the doctor can list it before the run.
        let unbroken = judged.filter { $0.isUndecided || $0.outcome == .pass }
        let outOfReach =
            part == nil && subject.role == .server
            ? clauses(unbroken.filter { !setAside.contains($0.clause.id) }, without: \.isOutOfReach) : []
        let pending = inQuestion.filter { $0.exclusion == nil && Checks.check(of: $0.id) == nil }.map(\.id)
        let decided = judged.filter { !setAside.contains($0.clause.id) && !outOfReach.contains($0.clause.id) }
        let clauses = decided.filter { !isElsewhere($0) }
        let untested = clauses.filter { $0.outcome == .untested }.map(\.clause.id)
        self.init(
            specification: specification.version, subject: subject, address: address, startedAt: startedAt,
            duration: duration, wasInterrupted: wasInterrupted, clauses: clauses,
            pending: pending,
            excluded: inQuestion.filter { $0.exclusion != nil }.map(\.id), scenarios: scenarios,
            tiers: Dictionary(grouping: scenarios, by: \.tier).sorted { $0.key < $1.key }.map { tier, scenarios in
                TierResult(tier, scenarios: scenarios, clauses: inQuestion, subject: subject.profiles)
            },
            setAside: setAside,
            outOfReach: Gap.gaps(
                in: outOfReach, scenarios: scenarios.filter(\.isOutOfReach), intended: intended),
            gaps: Gap.gaps(in: untested, scenarios: scenarios, intended: intended),
            unseen: Self.unseen(clauses, of: subject),
            // Frames of the suite's own server announce nothing about a client.
            notes: subject.role == .client
                ? []
                : Announcements.notes(
                    on: scenarios.filter { $0.skipped == nil }.map(\.history), declared: subject.profiles)
                    + SlowReads.notes(on: scenarios),
            part: part, elsewhere: decided.filter(isElsewhere).map(\.clause.id), leftOut: leftOut, isStrict: isStrict,
            sentences: Dictionary(
                uniqueKeysWithValues: inQuestion.filter { clause in
                    [setAside, outOfReach, pending].contains { $0.contains(clause.id) }
                        || decided.contains { $0.clause.id == clause.id && isElsewhere($0) }
                }.map { ($0.id, $0.sentence) }),
            intended: intended.filter { names.contains($0.key) })
        findCauses()
    }

    /// Declared profiles of which nothing at all was seen.
    static func unseen(
        _ clauses: [ClauseResult], of subject: History.Subject
    ) -> [(profile: Profile, clauses: Int)] {
        subject.profiles.sorted().compactMap { profile in
            let own = clauses.filter { $0.clause.profile == profile }
            return own.isEmpty || own.contains { $0.exercised > 0 } ? nil : (profile, own.count)
        }
    }

    /// A scenario that was performed to its end and put no clause to the test is a fault of the suite, unless a server turned
    /// it away, or the dialect could not say a step.
    private static func blamingTheSuite(_ scenario: ScenarioResult) -> ScenarioResult {
        guard scenario.skipped == nil, scenario.stoppedAt == nil, scenario.problems.isEmpty,
            scenario.verdicts.allSatisfy({ $0.exercised == 0 }), !scenario.history.wasRefused,
            !scenario.history.events.contains(where: { $0.leftOut != nil })
        else { return scenario }
        var blamed = scenario
        blamed.problems = [
            """
            harness: \(scenario.name) ran to its end and exercised nothing
              expected: at least one clause exercised
              fix: none on your side; this run proves nothing for its clauses
            """
        ]
        return blamed
    }

    /// Whether a clause stays open because a scenario that exercises it was left out for a certain reason.
    ///
    /// All of its scenarios have to be left out, on request or because the setup cannot run them: one that ran and showed
    /// nothing, or was skipped for another reason, is a gap. So is an inconclusive run, unless whoever ran the suite asked for
    /// less, or only crashes could decide.
    private static func isLeftOpen(
        _ result: ClauseResult, for reason: (ScenarioResult) -> Bool, among scenarios: [ScenarioResult],
        intended: [String: [ClauseID]]
    ) -> Bool {
        var meant = scenarios.filter { intended[$0.name]?.contains(result.clause.id) ?? false }
        // A scenario of profiles that are not declared is no gap while another could do.
        let own = meant.filter { !$0.isOfOtherProfiles }
        if !own.isEmpty { meant = own }
        guard let left = meant.first(where: reason) else { return false }
        if meant.allSatisfy({ $0.wasSetAside || $0.isOutOfReach }) { return true }
        return result.isUndecided && result.clause.id.isProvedByCrashes
            || result.outcome == .inconclusive && left.wasSetAside
    }

    package func clauses(_ outcome: Outcome) -> [ClauseResult] {
        clauses.filter { $0.outcome == outcome }
    }

    func scenario(_ name: String) -> ScenarioResult? { scenarios.first { $0.name == name } }

    /// The clauses out of reach, whatever would reach them.
    var unreached: [ClauseID] { outOfReach.flatMap(\.clauses) }

    /// Every clause that somebody asked about, decided or not.
    package var inQuestion: Set<ClauseID> {
        Set(clauses.map(\.clause.id) + pending + excluded + setAside + unreached + elsewhere)
    }

    /// Whether the run was cut short or left a clause undecided.
    private var isOpen: Bool { wasInterrupted || clauses.contains(where: \.isUndecided) }

    /// The scenarios that a strict run misses: neither the request nor the declaration of the subject leaves them out.
    private var missed: Int { isStrict ? scenarios.count(where: \.isMissed) : 0 }

    /// Whether any clause was put to the test.
    var hasEvidence: Bool { clauses.contains { [.pass, .warning, .violation].contains($0.outcome) } }

    /// What the run comes to; the one place that computes it.
    ///
    /// A violation is evidence whatever else happened, so it comes first; then the suite's own failures, then gaps.
    package var exit: ExitStatus {
        if !unexpected.isEmpty { return .violation }
        if scenarios.contains(where: { !$0.problems.isEmpty }) || load?.problem != nil { return .harness }
        if !clauses(.harnessError).isEmpty { return .harness }
        if let baseline, !baseline.stale.isEmpty { return .staleBaseline }
        // What a driver that died in the middle would still have shown is not known.
        if scenarios.contains(where: { $0.failure != nil }) { return .incomplete }
        if isOpen || missed > 0 { return .incomplete }
        if !hasEvidence && part == nil { return .incomplete }
        return .conforms
    }

    /// What the run comes to, in words.
    package var meaning: String {
        var meaning = exit.meaning
        if exit == .conforms, !expected.isEmpty { meaning = "conforms except for expected violations" }
        if exit == .conforms, !outOfReach.isEmpty { meaning += ", as far as this setup can test" }
        if exit == .incomplete, !isOpen, missed == 0, !scenarios.contains(where: { $0.failure != nil }) {
            meaning = "incomplete: nothing was tested"
        }
        guard let part else { return meaning }
        return "part \(part.shard.index) of \(part.shard.count), "
            + (exit == .conforms ? meaning.replacing("conforms", with: "conforms so far") : meaning)
    }

    /// The first line of every report.
    package var headline: String {
        let isGrouped = !heads.isEmpty
        // What several clauses follow from is said before the counts.
        let words =
            isGrouped ? Self.words.filter { $0.0 == .violation } + Self.words.filter { $0.0 != .violation } : Self.words
        var parts = words.compactMap { outcome, word -> String? in
            let all = outcome == .violation ? unexpected : clauses(outcome)
            let lost = all.count(where: \.isUnkeepable)
            let parts = lost == 0 ? "" : " (\(all.count - lost) to repair, \(lost) that this wire format cannot keep)"
            if outcome == .violation, isGrouped {
                return "\(counted(causes.count, "cause")), \(counted(all.count, "clause")) \(word)\(parts)"
            }
            return all.isEmpty ? nil : "\(all.count) \(word)\(parts)"
        }
        if !expected.isEmpty { parts.append("\(expected.count) violated as expected") }
        if let stale = baseline?.stale.count, stale > 0 {
            parts.append("\(stale) stale entr\(stale == 1 ? "y" : "ies") in the baseline")
        }
        let failures = scenarios.count { $0.failure != nil }
        if failures > 0 { parts.append("\(failures) driver failure\(failures == 1 ? "" : "s")") }
        let troubled = scenarios.count { !$0.problems.isEmpty }
        if troubled > 0 { parts.append("the suite failed in \(troubled) scenario\(troubled == 1 ? "" : "s")") }
        if !pending.isEmpty { parts.append("\(pending.count) pending") }
        if !setAside.isEmpty { parts.append("\(setAside.count) set aside") }
        if !unreached.isEmpty { parts.append("\(unreached.count) out of reach") }
        if !elsewhere.isEmpty { parts.append("\(elsewhere.count) left to the other shards") }
        if missed > 0 { parts.append("\(counted(missed, "scenario")) skipped") }
        let verdict = wasInterrupted ? "\(meaning) (interrupted)" : meaning
        return parts.isEmpty ? verdict : "\(verdict): \(parts.joined(separator: ", "))"
    }

    /// Each outcome as counts are told.
    static let words: [(Outcome, String)] = [
        (.pass, "pass"), (.violation, "violated"), (.warning, "warned"), (.untested, "untested"),
        (.inconclusive, "inconclusive"), (.harnessError, "harness errors"), (.notApplicable, "not applicable"),
    ]
}

extension RunReport {
    /// What selects a clause again in the scenario that showed first what was found: `TURN-2@server/TURN/two-devices`.
    ///
    /// A connection that was lost may have been lost for what another scenario sent at that moment. Where several scenarios of
    /// a clause lost one, all of them are selected.
    package func selector(of result: ClauseResult) -> String {
        let clause = result.clause.id.description
        guard let first = result.findings.first else { return clause }
        let events = scenario(first.scenario)?.history.events ?? []
        let isLoss = first.finding.events.contains { event in
            if events.indices.contains(event), case .eof = events[event].kind { true } else { false }
        }
        let isShared = isLoss && Set(result.findings.map(\.scenario)).count > 1
        if isShared, intended[first.scenario]?.contains(result.clause.id) ?? false { return clause }
        return "\(clause)@\(first.scenario.prefix { $0 != "#" })"
    }

    /// The command that repeats what was found of a clause, in the scenario that showed it first; nil when nobody can.
    ///
    /// Where that scenario was performed several times and showed it only sometimes, it says how often.
    package func again(of result: ClauseResult) -> String? {
        guard let again else { return nil }
        let command = again.only(selector(of: result))
        guard let first = result.findings.first.flatMap({ scenario($0.scenario) }) else { return command }
        let tries = scenarios.filter { $0.baseName == first.baseName && $0.skipped == nil }
        let shown = Set(result.findings.map(\.scenario)).intersection(tries.map(\.name))
        return shown.count < tries.count
            ? "\(command)  # intermittent: \(shown.count) of \(tries.count) times" : command
    }
}

extension ClauseID {
    /// Whether nothing short of crashes proves that it is kept (chapter 3.5 of the specification).
    package var isProvedByCrashes: Bool { self == ClauseID(.PERSIST, 1) }
}

extension History {
    /// Whether the server took a connection or an exchange no further than to its end.
    fileprivate var wasRefused: Bool {
        header.subject.role == .server
            && events.contains { event in
                switch event.kind {
                case .refused, .eof, .failed, .close(.fromServer, _, _): true
                default: false
                }
            }
    }
}
