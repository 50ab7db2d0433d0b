/// A description of a subject by its team: its address, its declaration, and how to start it.
public struct SubjectFile: Sendable, Equatable {
    /// The subject's name in reports; if nil, reports use its address.
    public var name: String?
    /// The subject's build, which reports show beside the name.
    public var version: String?
    /// The WebSocket address; nil for a server that is started with `{port}`.
    public var url: String?
    /// The base URL of the REST paths; nil to derive it from `url`.
    public var http: String?
    /// Its dialect: `canonical`, the name of a built-in one, or a path relative to the subject file.
    public var dialect: String
    /// The declared profiles, which select the clauses; nil to use those in its greeting.
    public var profiles: Set<Profile>?
    /// The behavior of its agent.
    public var agent: Agent
    /// The tiers of scenarios to perform; nil for all that apply.
    public var tiers: Set<Int>?
    /// The accounts that the suite may use.
    public var principals: [Principal]
    /// Headers for every upgrade and request, by name; never written to a transcript.
    public var headers: [String: String]
    /// How the suite starts it; nil if it is already running.
    public var start: Start?
    /// How its pushes are configured.
    public var push: Push?
    /// Configured limits that differ from the announced ones.
    public var limits: [String: Int]

    package var fullName: String? { name.map { [$0, version].compactMap(\.self).joined(separator: " ") } }

    /// How an agent responds to a prompt.
    public enum Agent: String, Sendable, CaseIterable {
        /// With any answer.
        case plain
        /// By following scripts in the prompt.
        case scripted
        /// By calling a model endpoint that the runner provides.
        case model
    }

    /// A user or account of the subject, with its credential.
    public struct Principal: Sendable, Equatable {
        /// The name in scenarios, such as `p1`.
        public var name: String
        /// The source of its credential.
        public var token: Token

        /// Creates a principal.
        public init(name: String, token: Token) { (self.name, self.token) = (name, token) }
    }

    /// The source of a credential, which is never written to a transcript.
    public enum Token: Sendable, Equatable {
        /// The text in the subject file.
        case given(String)
        /// The first line of another file.
        case file(String)
        /// An environment variable.
        case variable(String)
        /// The output of a program, which is run again when the credential expires.
        case command([String])
    }

    /// How a subject's pushes are configured.
    public struct Push: Sendable, Equatable {
        /// The app that pushes are addressed to; nil for any.
        public var topic: String?
        /// Device tokens by principal; never written to a transcript.
        public var devices: [String: String]
    }

    /// How to start a subject.
    public struct Start: Sendable, Equatable {
        /// The program and its arguments.
        public var command: [String]
        /// The working directory; nil for the folder of the file.
        public var directory: String?
        /// The folder with its stored sessions.
        public var data: String?
        /// Additional environment variables.
        public var environment: [String: String]
        /// Text in its output that shows it is ready.
        public var ready: String?
    }
}
