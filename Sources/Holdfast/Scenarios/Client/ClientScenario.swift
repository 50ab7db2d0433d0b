import HoldfastJSON

/// What a person, a phone and a misbehaving server do to a client; it asserts nothing, because the judge does.
public struct ClientScenario: Sendable, Equatable {
    /// The name used everywhere, such as `client/CLIENT/foreground-reconnects`.
    public package(set) var name: String
    /// A name for people.
    public let title: String
    /// What happens, in a sentence.
    public let summary: String
    /// The clauses it is meant to exercise.
    public let clauses: [ClauseID]
    /// What a client must offer for it to be performed.
    public let needs: Needs
    /// What the scripted server holds when the scenario begins.
    package let world: ClientWorld
    package let steps: [ClientStep]

    /// What a client must offer.
    public struct Needs: Sendable, Equatable {
        /// The profiles it declares; `client-core` goes without saying.
        public var profiles: Set<Profile> = []
        /// How many times faster its timers have to run; nil for the scale of the run.
        public var timeScale: Double?

        /// Nothing.
        public init() {}
    }

    /// The chapter the scenario belongs to, from its name.
    public var area: Area? { Area(ofScenario: name) }

    /// Every step, also those within others, in the order of the text.
    var allSteps: [ClientStep] { steps.flatMap(\.withNested) }

    /// The commands a driver must obey for this, `launch` and `state` always among them.
    package var commands: Set<String> {
        Set(allSteps.compactMap { if case .person(let act) = $0.action { act.verb } else { nil } })
            .union(["launch", "state"])
    }
}

/// What a scripted server holds: one principal's conversations, and its place in the stream.
package struct ClientWorld: Sendable, Equatable {
    /// The conversations, oldest first.
    package var sessions: [Session] = []
    /// The name of the numbered stream, as `connected` tells it.
    package var epoch = "e1"
    /// The number of the last frame, none of which is kept for replay.
    package var lastSeq = 0
    /// What the server keeps; `core` alone numbers no frame.
    package var profiles: Set<Profile> = [.core, .sync]
    /// Members of `limits` besides those every server states.
    package var limits = JSONObject()
    /// What `connected` says of heartbeats; nil to say nothing.
    package var heartbeatSeconds: Int?
    /// Whether times and contents come in forms that the schemas allow and few servers use.
    package var hasRareForms = false
    /// Members that no version defines, in every frame (ENV-13).
    package var newer = JSONObject()

    package init() {}

    /// A conversation that the scripted server holds.
    package struct Session: Sendable, Equatable {
        package var id: String
        /// Oldest first.
        package var messages: [Message]
    }

    /// A message that is stored before the scenario begins.
    package struct Message: Sendable, Equatable {
        package enum Role: String, Sendable { case user, assistant, system }

        /// Its id; references in it are filled in when it is stored.
        package var id: String
        package var role: Role
        /// What it says; nil for the usual words of its id.
        package var text: String?

        package init(id: String, role: Role, text: String? = nil) { (self.id, self.role, self.text) = (id, role, text) }
    }
}
