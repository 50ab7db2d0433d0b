/// A subject as its team describes it: where it is, what it declares, how to start it.
public struct SubjectFile: Sendable, Equatable {
    /// The name by which reports call the subject; its address when nil.
    public var name: String?
    /// Which build of the subject it is, for reports.
    public var version: String?
    /// One sentence for people.
    public var summary: String?
    /// The WebSocket address; of a server that is started with `{port}` when nil.
    public var url: String?
    /// The base of the REST paths; taken from `url` when nil.
    public var http: String?
    /// The dialect it speaks: `canonical`, the name of one that comes along, or the path of a file beside this one.
    public var dialect: String
    /// The profiles it declares, by whose clauses it is judged; those that its greeting states when nil.
    public var profiles: Set<Profile>?
    /// What its agent does with a prompt.
    public var agent: Agent
    /// The tiers of scenarios to perform; all that apply when nil.
    public var tiers: Set<Int>?
    /// Whose credentials the suite may use.
    public var principals: [Principal]
    /// Headers of every upgrade and request, by name; never written to a transcript.
    public var headers: [String: String]
    /// How the suite starts it; nil when somebody else does.
    public var start: Start?
    /// How it was configured to push.
    public var push: Push?
    /// Limits it was configured with, where they differ from what it announces.
    public var limits: [String: Int]

    /// What an agent does with a prompt.
    public enum Agent: String, Sendable, CaseIterable {
        /// Answers as it likes.
        case plain
        /// Obeys scripts in the prompt.
        case scripted
        /// Asks a model endpoint that the runner serves.
        case model
    }

    /// A person or account of the subject, with the credential that stands for it.
    public struct Principal: Sendable, Equatable {
        /// How scenarios call it, such as `p1`.
        public var name: String
        /// Where its credential comes from.
        public var token: Token

        /// A person with a credential.
        public init(name: String, token: Token) { (self.name, self.token) = (name, token) }
    }

    /// Where a credential comes from; it is never written to a transcript.
    public enum Token: Sendable, Equatable {
        /// It stands in the file.
        case given(String)
        /// The first line of another file.
        case file(String)
        /// A variable of the environment.
        case variable(String)
        /// What a program prints, which is asked again when that expires.
        case command([String])
    }

    /// How a subject was configured to push.
    public struct Push: Sendable, Equatable {
        /// The app its pushes are for; any will do when nil.
        public var topic: String?
        /// Device tokens by the principals' names; never written to a transcript.
        public var devices: [String: String]
    }

    /// How a subject is started.
    public struct Start: Sendable, Equatable {
        /// The program and its arguments.
        public var command: [String]
        /// Where it is started; where the file lies when nil.
        public var directory: String?
        /// The folder where it stores sessions.
        public var data: String?
        /// Variables added to the environment.
        public var environment: [String: String]
        /// A piece of its output that says it takes connections.
        public var ready: String?
    }
}
