import Holdfast
import HoldfastJSON

/// Everything observed during one scenario, in time order.
public struct History: Sendable {
    /// The circumstances of the recording, and the subject's declaration.
    public let header: Header
    /// The events in the order of observation.
    public let events: [Event]
    /// The message of each event, aligned with `events`; nil for other events.
    public let frames: [Frame?]

    /// The members of bodies that a dialect's rule generated, by event.
    package let generated: [Int: [JSONPointer]]

    /// Parses each text message once.
    public init(header: Header, events: [Event]) {
        self.init(header: header, events: events, frames: events.map { Frame($0.kind) })
    }

    package init(header: Header, events: [Event], frames: consuming [Frame?], generated: [Int: [JSONPointer]] = [:]) {
        (self.header, self.generated) = (header, generated)
        self.events = events
        for index in frames.indices { frames[index]?.event = index }
        self.frames = frames
    }

    /// The first line of a transcript.
    public struct Header: Sendable, Equatable {
        /// The version of the specification.
        public var specification: String
        /// The scenario, such as `server/SYNC/replay-after-cut`; nil for a capture.
        public var scenario: String?
        /// The subject's declaration.
        public var subject: Subject
        /// The timeouts of the stage.
        public var timeouts: Timeouts
        /// The factor by which a client was asked to speed up its timers; 1 for servers.
        public var timeScale: Double
        /// The periods in which the machine was late, in order; timeouts are extended accordingly.
        public var lateness: [Lateness]
        /// The periods in which a driver took long to report its app's screen, in order.
        public var slowAnswers: [SlowAnswer] = []
        /// When recording began, in ISO 8601; nil in golden files.
        public var startedAt: String?
        /// The dialect of the wire texts; the transcript includes its source.
        public var dialect: Dialect
        /// The gaps of a history that no stage recorded; nil for one from a stage.
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

    /// A slow answer of a driver: its app had the reported screen at some unknown moment between question and answer.
    public struct SlowAnswer: Sendable, Equatable {
        /// When it was asked, in microseconds since recording began.
        public var from: Int
        /// When its answer came.
        public var to: Int

        /// An answer.
        public init(from: Int, to: Int) { (self.from, self.to) = (from, to) }

        /// The judge treats a quicker answer as immediate.
        package static let least = Duration.milliseconds(100)
    }

    /// The part of a subject's declaration that a judge needs.
    public struct Subject: Sendable, Equatable {
        /// The name in reports.
        public var name: String
        /// The judged side.
        public var role: Role
        /// The declared profiles.
        public var profiles: Set<Profile>
        /// Whether the agent follows scripts in the prompt.
        public var hasScriptedAgent: Bool
        /// Configured limits, by their names in the subject file, such as `authSeconds`.
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
