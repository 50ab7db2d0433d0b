import Holdfast
import HoldfastTranscript

package struct ClientSubject: Sendable {
    package var name: String
    /// The profiles that it declares; `client-core` is implied.
    package var profiles: Set<Profile>
    package var driver: any DriverSource
    package var unsupported: Set<String>
    package var dialect = Dialect.canonical
    package var timeouts: Timeouts
    /// The factor by which its timers must run faster; 1 if that cannot be arranged.
    package var timeScale: Double
    /// The address of this machine that the client can reach.
    package var host: String

    package init(
        name: String, profiles: Set<Profile> = [.clientCore], driver: any DriverSource, unsupported: Set<String> = [],
        timeouts: Timeouts = Timeouts(), timeScale: Double = 10, host: String = "127.0.0.1"
    ) {
        self.name = name
        self.profiles = profiles.union([.clientCore])
        (self.driver, self.unsupported, self.timeouts) = (driver, unsupported, timeouts)
        self.timeScale = min(1000, max(1, timeScale))
        self.host = host
    }

    package var declaration: History.Subject {
        History.Subject(name: name, role: .client, profiles: profiles, hasScriptedAgent: true)
    }

    package func obstacle(to scenario: ClientScenario) -> String? {
        let missing = scenario.needs.profiles.subtracting(profiles).sorted()
        if !missing.isEmpty { return "it needs \(missing.map(\.rawValue).joined(separator: ", "))" }
        let refused = scenario.commands.intersection(unsupported).sorted()
        if !refused.isEmpty { return "the driver does not support \(refused.joined(separator: ", "))" }
        return nil
    }

    /// The time scale for a scenario; always 1 for a client that cannot change its timers.
    package func timeScale(for scenario: ClientScenario) -> Double {
        timeScale == 1 ? 1 : scenario.needs.timeScale ?? timeScale
    }
}

extension Timeouts {
    /// The length of a wait for the client: its own timers run faster, and a busy machine makes them late.
    package func limit(of name: String, timeScale: Double) -> Duration {
        let bound = self[name] ?? rest
        return Self.scaled.contains(name) ? bound / timeScale + scheduling : bound
    }

    /// Bounds that contain a timer of the client.
    private static let scaled: Set<String> = ["resend", "silence", "backoff", "polling", "degraded", "attempts"]
}
