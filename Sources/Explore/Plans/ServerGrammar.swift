import Holdfast
import HoldfastBasics
import HoldfastJSON

/// The possible contents of schedules: the participants, the server's profiles, and the possible actions.
package struct ServerGrammar: Sendable {
    package var profiles: Set<Profile>
    /// Whether the server is the suite's own, to be killed and started.
    package var startsServer: Bool
    /// Whether each plan meets a server of its own.
    package var isApart = false
    /// Whether the server has no other users, now or later, and waiting costs nothing.
    package var isAlone = true
    /// The approximate number of steps of a plan.
    package var size = 52
    package var principals = 3
    /// The longest time that a plan may watch at once, in milliseconds.
    package var longestWatch = 5_000
    /// The number of questions that a person may ask within a number of seconds; nil if no limit is known.
    package var rateLimit: (questions: Int, seconds: Int)?

    /// Handwritten scenarios; half of the plans are one of them with additional events.
    private let scenarios: [Plan]

    package init(profiles: Set<Profile>, disturbing scenarios: [Plan], startsServer: Bool) {
        self.profiles = profiles
        self.startsServer = startsServer
        self.scenarios = scenarios.filter { scenario in
            scenario.profiles.isSubset(of: profiles) && (startsServer || !scenario.needsStart)
        }
    }

    package func plan(seed: UInt64) -> Plan {
        var plan = ServerPlanner.plan(
            seed: seed, of: .server, disturbing: scenarios.filter { $0.principals <= principals }
        ) { ServerPlanner(self, seed: $0) }
        plan.isApart = isApart && !plan.needsStart
        return plan
    }
}
