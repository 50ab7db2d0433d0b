/// Stimuli and waits that bring clauses to the test; it asserts nothing, because the judge does.
public struct Scenario: Sendable, Equatable {
    /// The name used everywhere, such as `server/SYNC/replay-after-cut`.
    public package(set) var name: String
    /// A name for people.
    public let title: String
    /// What happens, in a sentence.
    public let summary: String
    /// The side under test, server or client.
    public let role: Role
    /// The clauses it is meant to exercise.
    public let clauses: [ClauseID]
    /// What a subject must offer for it to be performed.
    public let needs: Needs
    package let steps: [ScenarioStep]

    /// What a subject must offer.
    public struct Needs: Sendable, Equatable {
        /// The profiles it declares; `core` goes without saying.
        public var profiles: Set<Profile> = []
        /// Whether its wire must have keys and acks.
        public var keys = false
        /// Whether its agent must obey scripts.
        public var agent: Agent = .any
        /// How many principals are used.
        public var principals: Int = 1
        /// Whether it needs a server of its own that the suite starts, ends and starts again.
        public var start = false
        /// Whether it spends the whole budget of its principal, which must then be untouched (RATE).
        public var budget = false
        /// How many frames the server keeps for replay at least (SYNC-7).
        public var replay = 0
        /// How often it waits for times that the subject told, by their names in `limits`.
        public var patience: [String: Int] = [:]

        /// Nothing but one principal.
        public init() {}
    }

    /// What the agent behind a server has to do.
    public enum Agent: String, Sendable, CaseIterable {
        /// Any answer will do; where the agent obeys scripts it is given them.
        case any
        /// The script must be obeyed.
        case scripted
    }

    /// The chapter the scenario belongs to, from its name.
    public var area: Area? { Area(ofScenario: name) }

    /// Whether a device is called gone for good, so that no later scenario can use it.
    package var endsADevice: Bool { steps.contains(where: \.endsADevice) }

    /// Whether it leaves questions behind that fill the first page of whoever asks for everything (SYNC-7).
    package var fillsAStream: Bool { steps.contains(where: \.asksAtLength) }

    /// Whether a step sends a message as it is written, whatever is wrong with it.
    package var sendsVerbatim: Bool { steps.contains(where: \.sendsVerbatim) }
}
