import Holdfast
import Judge
import Report
import Stage

/// Which clauses a run will leave open, and why, known before it from what scenarios need and the subject offers.
struct Prognosis {
    let subject: ServerSubject
    let scope: Scope
    let specification: Specification
    let selection: Selection
    /// Clauses that will be exercised in any case.
    let exercised: Set<ClauseID>

    /// Why a scenario will not be performed; nil when it will.
    func obstacle(to scenario: Scenario) -> String? {
        scope.reason(toSetAside: scenario, agent: subject.agent) ?? subject.obstacle(to: scenario)
    }

    /// The clauses that stay open, by outcome and reason.
    var open: [Diagnosis.Open] {
        var open: [Diagnosis.Open.Outcome: [String: [ClauseID]]] = [:]
        for clause in clausesInQuestion {
            let meant = selection.scenarios.filter { $0.clauses.contains(clause.id) }
            let left = meant.filter { obstacle(to: $0) != nil }
            guard !left.isEmpty else { continue }
            let onRequest = left.contains { scope.reason(toSetAside: $0, agent: subject.agent) != nil }
            let reason = onRequest ? Gap.reason(from: left.compactMap(obstacle)) : Self.reason(left.map(lack))
            let needsProof = clause.id.isProvedByCrashes
            guard left.count == meant.count && !exercised.contains(clause.id) || needsProof else { continue }
            let outcome: Diagnosis.Open.Outcome =
                onRequest ? .setAside : !scope.isStrict ? .outOfReach : needsProof ? .inconclusive : .untested
            open[outcome, default: [:]][reason, default: []].append(clause.id)
        }
        return Diagnosis.Open.Outcome.allCases.flatMap { outcome in
            (open[outcome] ?? [:]).sorted { $0.key < $1.key }.map { reason, clauses in
                Diagnosis.Open(
                    outcome: outcome, gap: Gap(reason: reason, clauses: clauses), fix: Self.fix(for: reason))
            }
        }
    }

    /// What a scenario lacks here, all of it and not only what stands first.
    private struct Lack {
        var means: Set<String>
        /// In the words of whoever has to give it.
        var words: String
    }

    private func lack(_ scenario: Scenario) -> Lack {
        var means: Set<String> = []
        var able = subject
        if scenario.needs.start, subject.start == nil {
            means.insert("start")
            able.start = StartCommand([])
        }
        var agent: String?
        if scenario.needs.agent == .scripted, !subject.hasScriptedAgent {
            means.insert("agent")
            agent = subject.obstacle(to: scenario)
            able.agent = .scripted
        }
        if let other = able.obstacle(to: scenario) {
            return Lack(means: means.union([other]), words: subject.obstacle(to: scenario) ?? other)
        }
        let start = means.contains("start") ? "it needs --start" : nil
        let words = [start, agent.map { start == nil ? $0 : String($0.trimmingPrefix("it needs ")) }]
        return Lack(means: means, words: words.compactMap(\.self).joined(separator: ", and "))
    }

    /// Why a clause stays open: what the scenarios lack that come nearest.
    ///
    /// One that lacks the same and more explains nothing.
    private static func reason(_ lacks: [Lack]) -> String {
        let nearest = lacks.filter { lack in !lacks.contains { $0.means.isStrictSubset(of: lack.means) } }
        return Gap.reason(from: nearest.map(\.words))
    }

    private var clausesInQuestion: [Clause] {
        specification.clauses.filter { clause in
            clause.role == .server && clause.undeclared(in: subject.profiles) == nil && clause.exclusion == nil
                && selection.clauses?.contains(clause.id) ?? true && Checks.check(of: clause.id) != nil
        }
    }

    /// What removes an obstacle, from the words that name it.
    private static func fix(for reason: String) -> String? {
        if reason.contains("was not asked for") || reason.contains("were asked to be left out") { return nil }
        let start = "give --start 'COMMAND'"
        let agent =
            "give the server a test mode that obeys scripts (chapter 3.3 of the specification) and --scripted-agent"
        switch (reason.contains("--start"), reason.contains("scripted agent")) {
        case (true, true):
            return reason.contains("--start, and")
                ? "\(start), and \(agent), or leave these clauses out with --skip-crashes"
                : "\(start), which is enough, or \(agent)"
        case (true, false): return "\(start), or leave these clauses out with --skip-crashes"
        case (false, true): return "\(agent), or leave these clauses out with --tier 1"
        case (false, false): break
        }
        if reason.contains("push service") || reason.contains("device tokens") {
            return "point the server's push service at {push} or --push-sink, and give its device tokens with --device"
        }
        if reason.contains("principals") { return "give one more --token for each principal that is missing" }
        if reason.contains("does not declare") {
            return "declare the profile as well, where the server keeps it: two profiles meet in these clauses"
        }
        return nil
    }
}
