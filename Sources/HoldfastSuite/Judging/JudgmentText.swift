import Holdfast
import HoldfastBasics
import HoldfastJudge
import HoldfastReport
import HoldfastTranscript

/// The judgment for a terminal: the verdict first, then the problems, then what was exercised and what was not.
package struct JudgmentText {
    private let judgment: Judgment
    private let specification: Specification
    private let style: ConsoleStyle
    private let listsAll: Bool

    /// The text of a judgment; `listsAll` also lists the clauses that were not exercised.
    package init(
        _ judgment: Judgment, _ specification: Specification, style: ConsoleStyle, listsAll: Bool = false
    ) {
        (self.judgment, self.specification, self.style, self.listsAll) = (judgment, specification, style, listsAll)
    }

    package var text: String {
        let deaths = RunReport.words(of: judgment.deaths, each: "file")
        let role =
            judgment.hasCaptures && judgment.roles == [.server]
            ? ["only the server was judged; --role client judges the client of the same capture"] : []
        var parts = [([headline] + role + deaths.map(style.red)).joined(separator: "\n") + "\n" + files]
        if let timeline = judgment.timeline { parts.append(story(timeline)) }
        let violated = judgment.clauses(.violation)
        let unkeepable = violated.filter { judgment.clauses[$0]?.isUnkeepable == true }
        parts += violated.filter { !unkeepable.contains($0) }.compactMap(details)
        if !unkeepable.isEmpty {
            let (repairable, count) = (violated.count - unkeepable.count, counted(unkeepable.count, "clause"))
            parts.append(style.bold("\(repairable) to repair; \(count) that this wire format cannot keep:"))
            parts += unkeepable.compactMap(details)
        }
        for outcome in [Outcome.warning, .inconclusive] { parts += judgment.clauses(outcome).compactMap(details) }
        if judgment.recomputed > 0 { parts.append(differences) }
        if judgment.hasCaptures { parts.append(observations) }
        if !table.isEmpty { parts.append(table) }
        parts.append(coverage)
        parts.append(headline)
        return style.spelled(parts.joined(separator: "\n\n")) + "\n"
    }

    var headline: String {
        switch judgment.exit {
        case .violation: style.red(judgment.headline)
        case .conforms: judgment.isClean ? style.green(judgment.headline) : style.bold(judgment.headline)
        default: style.yellow(judgment.headline)
        }
    }

    private var files: String {
        let shown = judgment.files.prefix(20).map { file -> String in
            var words = [file.summary.form?.name ?? "not recognized", "\(readable(file.events)) events"]
            if file.histories > 1 {
                let isReport = file.summary.form == .report
                words.append("\(readable(file.histories)) \(isReport ? "scenarios" : "histories")")
            }
            if file.cutShort > 0 { words.append("\(readable(file.cutShort)) cut while something was open") }
            let dialects = file.dialects.subtracting(["canonical"]).sorted()
            if !dialects.isEmpty { words.append("dialect \(dialects.joined(separator: ", "))") }
            if !file.profiles.isEmpty {
                let stated = file.summary.stated == nil ? "" : " (from 'connected')"
                words.append("profiles \(file.profiles.sorted().map(\.rawValue).joined(separator: ", "))\(stated)")
            }
            let foreign = file.foreignSpecifications(to: specification.version)
            if !foreign.isEmpty {
                let names = JudgedEvents.cut(foreign.joined(separator: ", "))
                words.append("recorded under specification \(names), judged under \(specification.version)")
            }
            let line = style.wrapped(
                "\(JudgedEvents.cut(file.name)): \(words.joined(separator: ", "))", indent: 0, hanging: 2)
            let remarks = file.summary.remarks.map { style.wrapped($0, indent: 2, hanging: 2) }
            return ([line] + remarks).joined(separator: "\n")
        }
        let rest = judgment.files.count - shown.count
        let more = rest > 0 ? ["and \(readable(rest)) more files"] : []
        let pace =
            "\(Self.size(judgment.bytes)) in \(readable(judgment.duration)), "
            + Self.rate(judgment.bytes, judgment.duration)
        return (shown + more + [pace]).joined(separator: "\n")
    }

    /// The story, line by line; it replaces the charts of observations.
    private func story(_ timeline: Timeline) -> String {
        let lines = timeline.sections.flatMap { section in
            [style.wrapped(section.title, indent: 2, hanging: 2)]
                + section.lines.map { line in
                    let time = line.time.map { aligned("+\(readable($0 / 1000)) ms", 13) + "  " } ?? "    "
                    return style.wrapped("\(time)\(line.what)", indent: 2, hanging: 17, keepingSpaces: time.count)
                }
        }
        return ([style.bold("what happened")] + lines).joined(separator: "\n")
    }

    private func details(_ id: ClauseID) -> String? {
        guard let clause = specification[id], let tally = judgment.clauses[id] else { return nil }
        var lines = [
            "\(style.head(clause, tally.outcome)), \(readable(tally.findings))×",
            style.wrapped("“\(clause.sentence)”", indent: 2),
        ]
        for example in tally.examples {
            lines += style.lines(example.found.finding, indent: 4, JudgedEvents.cut)
            lines += example.lines.map { "    \(JudgedEvents.cut(example.name)) \($0)" }
        }
        if let chart = tally.examples.first.map({ drawn($0.chart) }), !chart.isEmpty { lines += [""] + chart + [""] }
        let rest = tally.findings - tally.examples.count
        if rest > 0 { lines.append("  and \(readable(rest)) more") }
        while lines.last == "" { lines.removeLast() }
        return lines.joined(separator: "\n")
    }

    private func drawn(_ chart: SequenceChart) -> [String] {
        TextChart(chart, style: style, indent: 4).excerpt().map { "    " + $0 }
    }

    /// Observations that are not verdicts on clauses, but usual causes of complaints from users.
    private var observations: String {
        guard !judgment.observed.isEmpty else {
            return style.wrapped(
                "observations: none (no unanswered question, repeated text, gap or empty read)",
                indent: 0, hanging: 2)
        }
        let head = "\(style.bold("observations")): not verdicts; the specification may allow them"
        return ([head] + judgment.observed.map(observation)).joined(separator: "\n\n")
    }

    private func observation(_ kind: Symptom.Kind, _ tally: Judgment.SymptomTally) -> String {
        let title = "\(kind.title.filter { $0 != "`" }), \(readable(tally.count))×"
        var lines = ["\(style.bold(title)) (conformance explain \(kind.topic))"]
        for (number, example) in tally.examples.enumerated() {
            lines.append(style.wrapped(JudgedEvents.cut(example.found.what), indent: 2, hanging: 2))
            lines += example.lines.map { "    \(JudgedEvents.cut(example.name)) \($0)" }
            if number == 0, judgment.timeline == nil { lines += [""] + drawn(example.chart) + [""] }
        }
        let rest = tally.count - tally.examples.count
        if rest > 0 { lines.append("  and \(readable(rest)) more") }
        while lines.last == "" { lines.removeLast() }
        return lines.joined(separator: "\n")
    }

    private var differences: String {
        guard judgment.differenceCount > 0 else {
            return "all \(readable(judgment.recomputed)) stored verdicts were recomputed and match"
        }
        var lines = judgment.differences.prefix(50).map { difference in
            "\(style.red("differs")) \(difference.scenario) \(style.bold(difference.clause.description)): "
                + "\(difference.stored) → \(difference.computed)"
        }
        let rest = judgment.differenceCount - lines.count
        if rest > 0 { lines.append("and \(readable(rest)) more stored verdicts differ") }
        return lines.joined(separator: "\n")
    }

    private var table: String {
        judgment.exercised.compactMap { id -> String? in
            guard let clause = specification[id], let tally = judgment.clauses[id] else { return nil }
            return style.row(clause, tally.outcome, exercised: tally.exercised)
        }.joined(separator: "\n")
    }

    /// The clauses that the captures could cover, those they covered, and the reason for the rest.
    private var coverage: String {
        let inQuestion = judgment.inQuestion
        let reachable = inQuestion.filter(\.value.wasReachable)
        let unseen = reachable.filter { $0.value.exercised == 0 }.keys.sorted()
        let source = judgment.hasCaptures ? "a capture" : "the transcripts"
        var lines = [
            "\(reachable.count) of \(inQuestion.count) clauses can be checked from \(source); \(Self.were(judgment.exercised.count))"
        ]
        if !unseen.isEmpty { lines.append("not seen: \(counted(unseen.count, "clause")) (\(names(unseen)))") }
        let unreached = inQuestion.filter { !$0.value.wasReachable }
        let reasons = Dictionary(grouping: unreached, by: { $0.value.obstacles.sorted().joined(separator: "; ") })
        for (reason, clauses) in reasons.sorted(by: { $0.key < $1.key }) where !reason.isEmpty {
            lines.append(
                "not from a capture: \(clauses.count), because \(reason) (\(names(clauses.map(\.key).sorted())))")
        }
        if !listsAll, !unseen.isEmpty || !unreached.isEmpty { lines.append("--verbose lists the clauses") }
        let undeclared = judgment.clauses(.notApplicable)
        if !undeclared.isEmpty {
            lines.append(
                "not applicable: \(counted(undeclared.count, "clause")) of profiles that are not declared (--profile)")
        }
        for file in judgment.files {
            for entry in file.summary.leftOut.entries {
                lines.append(
                    "skipped in \(JudgedEvents.cut(file.name)): \(readable(entry.count))× \(entry.reason), "
                        + "first \(entry.first)")
            }
        }
        return lines.map { style.wrapped($0, indent: 0, hanging: 2) }.joined(separator: "\n")
    }

    private func names(_ clauses: [ClauseID]) -> String { clauses.named(listsAll) }

    static func were(_ count: Int) -> String { count == 1 ? "1 was" : "\(count) were" }

    static func size(_ bytes: Int) -> String {
        if bytes < 1000 { return "\(bytes) bytes" }
        if bytes < 1_000_000 { return "\(bytes / 1000) KB" }
        return "\(readable(bytes / 1_000_000)) MB"
    }

    static func rate(_ bytes: Int, _ duration: Duration) -> String {
        let milliseconds = max(1, duration.milliseconds)
        return "\(size(bytes / milliseconds * 1000 + bytes % milliseconds * 1000 / milliseconds))/s"
    }
}
