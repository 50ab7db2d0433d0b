import HoldfastJudge
import HoldfastTranscript

/// One scenario of a run: what was observed and what it was judged to be.
package struct ScenarioResult: Sendable {
    /// The scenario, such as `server/SYNC/replay-after-cut`.
    package var name: String
    package var history: History
    /// The verdict of each clause that has a check.
    package var verdicts: [Verdict]
    /// What went wrong in the suite itself, in words.
    package var problems: [String]
    /// Why it was not performed; nil when it was.
    package var skipped: String?
    /// Where and why its steps ended early, such as `/steps/3: no done in time`; nil when all were performed.
    package var stoppedAt: String?
    /// What the driver of a client did that ended it, such as dying; nil when it obeyed.
    package var failure: String?
    /// Wall time.
    package var duration: Duration
    /// How predictable the agent was for it: 1 any agent, 2 a scripted agent, 3 a model endpoint.
    package var tier: Int
    /// Whether whoever ran the suite left it out.
    package var wasSetAside: Bool
    /// What the set-up lacks, for which it was skipped, such as a command that starts the server; each in words.
    package var lacks: [String]
    /// Whether what the set-up lacks puts the clauses it is meant to exercise out of question.
    package var isOutOfReach: Bool

    /// Whether it was skipped only because the subject does not declare the profiles that it needs.
    var isOfOtherProfiles: Bool { skipped.map(Gap.isAboutProfiles) ?? false }

    /// Whether it was skipped although nobody asked for it, the subject declares what it is about, and no limit that a server
    /// may have rules it out.
    package var isMissed: Bool {
        guard let skipped, !wasSetAside else { return false }
        return !isOfOtherProfiles && !Gap.isAboutLimits(skipped)
    }

    /// Its name without the number of its repetition: repetitions are called `NAME#2`, `NAME#3`, ….
    var baseName: String { String(name.prefix { $0 != "#" }) }

    /// A result; verdicts are those of `judge(_:under:)` on the history.
    package init(
        name: String, history: History, verdicts: [Verdict], problems: [String] = [], skipped: String? = nil,
        stoppedAt: String? = nil, failure: String? = nil, duration: Duration = .zero, tier: Int = 1,
        wasSetAside: Bool = false, lacks: [String] = []
    ) {
        (self.name, self.history, self.verdicts, self.problems) = (name, history, verdicts, problems)
        (self.skipped, self.stoppedAt, self.failure, self.duration) = (skipped, stoppedAt, failure, duration)
        (self.tier, self.wasSetAside, self.lacks) = (tier, wasSetAside, lacks)
        isOutOfReach = !lacks.isEmpty
    }
}
