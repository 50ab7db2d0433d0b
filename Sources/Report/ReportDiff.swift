import Holdfast
import HoldfastJudge

package struct ReportDiff: Sendable {
    /// The direction of a change; the last two are for clauses and scenarios in only one of the reports.
    package enum Kind: String, Sendable, CaseIterable {
        case worse, better, came, went
    }

    /// Each change in one line: clauses in order, then scenarios.
    package private(set) var changes: [(kind: Kind, what: String)] = []
    private let context: [String]

    package init(_ old: RunReport, _ new: RunReport) {
        context = [
            ("subject", old.subject.name, new.subject.name), ("specification", old.specification, new.specification),
            ("program", old.tool ?? "unknown", new.tool ?? "unknown"),
            ("profiles", old.subject.profileNames, new.subject.profileNames),
        ].filter { $1 != $2 }.map { "\($0): \($1) → \($2)" }
        let (before, after) = (State.all(of: old), State.all(of: new))
        let (oldNames, newNames) = (Set(old.scenarios.map(\.name)), Set(new.scenarios.map(\.name)))
        for id in Set(before.keys).union(after.keys).sorted() {
            compare(id, before[id], after[id], oldNames.intersection(newNames))
        }
        for one in new.scenarios where !oldNames.contains(one.name) { changes.append((.came, "scenario \(one.name)")) }
        for one in old.scenarios where !newNames.contains(one.name) { changes.append((.went, "scenario \(one.name)")) }
    }

    package var isWorse: Bool { changes.contains { $0.kind == .worse } }

    package var headline: String {
        guard !changes.isEmpty else { return "same: no verdict differs" }
        let counts = Kind.allCases.compactMap { kind -> String? in
            let count = changes.count { $0.kind == kind }
            return count == 0 ? nil : "\(count) \(kind.rawValue)"
        }
        return "\(isWorse ? "worse" : "not worse"): \(counts.joined(separator: ", "))"
    }

    /// All changes for a console, regressions first; with a final newline.
    package func text(_ style: ConsoleStyle = ConsoleStyle()) -> String {
        var lines = [isWorse ? style.red(headline) : style.green(headline)]
        lines += context.map { style.wrapped($0, indent: 0, hanging: 2) }
        for kind in Kind.allCases {
            for change in changes where change.kind == kind {
                let word = padded(kind.rawValue, 7)
                let painted = kind == .worse ? style.red(word) : kind == .better ? style.green(word) : style.dim(word)
                lines.append(painted + style.wrapped(change.what, indent: 7, hanging: 2).dropFirst(7))
            }
        }
        return lines.joined(separator: "\n") + "\n"
    }

    /// All changes for a comment or a summary, regressions first; with a final newline.
    package var markdown: String {
        var parts = ["**\(MarkdownReport.inline(headline))**"]
        if !context.isEmpty { parts.append(context.map { "- \(MarkdownReport.inline($0))" }.joined(separator: "\n")) }
        for kind in Kind.allCases {
            let lines = changes.filter { $0.kind == kind }.map { "- \(MarkdownReport.inline($0.what))" }
            guard !lines.isEmpty else { continue }
            let rest = lines.count > 200 ? ["- and \(lines.count - 200) more"] : []
            let title = kind.rawValue.prefix(1).uppercased() + kind.rawValue.dropFirst()
            parts.append("### \(title)\n\n" + (lines.prefix(200) + rest).joined(separator: "\n"))
        }
        return parts.joined(separator: "\n\n") + "\n"
    }

    private mutating func compare(_ id: ClauseID, _ before: State?, _ after: State?, _ shared: Set<String>) {
        func add(_ kind: Kind, _ what: String) { changes.append((kind, "\(id): \(what)")) }
        guard let before else {
            // A new clause that does not pass counts as a regression.
            if let after { add(after.rank >= 4 ? .worse : .came, "new, \(after.word)") }
            return
        }
        guard let after else { return add(before.rank <= 1 ? .worse : .went, "was \(before.word), now missing") }
        guard before.word == after.word else {
            let rest = after.scenarios.count > 1 ? " and \(after.scenarios.count - 1) more" : ""
            let example = after.scenarios.first.map { " in \($0)\(rest)" } ?? ""
            // A clause excluded on request is not a change of the subject.
            let kind: Kind = after.word == State.setAside ? .went : after.rank > before.rank ? .worse : .better
            return add(kind, "\(before.word) → \(after.word)\(example)")
        }
        // The same outcome, with violations in other scenarios.
        guard let verb = after.verb else { return }
        for name in after.scenarios where shared.contains(name) && !before.scenarios.contains(name) {
            add(.worse, "now also \(verb) in \(name)")
        }
        for name in before.scenarios where shared.contains(name) && !after.scenarios.contains(name) {
            add(.better, "no longer \(verb) in \(name)")
        }
    }

    private struct State {
        let word: String
        /// The severity; higher is worse.
        var rank = 3
        var verb: String?
        /// The scenarios that decided it, unless it passed.
        var scenarios: [String] = []

        static let setAside = "set aside"
        private static let ranks: [Outcome: Int] = [
            .pass: 0, .warning: 1, .notApplicable: 2, .inconclusive: 4, .untested: 5, .harnessError: 7, .violation: 8,
        ]

        static func all(of report: RunReport) -> [ClauseID: State] {
            var states: [ClauseID: State] = [:]
            for result in report.clauses {
                let isExpected = report.isExpected(result)
                let verb = [Outcome.violation: "violated", .warning: "warned"][result.outcome]
                states[result.clause.id] = State(
                    word: isExpected ? "violated as expected" : result.outcome.word,
                    rank: isExpected ? 6 : ranks[result.outcome] ?? 3, verb: verb,
                    scenarios: verb != nil || result.outcome == .inconclusive ? result.decidedBy : [])
            }
            for (word, clauses) in [
                (setAside, report.setAside), ("out of reach", report.unreached),
                (report.whyDeferred, report.deferred), ("pending", report.pending),
            ] {
                for id in clauses { states[id] = State(word: word) }
            }
            return states
        }
    }
}
