import Holdfast
import HoldfastJSON

/// Everything observed while one scenario was performed, in the order of time.
public struct History: Sendable {
    /// What was observed, and under which declaration.
    public let header: Header
    /// The events in the order in which they were observed.
    public let events: [Event]
    /// The message that each event brought, aligned with `events`; nil for events that brought none.
    public let frames: [Frame?]

    /// The members of bodies that the wire did not say and the rule of a dialect made, by event.
    package let made: [Int: [JSONPointer]]

    /// A history of events; each text message is parsed once.
    public init(header: Header, events: [Event]) {
        self.init(header: header, events: events, frames: events.map { Frame($0.kind) })
    }

    /// A history whose frames were made with its events.
    package init(header: Header, events: [Event], frames: consuming [Frame?], made: [Int: [JSONPointer]] = [:]) {
        (self.header, self.made) = (header, made)
        self.events = events
        for index in frames.indices { frames[index]?.event = index }
        self.frames = frames
    }

    /// The first line of a transcript.
    public struct Header: Sendable, Equatable {
        /// The version of the specification the transcript was made for.
        public var specification: String
        /// The scenario, such as `server/SYNC/replay-after-cut`; nil for a capture.
        public var scenario: String?
        /// What the subject declares.
        public var subject: Subject
        /// The bounds the stage waited by.
        public var timeouts: Timeouts
        /// How many times faster than people's time a client was asked to run its timers; 1 unless it is a client's.
        public var timeScale: Double
        /// When the machine was late, in order; bounds pass more slowly then.
        public var lateness: [Lateness]
        /// When recording began, in ISO 8601; nil in golden files.
        public var startedAt: String?
        /// The dialect of every wire text in the events; the transcript carries its source.
        public var dialect: Dialect
        /// What nobody can know of it, because no stage recorded it; nil for what a stage performed.
        public var capture: Capture?

        /// A header for a subject.
        public init(
            specification: String = "1.0", scenario: String? = nil, subject: Subject, timeouts: Timeouts = Timeouts(),
            timeScale: Double = 1, lateness: [Lateness] = [], startedAt: String? = nil, dialect: Dialect = .canonical,
            capture: Capture? = nil
        ) {
            (self.specification, self.scenario, self.subject) = (specification, scenario, subject)
            (self.timeouts, self.timeScale, self.lateness) = (timeouts, timeScale, lateness)
            (self.startedAt, self.dialect, self.capture) = (startedAt, dialect, capture)
        }
    }

    /// The declaration of the subject that a judge needs.
    public struct Subject: Sendable, Equatable {
        /// A name for reports.
        public var name: String
        /// The side that is judged.
        public var role: Role
        /// What it declares to keep.
        public var profiles: Set<Profile>
        /// Whether the agent obeys scripts in the prompt.
        public var hasScriptedAgent: Bool
        /// Limits that it was configured with, by the names of the subject file, such as `authSeconds`.
        public var limits: [String: Int]

        /// A declaration.
        public init(
            name: String, role: Role, profiles: Set<Profile>, hasScriptedAgent: Bool = true, limits: [String: Int] = [:]
        ) {
            (self.name, self.role, self.profiles) = (name, role, profiles)
            (self.hasScriptedAgent, self.limits) = (hasScriptedAgent, limits)
        }
    }
}
