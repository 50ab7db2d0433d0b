import Holdfast
import HoldfastBasics
import HoldfastJudge
import HoldfastTranscript

/// A whole run: every clause of the subject's role, and the transcripts that prove the verdicts.
package struct RunReport: Sendable {
    package let specification: String
    package let subject: History.Subject
    /// The subject's address, without secrets.
    package let address: String
    /// The start of the run, in ISO 8601.
    package let startedAt: String
    package let duration: Duration
    /// Whether the run ended before all scenarios were performed.
    package let wasInterrupted: Bool
    /// Each clause in question with a check, in order.
    package internal(set) var clauses: [ClauseResult]
    /// Clauses in question without a check.
    package let pending: [ClauseID]
    /// Clauses in question that black-box tests cannot judge.
    package let excluded: [ClauseID]
    /// Every scenario in question, in order.
    package let scenarios: [ScenarioResult]
    package let tiers: [TierResult]
    /// Undecided clauses whose scenarios the user excluded; they do not affect the verdict.
    package let setAside: [ClauseID]
    /// Undecided clauses that the setup cannot test, by missing requirement; they do not affect the verdict.
    package let outOfReach: [Gap]
    package let gaps: [Gap]
    /// Declared profiles without any evidence, with the number of their clauses in question.
    package let unseen: [(profile: Profile, clauses: Int)]
    /// Remarks about the subject that are not verdicts.
    package let notes: [String]
    /// Remarks about the run that affect no verdict, one line each.
    package var diagnostics: [String] = []
    /// The shard; nil for a whole run.
    package let part: Shard.Part?
    /// Clauses that this shard, or a life alone, leaves undecided, since other shards or the scenarios may decide them.
    let deferred: [ClauseID]
    var whyDeferred: String { part == nil ? "not met by this life" : "left to the other shards" }
    /// Clauses that the user excluded by name; all are set aside.
    package let leftOut: Set<ClauseID>
    /// Whether clauses that the setup cannot test count as untested.
    package let isStrict: Bool
    /// The sentences of the undecided clauses: out of reach, set aside, in other shards, or without a check.
    let sentences: [ClauseID: String]
    package internal(set) var baseline: BaselineResult?
    package internal(set) var causes: [Cause] = []
    /// The clauses that each scenario in question is intended to exercise.
    package let intended: [String: [ClauseID]]
    package var rerun: Rerun?
    package var tool: String?
    package var load: LoadFigures?
    /// The volume and concurrency that the run reached.
    var reach: ReachTable?
    /// The number of scenarios with a violation after which the run stopped, as requested; nil if it did not.
    package var stoppedAfter: Int?

    /// A command that repeats a run, without secrets.
    package struct Rerun: Sendable, Equatable {
        /// The command with its flags, to which `--only` can be added.
        package var command: String
        /// The arguments after `--`, if any.
        package var driver: String?
        /// Whether only the whole run can be repeated.
        package var isWhole: Bool

        package init(_ command: String, driver: String? = nil, isWhole: Bool = false) {
            (self.command, self.driver, self.isWhole) = (command, driver, isWhole)
        }

        package func only(_ pattern: String) -> String {
            (isWhole ? command : "\(command) --only \(pattern)") + (driver.map { " -- \($0)" } ?? "")
        }
    }
}

extension RunReport {
    /// Combines the scenarios of a run.
    ///
    /// `selection` contains the clauses in question, nil for all of the subject's role; `intended` names the clauses
    /// each scenario is meant to exercise. Clauses excluded by name are set aside, whatever was observed. A shard
    /// decides only what it observed.
    package init(
        _ scenarios: [ScenarioResult], of subject: History.Subject, at address: String,
        under specification: Specification, selection: Set<ClauseID>? = nil, intended: [String: [ClauseID]] = [:],
        leftOut: Set<ClauseID> = [], isStrict: Bool = false, startedAt: String, duration: Duration,
        wasInterrupted: Bool = false, part: Shard.Part? = nil, isLifeAlone: Bool = false
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
        func clauses(_ results: [ClauseResult], leftOpenBy isCause: (ScenarioResult) -> Bool) -> [ClauseID] {
            results.filter { Self.isLeftOpen($0, for: isCause, among: scenarios, intended: intended) }
                .map(\.clause.id)
        }
        let setAside = judged.map(\.clause.id).filter(
            leftOut.union(clauses(undecided, leftOpenBy: \.wasSetAside)).contains)
        let isPartial = part != nil || isLifeAlone
        let isDeferred = { (result: ClauseResult) in isPartial && result.isUndecided }
        // A shard leaves its undecided clauses to the merged report. A pass by chance in another scenario does not
        // count: the setup alone decides which clauses are out of reach, so the doctor can list them in advance.
        let unbroken = judged.filter { $0.isUndecided || $0.outcome == .pass }
        let outOfReach =
            !isPartial && subject.role == .server
            ? clauses(unbroken.filter { !setAside.contains($0.clause.id) }, leftOpenBy: \.isOutOfReach) : []
        let pending = inQuestion.filter { $0.exclusion == nil && Checks.check(of: $0.id) == nil }.map(\.id)
        let decided = judged.filter { !setAside.contains($0.clause.id) && !outOfReach.contains($0.clause.id) }
        let clauses = decided.filter { !isDeferred($0) }
        let untested = clauses.filter { $0.outcome == .untested }.map(\.clause.id)
        self.init(
            specification: specification.version, subject: subject, address: address, startedAt: startedAt,
            duration: duration, wasInterrupted: wasInterrupted, clauses: clauses, pending: pending,
            excluded: inQuestion.filter { $0.exclusion != nil }.map(\.id), scenarios: scenarios,
            tiers: Dictionary(grouping: scenarios, by: \.tier).sorted { $0.key < $1.key }.map { tier, scenarios in
                TierResult(tier, scenarios: scenarios, clauses: inQuestion, subject: subject.profiles)
            },
            setAside: setAside,
            outOfReach: Gap.gaps(
                in: outOfReach, scenarios: scenarios.filter(\.isOutOfReach), intended: intended),
            gaps: Gap.gaps(
                in: untested, scenarios: scenarios, intended: intended,
                fromReads: Set(inQuestion.filter(\.isJudgedFromReads).map(\.id))),
            unseen: Self.unseen(clauses, of: subject),
            // Frames of the suite's own server say nothing about a client.
            notes: subject.role == .client
                ? []
                : Announcements.notes(
                    on: scenarios.filter { $0.skipped == nil }.map(\.history), declared: subject.profiles)
                    + SlowReads.notes(on: scenarios),
            part: part, deferred: decided.filter(isDeferred).map(\.clause.id), leftOut: leftOut, isStrict: isStrict,
            sentences: Dictionary(
                uniqueKeysWithValues: inQuestion.filter { clause in
                    [setAside, outOfReach, pending].contains { $0.contains(clause.id) }
                        || decided.contains { $0.clause.id == clause.id && isDeferred($0) }
                }.map { ($0.id, $0.sentence) }),
            intended: intended.filter { names.contains($0.key) })
        reach = ReachTable(Reach(scenarios.map { $0.reach ?? Reach($0.history) }), of: subject)
        findCauses()
    }

    static func unseen(
        _ clauses: [ClauseResult], of subject: History.Subject
    ) -> [(profile: Profile, clauses: Int)] {
        subject.profiles.sorted().compactMap { profile in
            let own = clauses.filter { $0.clause.profile == profile }
            return own.isEmpty || own.contains { $0.exercised > 0 } ? nil : (profile, own.count)
        }
    }

    /// A completed scenario that exercised no clause is a suite failure, unless a server refused it, or the dialect
    /// could not express a step.
    private static func blamingTheSuite(_ scenario: ScenarioResult) -> ScenarioResult {
        guard scenario.skipped == nil, scenario.stoppedAt == nil, scenario.problems.isEmpty,
            scenario.verdicts.allSatisfy({ $0.exercised == 0 }), !scenario.history.wasRefused,
            !scenario.history.events.contains(where: { $0.leftOut != nil })
        else { return scenario }
        var blamed = scenario
        blamed.problems = [
            """
            \(scenario.name) ran to its end and exercised nothing
              expected: at least one clause exercised
              fix: none on your side; this run proves nothing for its clauses
            """
        ]
        return blamed
    }

    /// Whether a clause stays open because a scenario that exercises it was excluded for a certain reason.
    ///
    /// All its scenarios must be excluded, on request or because the setup cannot run them: one that ran without
    /// evidence, or was skipped for another reason, is a gap. An inconclusive run is a gap, too, unless the user
    /// excluded scenarios, or only crashes could decide.
    private static func isLeftOpen(
        _ result: ClauseResult, for reason: (ScenarioResult) -> Bool, among scenarios: [ScenarioResult],
        intended: [String: [ClauseID]]
    ) -> Bool {
        var candidates = scenarios.filter { intended[$0.name]?.contains(result.clause.id) ?? false }
        // Ignore scenarios of undeclared profiles if another one could decide.
        let declared = candidates.filter { !$0.isOfOtherProfiles }
        if !declared.isEmpty { candidates = declared }
        guard let excluded = candidates.first(where: reason) else { return false }
        if candidates.allSatisfy({ $0.wasSetAside || $0.isOutOfReach }) { return true }
        // A partial proof proves nothing.
        return result.clause.id.isProvedByCrashes || result.outcome == .inconclusive && excluded.wasSetAside
    }

    package func clauses(_ outcome: Outcome) -> [ClauseResult] { clauses.filter { $0.outcome == outcome } }

    func scenario(_ name: String) -> ScenarioResult? { scenarios.first { $0.name == name } }

    var unreached: [ClauseID] { outOfReach.flatMap(\.clauses) }

    /// All requested clauses, decided or not.
    package var inQuestion: Set<ClauseID> {
        Set(clauses.map(\.clause.id) + pending + excluded + setAside + unreached + deferred)
    }

    private var isOpen: Bool { wasInterrupted || clauses.contains(where: \.isUndecided) }

    /// The part of the run that the subject ended early, in words; nil if there is none.
    var cutShort: String? {
        let cuts = Set(scenarios.compactMap(\.cut))
        let failures = scenarios.count { $0.failure != nil }
        let parts = [
            cuts.contains(.start) ? "a server did not start" : nil,
            cuts.contains(.life) ? "the subject cut the life short" : nil,
            failures > 0 ? "the driver failed in \(counted(failures, "scenario"))" : nil,
        ].compactMap(\.self)
        return parts.isEmpty ? nil : parts.joined(separator: ", ")
    }

    /// The scenarios that ended early although no violation in question explains it; nil if there is none.
    ///
    /// Those in a dialect or on a late machine do not count: an inexpressible step or a delay may have ended them.
    var endedEarly: String? {
        let early = scenarios.count { scenario in
            let header = scenario.history.header
            return subject.role == .server && scenario.skipped == nil && scenario.stoppedAt != nil
                && intended[scenario.name] != nil && scenario.cut == nil && header.dialect.isCanonical
                && header.lateness.isEmpty
                && !significant(scenario.verdicts).contains { [.violation, .warning].contains($0.outcome) }
        }
        return early == 0 ? nil : "\(counted(early, "scenario")) ended early"
    }

    /// The scenarios missing from a strict run: neither the user's selection nor the declaration excludes them.
    private var missed: Int { isStrict ? scenarios.count(where: \.isMissed) : 0 }

    var hasEvidence: Bool { clauses.contains { [.pass, .warning, .violation].contains($0.outcome) } }

    /// The exit status of the run: a violation is evidence whatever else happened; then suite failures, then gaps.
    package var exit: ExitStatus {
        if !unexpected.isEmpty { return .violation }
        if scenarios.contains(where: { !$0.problems.isEmpty }) || load?.problem != nil { return .harness }
        if !clauses(.harnessError).isEmpty { return .harness }
        if let baseline, !baseline.stale.isEmpty { return .staleBaseline }
        if cutShort != nil || isOpen || missed > 0 || endedEarly != nil { return .incomplete }
        if !hasEvidence && part == nil { return .incomplete }
        return .conforms
    }

    package var meaning: String {
        var meaning = exit.meaning
        if exit == .conforms, !expected.isEmpty { meaning = "conforms except for expected violations" }
        if exit == .conforms, !outOfReach.isEmpty { meaning += ", as far as this setup can test" }
        if exit == .incomplete {
            let why = cutShort ?? (isOpen || missed > 0 ? "" : endedEarly)
            meaning += why.map { $0.isEmpty ? "" : ", \($0)" } ?? ": nothing was tested"
        }
        guard let part else { return meaning }
        return "shard \(part.shard.index) of \(part.shard.count), "
            + (exit == .conforms ? meaning.replacing("conforms", with: "conforms so far") : meaning)
    }

    /// The first line of every report.
    package var headline: String {
        let isGrouped = !heads.isEmpty
        // The common cause of several clauses comes before the counts.
        let words =
            isGrouped ? Self.words.filter { $0.0 == .violation } + Self.words.filter { $0.0 != .violation } : Self.words
        var parts = words.compactMap { outcome, word -> String? in
            let all = outcome == .violation ? unexpected : clauses(outcome)
            let lost = all.count(where: \.isUnkeepable)
            let note = lost == 0 ? "" : " (\(all.count - lost) to repair, \(lost) that this wire format cannot keep)"
            if outcome == .violation, isGrouped {
                return "\(counted(causes.count, "cause")), \(counted(all.count, "clause")) \(word)\(note)"
            }
            return all.isEmpty ? nil : "\(all.count) \(word)\(note)"
        }
        if !expected.isEmpty { parts.append("\(expected.count) violated as expected") }
        if let stale = baseline?.stale.count, stale > 0 {
            parts.append("\(stale) stale entr\(stale == 1 ? "y" : "ies") in the baseline")
        }
        if exit != .incomplete, let cutShort { parts.append(cutShort) }
        let troubled = scenarios.count { !$0.problems.isEmpty }
        if troubled > 0 { parts.append("the suite failed in \(troubled) scenario\(troubled == 1 ? "" : "s")") }
        if !pending.isEmpty { parts.append("\(pending.count) pending") }
        if !setAside.isEmpty { parts.append("\(setAside.count) set aside") }
        if !unreached.isEmpty { parts.append("\(unreached.count) out of reach") }
        if !deferred.isEmpty { parts.append("\(deferred.count) \(whyDeferred)") }
        if missed > 0 { parts.append("\(counted(missed, "scenario")) skipped") }
        let end = stoppedAfter.map { "stopped after \(counted($0, "scenario")) with a violation" }
        let verdict = (end ?? (wasInterrupted ? "interrupted" : nil)).map { "\(meaning) (\($0))" } ?? meaning
        return parts.isEmpty ? verdict : "\(verdict): \(parts.joined(separator: ", "))"
    }

    static let words: [(Outcome, String)] = [
        (.pass, "pass"), (.violation, "violated"), (.warning, "warned"), (.untested, "untested"),
        (.inconclusive, "inconclusive"), (.harnessError, "suite failures"), (.notApplicable, "not applicable"),
    ]
}

extension RunReport {
    /// The number of findings that makes a scenario likely to break a clause again.
    private static let plenty = 8

    /// The numbers of times that a scenario, with its repetitions, broke and exercised a clause.
    private func counts(_ name: String, _ result: ClauseResult) -> (broken: Int, all: Int) {
        scenarios.filter { $0.baseName == name }.flatMap(\.verdicts).filter { $0.clause == result.clause.id }
            .reduce((0, 0)) { counts, verdict in
                let broken = verdict.outcome == result.outcome ? verdict.findings.count : 0
                return (counts.0 + broken, counts.1 + verdict.exercised)
            }
    }

    /// The findings of a clause: unexpected ones before expected ones, and those of the scenario to repeat first.
    ///
    /// Best to repeat is a scenario that always broke the clause, then one meant for it, then the most frequent one.
    func arranged(_ result: ClauseResult) -> [ClauseResult.Occurrence] {
        let isExpected = { expectation(of: result, in: $0) != nil }
        func rank(_ name: String) -> (Int, Int, Int) {
            let (broken, all) = counts(name, result)
            let isIntended = intended[name]?.contains(result.clause.id) ?? false
            return (broken < all ? 0 : 1, isIntended ? 1 : 0, min(broken, Self.plenty))
        }
        let expected = result.findings.filter(isExpected)
        let unexpected = result.findings.filter { !isExpected($0) }
        let best = (unexpected.isEmpty ? expected : unexpected).map(\.baseName).unique.max { rank($0) < rank($1) }
        return [unexpected, expected].flatMap { group in
            group.filter { $0.baseName == best } + group.filter { $0.baseName != best }
        }
    }

    /// The selector for a clause in the scenario to repeat: `TURN-2@server/TURN/two-devices`.
    ///
    /// A connection that was lost or not accepted may be the fault of a concurrent scenario. If several scenarios of a
    /// clause saw that, all of them are selected.
    package func selector(of result: ClauseResult) -> String {
        let clause = result.clause.id.description
        guard let finding = result.ordered.first else { return clause }
        let events = scenario(finding.scenario)?.history.events ?? []
        let isLoss = finding.finding.evidence.contains { events.indices.contains($0) && events[$0].kind.isLoss }
        let isShared = isLoss && Set(result.findings.map(\.scenario)).count > 1
        if isShared, intended[finding.scenario]?.contains(result.clause.id) ?? false { return clause }
        return "\(clause)@\(finding.baseName)"
    }

    /// The command that repeats a clause's finding, if that is possible; nil for a clause that follows from another,
    /// whose cause is repeated instead.
    package func rerun(of result: ClauseResult) -> String? {
        heads[result.clause.id] == nil ? rerun?.only(selector(of: result)) : nil
    }

    /// The rate at which the scenario to repeat broke a clause; nil if a rerun is likely to break it.
    func rate(of result: ClauseResult) -> String? {
        guard let name = result.ordered.first?.baseName else { return nil }
        let (broken, all) = counts(name, result)
        if broken < min(all, Self.plenty) { return "\(broken) of \(all) checks in \(name) found it" }
        // A few checks that all found it may be chance if other scenarios both broke and kept the clause.
        let found = Set(result.findings.map(\.baseName)).map { counts($0, result) }
        let sum = (broken: found.map(\.broken).reduce(0, +), all: found.map(\.all).reduce(0, +))
        guard sum.broken < min(sum.all, Self.plenty) else { return nil }
        return "\(sum.broken) of \(sum.all) checks in \(found.count) scenarios found it"
    }
}

extension ClauseID {
    /// Whether only crashes can prove it (chapter 3.5 of the specification).
    package var isProvedByCrashes: Bool { self == ClauseID(.PERSIST, 1) }
}

extension History {
    /// Whether the server refused or ended a connection or an exchange.
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
