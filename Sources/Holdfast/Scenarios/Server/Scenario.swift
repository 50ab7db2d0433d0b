/// Stimuli and waits that exercise clauses; assertions are left to the judge.
public struct Scenario: Sendable, Equatable {
    /// The full name, such as `server/SYNC/replay-after-cut`.
    public package(set) var name: String
    /// A human-readable name.
    public let title: String
    /// A sentence about what happens.
    public let summary: String
    /// The side under test.
    public let role: Role
    /// The clauses it exercises.
    public let clauses: [ClauseID]
    /// The requirements for a subject.
    public let needs: Needs
    package let steps: [ScenarioStep]

    /// The requirements for a subject.
    public struct Needs: Sendable, Equatable {
        /// The declared profiles besides `core`.
        public var profiles: Set<Profile> = []
        /// Whether its wire must have keys and acks.
        public var keys = false
        /// Whether its agent must follow scripts.
        public var agent: Agent = .any
        /// The number of principals.
        public var principals: Int = 1
        /// Whether it needs its own server, which the suite starts, ends and restarts.
        public var start = false
        /// Whether it spends the whole budget of its principal, which must be untouched before (RATE).
        public var budget = false
        /// The number of frames that the server must keep for replay (SYNC-7).
        public var replay = 0
        /// The number of waits for each time announced by the subject, by its name in `limits`.
        public var patience: [String: Int] = [:]

        /// Only one principal.
        public init() {}
    }

    /// The required behavior of the server's agent.
    public enum Agent: String, Sendable, CaseIterable {
        /// Any answer; an agent that follows scripts gets a script.
        case any
        /// It must follow the script.
        case scripted
    }

    /// Whether it declares a device gone for good, so that no later scenario can use it.
    package var endsDevice: Bool { steps.contains(where: \.endsDevice) }

    /// Whether it leaves large questions that fill the first page of a later sync from the start (SYNC-7).
    package var fillsStream: Bool { steps.contains(where: \.asksLongQuestion) }

    package var sendsVerbatim: Bool { steps.contains(where: \.sendsVerbatim) }
}
