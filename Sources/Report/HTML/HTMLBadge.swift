import Holdfast
import HoldfastJudge

/// An outcome on the page: a word, a symbol and a color class, so that color is never the only sign.
struct HTMLBadge: Hashable {
    let name: String
    let word: String
    let sign: String

    /// A violation that the baseline expects.
    static let expected = HTMLBadge(name: "expected", word: "expected", sign: "≈")
    static let skipped = HTMLBadge(name: "notApplicable", word: "skipped", sign: "–")
    /// A scenario that a driver ended.
    static let failed = HTMLBadge(name: "harnessError", word: "driver failure", sign: "⚠")
}

extension HTMLBadge {
    init(_ outcome: Outcome) {
        let sign =
            switch outcome {
            case .pass: "✓"
            case .violation: "✕"
            case .warning: "!"
            case .untested: "○"
            case .inconclusive: "?"
            case .harnessError: "⚠"
            case .notApplicable: "–"
            }
        self.init(name: outcome.rawValue, word: outcome.word, sign: sign)
    }

    init(_ result: ClauseResult, in report: RunReport) {
        self = report.isExpected(result) ? .expected : HTMLBadge(result.outcome)
    }

    /// The badge of a scenario: its worst result that counts in the run.
    init(_ scenario: ScenarioResult, in report: RunReport) {
        let significant = report.significant(scenario.verdicts)
        let outcomes = Set(significant.map(\.outcome))
        let isUnexpected = significant.contains { verdict in
            verdict.outcome == .violation && report.expectation(of: verdict.clause, in: scenario) == nil
        }
        if scenario.skipped != nil {
            self = .skipped
        } else if isUnexpected {
            self.init(.violation)
        } else if !scenario.problems.isEmpty {
            self.init(.harnessError)
        } else if scenario.failure != nil {
            self = .failed
        } else if outcomes.contains(.violation) {
            self = .expected
        } else {
            self.init([Outcome.warning, .inconclusive, .pass].first(where: outcomes.contains) ?? .untested)
        }
    }

    /// All badges, worst first.
    static let all: [HTMLBadge] =
        [Outcome.violation, .harnessError].map(HTMLBadge.init) + [failed]
        + [Outcome.inconclusive, .untested, .warning].map(HTMLBadge.init) + [expected, HTMLBadge(.pass)]
        + [HTMLBadge(.notApplicable), skipped]

    var html: Markup { "<span class=\"v \(name)\"><span aria-hidden=\"true\">\(sign)</span> \(word)</span>" }
}
