import Basics
import Holdfast
import Judge
import Report
import Transcript

/// The judgement for people at a terminal: the verdict first, then what is wrong, then what was seen and what not.
package struct JudgementText {
    private let judgement: Judgement
    private let specification: Specification
    private let style: ConsoleStyle

    package init(_ judgement: Judgement, _ specification: Specification, style: ConsoleStyle) {
        self.judgement = judgement
        self.specification = specification
        self.style = style
    }

    /// The whole text, ending with a newline.
    package var text: String {
        var parts = [headline + "\n" + files]
        for outcome in [Outcome.violation, .warning, .inconclusive] {
            parts += judgement.clauses(outcome).compactMap(details)
        }
        if judgement.recomputed > 0 { parts.append(differences) }
        if !table.isEmpty { parts.append(table) }
        parts.append(coverage)
        parts.append(headline)
        return parts.joined(separator: "\n\n") + "\n"
    }

    /// The verdict in one line.
    var headline: String {
        let words: [(Outcome, String)] = [
            (.violation, "violated"), (.warning, "warned"), (.pass, "kept wherever it shows"),
            (.inconclusive, "inconclusive"),
        ]
        var parts = words.map { (judgement.clauses($0).count, $1) }.filter { $0.0 > 0 }.map { "\($0) \($1)" }
        if judgement.differenceCount > 0 {
            parts.append(
                "\(readable(judgement.differenceCount)) of \(readable(judgement.recomputed)) stored verdicts differ")
        }
        let counts = parts.isEmpty ? "nothing in it puts a clause to the test" : parts.joined(separator: ", ")
        switch judgement.exit {
        case .violation: return style.red("violation: \(counts)")
        case .conforms: return style.green("nothing violated: \(counts)")
        default:
            let what = judgement.exercised.isEmpty ? "nothing could be judged" : "incomplete, as the stored run was"
            return style.yellow("\(what): \(counts)")
        }
    }

    private var files: String {
        let shown = judgement.files.prefix(20).map { file -> String in
            var words = [file.summary.form?.name ?? "not recognised", "\(readable(file.events)) events"]
            if file.histories > 1 {
                let isReport = file.summary.form == .report
                words.append("\(readable(file.histories)) \(isReport ? "scenarios" : "histories")")
            }
            if file.cutShort > 0 { words.append("\(readable(file.cutShort)) cut where something was open") }
            let dialects = file.dialects.subtracting(["canonical"]).sorted()
            if !dialects.isEmpty { words.append("dialect \(dialects.joined(separator: ", "))") }
            if !file.profiles.isEmpty {
                let stated = file.summary.stated.isEmpty ? "" : " as 'connected' states them"
                words.append("profiles \(file.profiles.sorted().map(\.rawValue).joined(separator: ", "))\(stated)")
            }
            let foreign = file.foreignSpecifications(to: specification.version)
            if !foreign.isEmpty {
                let names = JudgedEvents.cut(foreign.joined(separator: ", "))
                words.append("recorded under specification \(names) and judged under \(specification.version)")
            }
            return "\(JudgedEvents.cut(file.name)): \(words.joined(separator: ", "))"
        }
        let rest = judgement.files.count - shown.count
        let more = rest > 0 ? ["and \(readable(rest)) more files"] : []
        let pace =
            "\(Self.size(judgement.bytes)) in \(readable(judgement.duration)), "
            + Self.rate(judgement.bytes, judgement.duration)
        return (shown + more + [pace]).joined(separator: "\n")
    }

    private func details(_ id: ClauseID) -> String? {
        guard let clause = specification[id], let tally = judgement.clauses[id] else { return nil }
        var lines = [
            "\(style.word(tally.outcome)) \(style.bold(id.description)) (\(clause.keyword.rawValue), \(clause.role.rawValue)), "
                + "\(readable(tally.findings))×",
            style.wrapped("“\(clause.sentence)”", indent: 2),
        ]
        for exhibit in tally.exhibits {
            lines.append(style.wrapped(JudgedEvents.cut(exhibit.finding.what), indent: 2))
            lines.append(style.wrapped("expected: \(JudgedEvents.cut(exhibit.finding.expected))", indent: 4))
            lines.append(style.wrapped("actual: \(JudgedEvents.cut(exhibit.finding.actual))", indent: 4))
            lines += exhibit.lines.map { "    \(JudgedEvents.cut(exhibit.name)) \($0)" }
        }
        let rest = tally.findings - tally.exhibits.count
        if rest > 0 { lines.append("  and \(readable(rest)) more") }
        return lines.joined(separator: "\n")
    }

    private var differences: String {
        guard judgement.differenceCount > 0 else {
            return "all \(readable(judgement.recomputed)) stored verdicts were computed again and are the same"
        }
        var lines = judgement.differences.prefix(50).map { difference in
            "\(style.red("differs")) \(difference.scenario) \(style.bold(difference.clause.description)): "
                + "\(difference.stored) → \(difference.computed)"
        }
        let rest = judgement.differenceCount - lines.count
        if rest > 0 { lines.append("and \(readable(rest)) more stored verdicts differ") }
        return lines.joined(separator: "\n")
    }

    private var table: String {
        judgement.exercised.compactMap { id -> String? in
            guard let clause = specification[id], let tally = judgement.clauses[id] else { return nil }
            return style.row(clause, tally.outcome, exercised: tally.exercised)
        }.joined(separator: "\n")
    }

    /// What the captures could show, what of it they did, and why not the rest.
    private var coverage: String {
        let inQuestion = judgement.clauses.filter { $0.value.outcome != .notApplicable }
        let reachable = inQuestion.filter(\.value.wasReachable)
        let silent = reachable.filter { $0.value.exercised == 0 }.keys.sorted()
        var lines = [
            "could exercise \(reachable.count) of \(inQuestion.count) clauses, and exercised \(judgement.exercised.count)"
        ]
        if !silent.isEmpty { lines.append("nothing of it seen: \(Self.names(silent))") }
        let unreached = inQuestion.filter { !$0.value.wasReachable }
        let reasons = Dictionary(grouping: unreached, by: { $0.value.unreached.sorted().joined(separator: "; ") })
        for (reason, clauses) in reasons.sorted(by: { $0.key < $1.key }) where !reason.isEmpty {
            lines.append(
                "not from this capture: \(clauses.count), because \(reason): \(Self.names(clauses.map(\.key).sorted()))"
            )
        }
        let foreign = judgement.clauses(.notApplicable)
        if !foreign.isEmpty {
            lines.append("not in question: \(foreign.count) clauses of profiles that are not declared (--profile)")
        }
        for file in judgement.files {
            for entry in file.summary.leftOut.entries {
                lines.append(
                    "left aside in \(JudgedEvents.cut(file.name)): \(readable(entry.count))× \(entry.reason), "
                        + "first \(entry.first)")
            }
        }
        return lines.map { style.wrapped($0, indent: 0, hanging: 2) }.joined(separator: "\n")
    }

    private static func names(_ clauses: [ClauseID]) -> String {
        clauses.map(\.description).joined(separator: ", ")
    }

    /// Bytes as people read them.
    static func size(_ bytes: Int) -> String {
        if bytes < 1000 { return "\(bytes) bytes" }
        if bytes < 1_000_000 { return "\(bytes / 1000) KB" }
        return "\(readable(bytes / 1_000_000)) MB"
    }

    /// Bytes a second.
    static func rate(_ bytes: Int, _ duration: Duration) -> String {
        let milliseconds = max(1, duration.milliseconds)
        return "\(size(bytes / milliseconds * 1000 + bytes % milliseconds * 1000 / milliseconds))/s"
    }
}
