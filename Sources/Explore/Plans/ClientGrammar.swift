import Holdfast
import HoldfastBasics
import HoldfastJSON

/// The possible contents of schedules for clients: the actions of a person, a phone, other devices and a server.
package struct ClientGrammar: Sendable {
    var profiles: Set<Profile>
    /// The approximate number of steps of a plan, without those that check the end.
    package var size = 24
    /// Commands that the client's driver does not support.
    private let unsupported: Set<String>
    /// Handwritten scenarios; half of the plans are one of them with additional events.
    private let scenarios: [Plan]

    package init(profiles: Set<Profile>, disturbing scenarios: [Plan], without unsupported: Set<String> = []) {
        (self.profiles, self.unsupported) = (profiles, unsupported)
        self.scenarios = scenarios.filter { scenario in
            scenario.profiles.isSubset(of: profiles.union([.clientCore]))
                && scenario.verbs.isDisjoint(with: unsupported) && scenario.toleratesAddedEvents
        }.map(\.spread)
    }

    func allows(_ commands: String...) -> Bool { unsupported.isDisjoint(with: commands) }

    package func plan(seed: UInt64) -> Plan {
        ClientPlanner.plan(seed: seed, of: .client, disturbing: scenarios) { ClientPlanner(self, seed: $0) }
    }
}
