import Holdfast
import HoldfastBasics

extension RunReport {
    /// Skipped scenarios by reason, such as `6 scenarios need --start`.
    var skipped: [String] {
        Dictionary(grouping: scenarios.compactMap(\.skipped)) { $0 }.sorted { $0.key < $1.key }
            .map { Gap.words($1.count, "scenario", $0) }
    }

    /// Driver failures that ended scenarios; the most frequent ones come first.
    var driverFailures: [(failure: String, scenarios: [ScenarioResult])] {
        Dictionary(grouping: scenarios.filter { $0.failure != nil }) { $0.failure ?? "" }
            .sorted { ($1.value.count, $0.key) < ($0.value.count, $1.key) }.map { ($0, $1) }
    }
}

/// Unexercised clauses with a common reason.
package struct Gap: Sendable, Equatable {
    /// The reason, such as `it needs a scripted agent (tier 2 or 3)`.
    package let reason: String
    package let clauses: [ClauseID]

    package init(reason: String, clauses: [ClauseID]) { (self.reason, self.clauses) = (reason, clauses) }

    /// One line, such as `7 clauses need a scripted agent (tier 2 or 3): ID-2, TURN-4`.
    package var line: String { line(naming: true) }

    /// One line; many clauses are counted by area, unless all are to be named.
    package func line(naming namesAll: Bool) -> String {
        "\(Self.words(clauses.count, "clause", reason)): \(clauses.named(namesAll))"
    }

    /// The number and the reason, such as `6 scenarios need --start`.
    package static func words(_ count: Int, _ noun: String, _ reason: String) -> String {
        let start = "it needs "
        if reason.hasPrefix(start) {
            return "\(counted(count, noun)) \(count == 1 ? "needs" : "need") \(reason.dropFirst(start.count))"
        }
        let hasConjunction = ["because", "although"].contains(where: reason.hasPrefix) || reason.contains("skipped (")
        return "\(counted(count, noun)), \(hasConjunction ? "" : "because ")\(reason)"
    }

    /// The way to close the gap, derived from its reason; nil if that is impossible.
    package var fix: String? {
        if ["skipped (--tier)", "skipped (--skip-crashes)", "--exclude"].contains(where: reason.contains) {
            return nil
        }
        let start = "give --start 'COMMAND'"
        let agent =
            "give the server a test mode that follows scripts (chapter 3.3 of the specification) and --scripted-agent"
        switch (reason.contains("--start"), reason.contains("scripted agent")) {
        case (true, true):
            return reason.contains("--start, and")
                ? "\(start) and \(agent), or skip these clauses with --skip-crashes"
                : "\(start) or \(agent)"
        case (true, false): return "\(start), or skip these clauses with --skip-crashes"
        case (false, true): return "\(agent), or skip these clauses with --tier 1"
        case (false, false): break
        }
        if reason.contains("push service") || reason.contains("device tokens") {
            return "configure the server to push to {push} or --push-sink, and give its device tokens with --device"
        }
        if reason.contains("the server takes at most") {
            return "let the server take larger messages (limits.maxFrameBytes) while it is tested"
        }
        if reason.contains("kept for replay") {
            return "let the server keep more frames for replay (limits.replayMessages) while it is tested"
        }
        if reason.contains("principals") { return "add one --token for each missing principal" }
        if reason.contains("does not declare") {
            return "declare the other profile too if the server supports it: these clauses need both"
        }
        return nil
    }

    /// Groups clauses by the reason why the intended scenarios did not exercise them.
    ///
    /// * `fromReads`: The clauses that are judged from reads.
    package static func gaps(
        in clauses: [ClauseID], scenarios: [ScenarioResult], intended: [String: [ClauseID]],
        fromReads: Set<ClauseID> = []
    ) -> [Gap] {
        var byReason: [String: [ClauseID]] = [:]
        for clause in clauses {
            let candidates = scenarios.filter { intended[$0.name]?.contains(clause) ?? false }
            byReason[reason(clause, candidates, isFromReads: fromReads.contains(clause)), default: []].append(clause)
        }
        return byReason.map { Gap(reason: $0.key, clauses: $0.value) }.sorted { $0.reason < $1.reason }
    }

    private static func reason(_ clause: ClauseID, _ candidates: [ScenarioResult], isFromReads: Bool) -> String {
        if candidates.isEmpty { return "no scenario in this run exercises it" }
        if candidates.contains(where: { $0.cut == .interruption }) { return "the run had ended" }
        let performed = candidates.filter { $0.skipped == nil }
        let remarks = performed.lazy.flatMap(\.verdicts).filter { $0.clause == clause }.flatMap(\.remarks)
        if let excuse = remarks.first(where: { $0.hasPrefix(Dialect.unkeepableRemark) }) {
            return "because of the dialect \(excuse.dropFirst(Dialect.unkeepableRemark.count))"
        }
        // In invalid reads, neither a scenario that waits for messages nor the judge finds any.
        let withInvalidReads = performed.first { scenario in
            broken(in: scenario).contains(reads)
                && (scenario.stoppedAt.map { $0.contains(": no session with ") } ?? isFromReads)
        }
        if let withInvalidReads { return "because the reads were not valid (\(reads)) in \(withInvalidReads.name)" }
        if let early = performed.first(where: { $0.fallsShort(of: clause) }), let reason = early.stoppedAt {
            let others = performed.count > 1 ? " (\(performed.count - 1) more of its scenarios ran)" : ""
            return "because \(early.name) ended early\(Self.reason(reason))\(others)"
        }
        for scenario in performed {
            // The scenario skipped a step that the subject's wire format cannot express.
            if let reason = scenario.history.events.lazy.compactMap(\.leftOut).first {
                return "because \(scenario.name) ran without a step: \(reason)"
            }
        }
        if let masked = performed.lazy.compactMap({ mask(of: clause, in: $0) }).first { return masked }
        if let first = performed.first { return "although \(first.name) ran, which should exercise it" }
        // Skip scenarios whose needs strictly contain another's.
        let nearest = candidates.filter { scenario in
            let lacks = Set(scenario.lacks)
            return !candidates.contains { !$0.lacks.isEmpty && Set($0.lacks).isStrictSubset(of: lacks) }
        }
        return reason(from: nearest.compactMap(\.skipped))
    }

    /// The clauses about invalid bodies and frames, which make judging impossible.
    private static let (reads, frames) = (ClauseID(.REST, 1), ClauseID(.ENV, 2))

    /// The clauses that a scenario shows to be violated.
    private static func broken(in scenario: ScenarioResult) -> Set<ClauseID> {
        Set(
            scenario.verdicts.filter { verdict in
                verdict.outcome == .violation && verdict.findings.contains { $0.cited != nil }
            }.map(\.clause))
    }

    /// The reason why a completed scenario left a clause open; nil if no other violation explains it.
    private static func mask(of clause: ClauseID, in scenario: ScenarioResult) -> String? {
        let broken = broken(in: scenario)
        if broken.contains(frames), ![.REST, .PERSIST].contains(clause.area) {
            return "because the frames were not valid (\(frames)) in \(scenario.name)"
        }
        guard let first = [reads, frames].first(where: broken.contains) ?? broken.min() else { return nil }
        return "although \(scenario.name) ran, which should exercise it; \(first) is violated there"
    }

    static func isAboutProfiles(_ reason: String) -> Bool { reason.hasPrefix("the subject does not declare") }

    /// The place where a scenario ended early, or the reason.
    static func reason(_ stop: String) -> String { stop.hasPrefix("/") ? ", at \(stop)" : ", because \(stop)" }

    /// The reasons as alternatives, since any of the scenarios would do; undeclared profiles count only if alone.
    private static func reason(from reasons: [String]) -> String {
        let unique = Set(reasons).sorted()
        let others = unique.filter { !isAboutProfiles($0) }
        let shown = others.isEmpty ? unique : others
        guard shown.count > 1 else { return shown.first ?? "" }
        let start = "it needs "
        guard shown.allSatisfy({ $0.hasPrefix(start) }) else { return shown.joined(separator: "; or ") }
        return start + "either " + shown.map { String($0.dropFirst(start.count)) }.joined(separator: ", or ")
    }
}

extension Clause {
    /// Whether session reads or lists are part of the evidence, by its own words.
    var isJudgedFromReads: Bool {
        let words = "\(sentence) \(judgedFrom)".split { !$0.isLetter }
        return [.REST, .PERSIST].contains(id.area) || words.contains("read") || words.contains("reads")
    }
}
