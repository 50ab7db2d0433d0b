import Holdfast
import HoldfastJSON
import HoldfastTranscript

/// One scenario as it went in a simulation.
package struct Simulation: Sendable {
    package let history: History
    /// Where and why its steps ended early; nil when all were performed.
    package private(set) var stoppedAt: String?
    /// What the simulation could not do, or did wrong; it says nothing about the server.
    package private(set) var problem: String?
    /// Why there is no simulation of it.
    package private(set) var unsuitable: String?

    /// Performs a scenario of a server; with equal seeds the histories are equal.
    package init(_ scenario: Scenario, against setting: Setting, seed: UInt64, version: String) {
        let world = World(setting, principals: max(1, scenario.needs.principals), seed: seed)
        world.run(scenario.steps)
        let header = History.Header(
            specification: version, scenario: scenario.name,
            subject: History.Subject(
                name: "Holdfast reference server", role: .server, profiles: setting.profiles, limits: setting.limits),
            timeouts: setting.timeouts)
        self.init(History(header: header, events: world.events, frames: world.frames), world.end)
    }

    /// Performs a scenario of a client.
    package init(_ scenario: ClientScenario, against setting: ClientSetting, seed: UInt64, version: String) {
        let phone = Phone(scenario, setting, seed: seed)
        let isKept = scenario.needs.profiles.isSubset(of: setting.profiles)
        if isKept { phone.perform() }
        let header = History.Header(
            specification: version, scenario: scenario.name,
            subject: History.Subject(
                name: "Holdfast reference client", role: .client, profiles: setting.profiles, hasScriptedAgent: true),
            timeouts: Timeouts(), timeScale: phone.timeScale)
        self.init(
            History(header: header, events: phone.events, frames: phone.frames),
            isKept ? phone.end : .unsuitable("the client does not keep what it needs"))
    }

    private init(_ history: History, _ end: StrandEnd?) {
        self.history = history
        switch end {
        case .unmet(let reason): stoppedAt = reason
        case .problem(let reason): problem = reason
        case .unsuitable(let reason): unsuitable = reason
        case nil: break
        }
    }
}
