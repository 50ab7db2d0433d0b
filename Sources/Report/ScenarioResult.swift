import Holdfast
import HoldfastJudge
import HoldfastTranscript

package struct ScenarioResult: Sendable {
    package var name: String
    package var history: History
    package var verdicts: [Verdict] { didSet { byClause = Dictionary(grouping: verdicts, by: \.clause) } }
    private var byClause: [ClauseID: [Verdict]]
    /// Failures of the suite itself.
    package var problems: [String]
    /// The reason why it was skipped; nil if it was performed.
    package var skipped: String?
    /// The place and reason of an early end, such as `/steps/3: no done in time`; nil if all steps were performed.
    package var stoppedAt: String?
    /// The reason why it ended early, unless one of its steps is the reason.
    package internal(set) var cut: Cut?
    /// The failure of a client's driver that ended it, such as a crash; nil if there was none.
    package var failure: String?
    package var duration: Duration
    /// The predictability of the agent: 1 any agent, 2 a scripted agent, 3 a model endpoint.
    package var tier: Int
    package var wasSetAside: Bool
    /// Missing parts of the setup, such as a command that starts the server.
    package var lacks: [String]
    /// Whether these missing parts put its clauses out of reach.
    package var isOutOfReach: Bool

    /// Its reach, if that was counted during the run.
    package var reach: Reach?

    /// A reason for an early end other than a step: a server that did not start although others did, a life that the
    /// subject ended, or the end of the run.
    package enum Cut: String, Sendable { case start, life, interruption }

    /// Whether it was skipped only because of undeclared profiles.
    var isOfOtherProfiles: Bool { skipped.map(Gap.isAboutProfiles) ?? false }

    /// Whether it was skipped although the user did not exclude it, the profiles are declared, and no legal limit of
    /// the server rules it out.
    package var isMissed: Bool {
        guard let skipped, !wasSetAside else { return false }
        return !isOfOtherProfiles && !skipped.hasPrefix("the limits of the server rule it out")
    }

    /// Whether it ended early, before it exercised a clause as often as it does with the reference peer.
    func fallsShort(of clause: ClauseID) -> Bool {
        guard stoppedAt != nil else { return false }
        let exercised = verdicts(on: clause).first?.exercised ?? 0
        return exercised < ReachTable.exercised[baseName]?["\(clause)"]?.intValue ?? .max
    }

    /// Whether it ended at a step on a connection that the server had closed, except for silence or a late `auth`, which
    /// a late machine may explain.
    var wasClosed: Bool {
        guard let wait = history.events.last(where: { if case .wait(_, met: false) = $0.kind { true } else { false } })
        else { return false }
        let last = history.events.last { event in
            guard event.lane == wait.lane, event.at <= wait.at else { return false }
            switch event.kind {
            case .opened, .close(.fromServer, _, _): return true
            default: return false
            }
        }
        guard case .close(_, let code, _) = last?.kind else { return false }
        return code != 4002 && code != 4004
    }

    /// Its name without the number of its repetition: `NAME#2`, `NAME#3`, ….
    var baseName: String { String(name.prefix { $0 != "#" }) }

    package init(
        name: String, history: History, verdicts: [Verdict], problems: [String] = [], skipped: String? = nil,
        stoppedAt: String? = nil, cut: Cut? = nil, failure: String? = nil, duration: Duration = .zero, tier: Int = 1,
        wasSetAside: Bool = false, lacks: [String] = []
    ) {
        (self.name, self.history, self.verdicts, self.problems) = (name, history, verdicts, problems)
        byClause = Dictionary(grouping: verdicts, by: \.clause)
        (self.skipped, self.stoppedAt, self.cut, self.failure) = (skipped, stoppedAt, cut, failure)
        (self.duration, self.tier, self.wasSetAside, self.lacks) = (duration, tier, wasSetAside, lacks)
        isOutOfReach = !lacks.isEmpty
    }

    func verdicts(on clause: ClauseID) -> [Verdict] { byClause[clause] ?? [] }
}
