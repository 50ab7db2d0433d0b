import Holdfast
import HoldfastReference

package struct Setting: Sendable {
    /// The server; its principals are lent to the scenarios in order.
    package var configuration: ReferenceConfiguration
    /// Nothing is late by accident under a virtual clock, so a plan can wait for the end of a bound.
    package var timeouts = Timeouts()

    package let profiles: Set<Profile>

    var limits: [String: Int] {
        var limits = [
            "heartbeatSeconds": configuration.heartbeatSeconds, "authSeconds": configuration.authSeconds,
            "rateWindowSeconds": configuration.rateWindowSeconds,
        ]
        limits["messagesPerMinute"] = configuration.messagesPerMinute
        return limits
    }

    /// A server for four people that keeps the profiles, with bounds so tight that a plan of some dozen steps reaches
    /// them.
    package init(_ profiles: Set<Profile> = Profile.all(of: .server), defects: Set<Defect> = []) {
        self.profiles = profiles
        timeouts.turn = .seconds(4)
        for bound in [\Timeouts.connect, \.ack, \.pong, \.rest, \.sync, \.error, \.push] {
            timeouts[keyPath: bound] = .seconds(2)
        }
        let names = (1...4).map { "p\($0)" }
        var configuration = ReferenceConfiguration(
            dataFolder: "", principals: names.map { (name: $0, token: "token-of-\($0)") },
            requiresAuth: profiles.contains(.auth), defects: defects)
        configuration.keeps = profiles.intersection([.sync])
        configuration.heartbeatSeconds = 1
        configuration.authSeconds = 2
        configuration.replayFrames = 12
        if profiles.contains(.rateLimit) {
            configuration.messagesPerMinute = 12
            configuration.rateWindowSeconds = 2
        }
        if profiles.contains(.push) {
            let people = profiles.contains(.auth) ? names : Array(names.prefix(1))
            configuration.push = PushService(
                url: "http://push.invalid", topic: "app.holdfast.reference",
                devices: people.map { (principal: $0, token: "device-of-\($0)") })
        }
        self.configuration = configuration
    }
}
