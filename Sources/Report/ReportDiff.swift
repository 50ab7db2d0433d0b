import Holdfast
import HoldfastJudge

/// The changes between two reports, by clause.
package struct ReportDiff: Sendable {
    package struct Change: Sendable, Equatable {
        /// The direction of a change.
        package enum Kind: String, Sendable, CaseIterable {
            case worse
            case better
            /// Only in one of the reports.
            case came, went
        }

        /// The direction.
        package let kind: Kind
        /// The clause; nil if only a scenario changed.
        package let clause: ClauseID?
        /// The change in one line.
        package let what: String
    }

    /// All changes: clauses in order, then scenarios.
    package let changes: [Change]
    private let context: [String]

    package init(_ old: RunReport, _ new: RunReport) {
        let before = Self.states(old)
        let after = Self.states(new)
        var changes: [Change] = []
        for id in Set(before.keys).union(after.keys).sorted() {
            changes += Self.change(id, before[id], after[id], old, new)
        }
        let names = (old: old.scenarios.map(\.name), new: new.scenarios.map(\.name))
        let (left, right) = (Set(names.old), Set(names.new))
        changes += names.new.filter { !left.contains($0) }.map {
            Change(kind: .came, clause: nil, what: "scenario \($0)")
        }
        changes += names.old.filter { !right.contains($0) }.map {
            Change(kind: .went, clause: nil, what: "scenario \($0)")
        }
        self.changes = changes
        var context: [String] = []
        for (what, left, right) in [
            ("subject", old.subject.name, new.subject.name), ("specification", old.specification, new.specification),
            ("program", old.tool ?? "unknown", new.tool ?? "unknown"),
            (
                "profiles", old.subject.profileNames,
                new.subject.profileNames
            ),
        ] where left != right { context.append("\(what): \(left) → \(right)") }
        self.context = context
    }

    package var isWorse: Bool { changes.contains { $0.kind == .worse } }

    /// The summary in one line.
    package var headline: String {
        guard !changes.isEmpty else { return "same: no verdict differs" }
        let counts = Change.Kind.allCases.compactMap { kind -> String? in
            let count = changes.count { $0.kind == kind }
            return count == 0 ? nil : "\(count) \(kind.rawValue)"
        }
        return "\(isWorse ? "worse" : "not worse"): \(counts.joined(separator: ", "))"
    }

    /// All changes for a console, regressions first; with a final newline.
    package func text(_ style: ConsoleStyle = ConsoleStyle()) -> String {
        var lines = [isWorse ? style.red(headline) : style.green(headline)]
        lines += context.map { style.wrapped($0, indent: 0, hanging: 2) }
        for kind in Change.Kind.allCases {
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
        for kind in Change.Kind.allCases {
            let lines = changes.filter { $0.kind == kind }.map { "- \(MarkdownReport.inline($0.what))" }
            guard !lines.isEmpty else { continue }
            let rest = lines.count > 200 ? ["- and \(lines.count - 200) more"] : []
            let title = kind.rawValue.prefix(1).uppercased() + kind.rawValue.dropFirst()
            parts.append("### \(title)\n\n" + (lines.prefix(200) + rest).joined(separator: "\n"))
        }
        return parts.joined(separator: "\n\n") + "\n"
    }

    // MARK: clauses

    private static let setAside = "set aside"

    private static func states(_ report: RunReport) -> [ClauseID: State] {
        var states: [ClauseID: State] = [:]
        for result in report.clauses { states[result.clause.id] = .judged(result, report.isExpected(result)) }
        for id in report.setAside { states[id] = .undecided(setAside) }
        for id in report.unreached { states[id] = .undecided("out of reach") }
        for id in report.elsewhere { states[id] = .undecided(report.whyElsewhere) }
        for id in report.pending { states[id] = .undecided("pending") }
        return states
    }

    private enum State {
        case judged(ClauseResult, Bool)
        case undecided(String)

        var word: String {
            switch self {
            case .judged(_, true): "violated as expected"
            case .judged(let result, _): result.outcome.word
            case .undecided(let word): word
            }
        }

        /// Higher is worse.
        var rank: Int {
            switch self {
            case .undecided: 3
            case .judged(_, true): 6
            case .judged(let result, _):
                switch result.outcome {
                case .pass: 0
                case .warning: 1
                case .notApplicable: 2
                case .inconclusive: 4
                case .untested: 5
                case .harnessError: 7
                case .violation: 8
                }
            }
        }
    }

    private static func change(
        _ id: ClauseID, _ before: State?, _ after: State?, _ old: RunReport, _ new: RunReport
    ) -> [Change] {
        switch (before, after) {
        case (nil, let after?):
            // A new clause that is violated counts as a regression.
            return [Change(kind: after.rank >= 4 ? .worse : .came, clause: id, what: "\(id): new, \(after.word)")]
        case (let before?, nil):
            return [
                Change(
                    kind: before.rank <= 1 ? .worse : .went, clause: id, what: "\(id): was \(before.word), now missing")
            ]
        case (let before?, let after?) where before.word != after.word:
            var what = "\(id): \(before.word) → \(after.word)"
            if case .judged(let result, _) = after, [.violation, .warning, .inconclusive].contains(result.outcome),
                let first = result.decidedBy.first
            {
                what += " in \(first)"
                if result.decidedBy.count > 1 { what += " and \(result.decidedBy.count - 1) more" }
            }
            // A clause excluded on request is not a change of the subject.
            if case .undecided(Self.setAside) = after { return [Change(kind: .went, clause: id, what: what)] }
            return [Change(kind: after.rank > before.rank ? .worse : .better, clause: id, what: what)]
        case (.judged(let before, _)?, .judged(let after, _)?):
            return scenarios(id, before, after, old, new)
        default: return []
        }
    }

    /// The same outcome, with violations in other scenarios.
    private static func scenarios(
        _ id: ClauseID, _ before: ClauseResult, _ after: ClauseResult, _ old: RunReport, _ new: RunReport
    ) -> [Change] {
        guard [.violation, .warning].contains(after.outcome) else { return [] }
        let (left, right) = (Set(before.decidedBy), Set(after.decidedBy))
        let shared = Set(old.scenarios.map(\.name)).intersection(new.scenarios.map(\.name))
        let word = after.outcome == .violation ? "violated" : "warned"
        let worse = after.decidedBy.filter { !left.contains($0) && shared.contains($0) }.map {
            Change(kind: .worse, clause: id, what: "\(id): now also \(word) in \($0)")
        }
        let better = before.decidedBy.filter { !right.contains($0) && shared.contains($0) }.map {
            Change(kind: .better, clause: id, what: "\(id): no longer \(word) in \($0)")
        }
        return worse + better
    }
}
