import HoldfastJSON

/// Acts of a user, a phone and a misbehaving server that test a client; assertions are left to the judge.
public struct ClientScenario: Sendable, Equatable {
    /// The full name, such as `client/CLIENT/foreground-reconnects`.
    public package(set) var name: String
    /// A human-readable name.
    public let title: String
    /// A sentence about what happens.
    public let summary: String
    /// The clauses it exercises.
    public let clauses: [ClauseID]
    /// The requirements for a client.
    public let needs: Needs
    package let world: ClientWorld
    package let steps: [ClientStep]

    /// The requirements for a client.
    public struct Needs: Sendable, Equatable {
        /// The declared profiles besides `client-core`.
        public var profiles: Set<Profile> = []
        /// The factor by which its timers must run faster; nil for the run's own factor.
        public var timeScale: Double?

        /// No requirements.
        public init() {}
    }

    /// All steps including nested ones, in text order.
    var allSteps: [ClientStep] { steps.flatMap(\.withNested) }

    /// The commands that a driver must support, always including `launch` and `state`.
    package var commands: Set<String> {
        Set(allSteps.compactMap { if case .person(let act) = $0.action { act.verb } else { nil } })
            .union(["launch", "state"])
    }
}

/// The state of a scripted server: one principal's conversations, and its position in the stream.
package struct ClientWorld: Sendable, Equatable {
    /// The conversations, oldest first.
    package var sessions: [Session] = []
    /// The epoch announced in `connected`.
    package var epoch = "e1"
    /// The number of the last frame; earlier frames are not kept for replay.
    package var lastSeq = 0
    /// The profiles of the server; with `core` alone, frames have no numbers.
    package var profiles: Set<Profile> = [.core, .sync]
    /// Members of `limits` besides the required ones.
    package var limits = JSONObject()
    /// The heartbeat announced in `connected`; nil to announce none.
    package var heartbeatSeconds: Int?
    /// Whether times and contents use rare forms that the schemas allow.
    package var hasRareForms = false
    /// Members of a newer version, added to every frame (ENV-13).
    package var newer = JSONObject()

    package init() {}

    package struct Session: Sendable, Equatable {
        package var id: String
        /// Oldest first.
        package var messages: [Message]
    }

    /// A message stored before the scenario starts.
    package struct Message: Sendable, Equatable {
        package enum Role: String, Sendable { case user, assistant, system }

        /// Its id; references are filled in when it is stored.
        package var id: String
        package var role: Role
        /// Its text; nil for a default that depends on its id.
        package var text: String?

        package init(id: String, role: Role, text: String? = nil) { (self.id, self.role, self.text) = (id, role, text) }
    }
}
