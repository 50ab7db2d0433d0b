import Holdfast
import HoldfastBasics
import HoldfastJudge

/// The results of each clause over many runs of one subject.
package struct RunHistory: Sendable {
    struct Run: Sendable {
        let name: String
        let startedAt: String
        let exit: ExitStatus
        let headline: String
        let specification: String
        let tool: String?
        let outcomes: [ClauseID: Outcome]
        let expected: Set<ClauseID>

        init(_ entry: HTMLReport.Entry) {
            let report = entry.report
            (name, startedAt, exit) = (entry.name, report.startedAt, report.exit)
            (headline, specification, tool) = (report.headline, report.specification, report.tool)
            outcomes = report.clauses.keyed(by: \.clause.id).mapValues(\.outcome)
            expected = Set(report.clauses.filter(report.isExpected).map(\.clause.id))
        }

        /// Whether a clause has an unexpected violation; nil if it is undecided.
        func isRed(_ clause: ClauseID) -> Bool? {
            switch outcomes[clause] {
            case .violation: !expected.contains(clause)
            case .pass, .warning: false
            default: nil
            }
        }
    }

    /// The trend of a clause, most urgent first.
    enum Trend: Equatable, Comparable {
        /// Violated in every deciding run since the given one; `nil` if that is true of all runs.
        case violated(since: Int?)
        /// Changed between violated and not violated at least twice.
        case flaky(violated: Int, of: Int)
        case fixed(in: Int)
        case kept
        case undecided

        private var rank: Int {
            switch self {
            case .violated: 0
            case .flaky: 1
            case .fixed: 2
            case .kept: 3
            case .undecided: 4
            }
        }

        static func < (left: Trend, right: Trend) -> Bool { left.rank < right.rank }
    }

    let subject: String
    private(set) var runs: [Run] = []
    /// Each clause with its sentence in the latest run that has it.
    private(set) var sentences: [ClauseID: String] = [:]

    init(of subject: String) { self.subject = subject }

    /// Adds the report of a run, in any order.
    mutating func take(_ entry: HTMLReport.Entry) {
        let run = Run(entry)
        let index = runs.firstIndex { ($0.startedAt, $0.name) > (run.startedAt, run.name) } ?? runs.endIndex
        runs.insert(run, at: index)
        for result in entry.report.clauses where index == runs.count - 1 || sentences[result.clause.id] == nil {
            sentences[result.clause.id] = result.clause.sentence
        }
    }

    func trend(of clause: ClauseID) -> Trend {
        let decided = runs.enumerated().compactMap { index, run in run.isRed(clause).map { (index, isRed: $0) } }
        guard let last = decided.last else { return .undecided }
        let changes = zip(decided, decided.dropFirst()).filter { $0.isRed != $1.isRed }.map(\.1.0)
        if changes.count > 1 { return .flaky(violated: decided.count(where: \.isRed), of: decided.count) }
        if last.isRed { return .violated(since: changes.first) }
        return changes.first.map(Trend.fixed) ?? .kept
    }

    var trends: [(clause: ClauseID, trend: Trend)] {
        sentences.keys.map { ($0, trend(of: $0)) }.sorted { ($0.trend, $0.clause) < ($1.trend, $1.clause) }
    }

    func words(_ trend: Trend) -> String {
        switch trend {
        case .violated(nil): "violated in every run"
        case .violated(let since?): "violated since \(HTMLHead.day(runs[since].startedAt))"
        case .flaky(let violated, let count): "flaky: violated in \(readable(violated)) of \(counted(count, "run"))"
        case .fixed(let index): "fixed on \(HTMLHead.day(runs[index].startedAt))"
        case .kept: "no unexpected violation"
        case .undecided: "never decided"
        }
    }

    var summary: String {
        let trends = trends.map(\.trend)
        let counts: [(String, (Trend) -> Bool)] = [
            ("violated now", { if case .violated = $0 { true } else { false } }),
            ("flaky", { if case .flaky = $0 { true } else { false } }),
            ("fixed", { if case .fixed = $0 { true } else { false } }), ("clean", { $0 == .kept }),
            ("never decided", { $0 == .undecided }),
        ]
        return counts.compactMap { word, belongs in
            let count = trends.count(where: belongs)
            return count == 0 ? nil : "\(readable(count)) \(word)"
        }.joined(separator: ", ")
    }

    var span: String {
        guard let first = runs.first, let last = runs.last else { return "" }
        return runs.count == 1
            ? HTMLHead.day(first.startedAt) : "\(HTMLHead.day(first.startedAt)) to \(HTMLHead.day(last.startedAt))"
    }
}

/// The runs in a folder by subject, with the latest report of each.
package struct RunArchive: Sendable {
    private var entries: [String: RunHistory] = [:]
    private var latest: [String: HTMLReport.Entry] = [:]
    /// The number of unmerged shards that were skipped, because only a merged report decides every clause.
    package private(set) var parts = 0

    package init() {}

    /// Adds a report; only the latest of each subject is kept completely.
    package mutating func take(_ entry: HTMLReport.Entry) {
        guard entry.report.part == nil else {
            parts += 1
            return
        }
        let subject = entry.report.subject
        let name = "\(subject.name) (\(subject.role.rawValue))"
        entries[name, default: RunHistory(of: name)].take(entry)
        if latest[name].map({ $0.report.startedAt <= entry.report.startedAt }) ?? true { latest[name] = entry }
    }

    package var histories: [RunHistory] { entries.values.sorted { $0.subject < $1.subject } }

    /// The history of one subject in a format; for several, the page compares the latest reports.
    package func text(as format: ReportFormat) -> String {
        let newest = latest.sorted { $0.key < $1.key }.map(\.value)
        if format != .html { return newest.first.map { format.text(of: $0.report) } ?? "" }
        if histories.count == 1, let history = histories.first { return HTMLHistory(history).text }
        return HTMLReport(comparing: newest.map { HTMLReport.Entry($0.report.subject.name, $0.report) }).text
    }
}
