import Holdfast
import HoldfastStage
import HoldfastTranscript

package struct Simulation: Sendable {
    package let history: History
    /// The place and reason of an early end of its steps; nil if all were performed.
    package private(set) var stoppedAt: String?
    /// A failure of the simulation itself; it says nothing about the subject.
    package private(set) var problem: String?
    /// The reason why the scenario cannot be simulated.
    package private(set) var unsuitable: String?
    /// The times in microseconds at which a client processed what it received, by event; it never processed the others.
    package private(set) var handledAt: [Int: Int] = [:]

    /// Performs a server scenario; equal seeds give equal histories.
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

    /// Performs a client scenario; equal seeds give equal histories.
    package init(_ scenario: ClientScenario, against setting: ClientSetting, seed: UInt64, version: String) {
        let phone = Phone(scenario, setting, seed: seed)
        let isSuitable = scenario.needs.profiles.isSubset(of: setting.profiles)
        if isSuitable { phone.perform() }
        let header = History.Header(
            specification: version, scenario: scenario.name,
            subject: History.Subject(
                name: "Holdfast reference client", role: .client, profiles: setting.profiles, hasScriptedAgent: true),
            timeouts: Timeouts(), timeScale: phone.timeScale)
        self.init(
            History(header: header, events: phone.events, frames: phone.frames),
            isSuitable ? phone.end : StepEnd.unsuitable("the client lacks a profile that the scenario needs"))
        handledAt = phone.handledAt
    }

    private init(_ history: History, _ end: (any Error)?) {
        self.history = history
        switch end {
        case StepEnd.unmet(let reason)?: stoppedAt = reason
        case StepEnd.unsuitable(let reason)?: unsuitable = reason
        case StepEnd.harness(let problem)?: self.problem = "\(problem)"
        case let end?: problem = "\(end)"
        case nil: break
        }
    }
}

struct SimulationProblem: Error, CustomStringConvertible {
    let description: String
}
