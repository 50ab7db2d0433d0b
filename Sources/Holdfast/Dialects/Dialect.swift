import HoldfastJSON

/// How a system that predates the specification says the same things: names and places, in both directions.
///
/// A dialect is data (`Spec/dialects/NAME.json`). It cannot weaken a clause: what its wire does not say is not there in the
/// canonical form either, and the clause then says so.
public struct Dialect: Sendable, Equatable {
    /// How subject files and `--dialect` call it.
    public let name: String
    /// Whose wire it describes, in one sentence.
    public let summary: String
    /// The file as read, which travels in transcripts so that a verdict can be recomputed anywhere; nil for the canonical one.
    public let source: JSONValue?
    /// What a system that speaks it can declare.
    public let profiles: Set<Profile>
    /// The path of the upgrade request; nil where the address says it.
    public let socketPath: String?
    /// How the key travels on a WebSocket.
    public let credential: CredentialLocation
    /// Who speaks first, and what an opened socket means.
    public let greeting: Greeting
    /// Clauses that no server can keep that speaks so, and why: the wire has no place for what they ask.
    ///
    /// They are judged all the same.
    public let unkeepable: [ClauseID: [Lack]]
    /// How a remark begins on a clause that no server of a wire can keep.
    package static let unkeepableRemark = "no server can keep it that speaks the dialect "
    /// By what its turns follow one another where no name tells whose a frame is; nil where names do.
    public let turns: Series?
    /// Where a wire frame says its type.
    let typeLocation: JSONPointer
    let frameRules: FrameRules
    let restRules: RESTRules

    /// What a wire lacks for a clause.
    public struct Lack: Sendable, Equatable {
        /// What that is, in words.
        public let reason: String
        /// The canonical types of the server's frames that show it.
        ///
        /// A finding that cites none of these is not excused. Where there are none, every finding is.
        public let frames: Set<String>
        /// The members that are lacking; with any, a finding about another one is not excused.
        package let members: Set<String>
    }

    /// How a key travels when a WebSocket is opened; over REST it is always a bearer header.
    public enum CredentialLocation: Sendable, Equatable {
        /// In the `auth` frame.
        case frame
        /// In a parameter of the query of the upgrade request.
        case query(String)
        /// In a header field of the upgrade request, after a prefix such as `Bearer `.
        case header(String, prefix: String)
        /// Nowhere.
        case none
    }

    /// Whether the key travels in the upgrade and not in a frame.
    package var upgradeCarriesKey: Bool {
        switch credential {
        case .query, .header: true
        case .frame, .none: false
        }
    }

    /// What runs one question after another.
    public enum Series: String, Sendable {
        case session = "serial by session"
        case connection = "serial by connection"
    }

    /// What is said before the first question.
    public enum Greeting: Sendable, Equatable {
        /// The client speaks first, as in the specification.
        case client
        /// The server asks for the credentials with this wire frame; then as in the specification.
        case challenge(JSONValue)
        /// Nobody speaks: the accepted upgrade stands for `auth` and for this canonical `connected`.
        case nobody(assumed: JSONValue)
    }

    /// The specification's own form: everything stays as it is.
    public static let canonical = Dialect(
        name: "canonical", summary: "The form of the specification itself.", source: nil,
        profiles: Profile.all(of: .server).union(Profile.all(of: .client)), socketPath: nil, credential: .frame,
        greeting: .client, unkeepable: [:], turns: nil, typeLocation: Self.usualTypeLocation,
        frameRules: FrameRules([]),
        restRules: RESTRules())

    static let usualTypeLocation = JSONPointer(tokens: ["type"])

    /// The type of a wire frame; nil for what has none.
    func wireType(of frame: JSONValue) -> String? { frame[typeLocation]?.stringValue }

    /// Whether its wire has acks, which name questions by their keys.
    package var hasAcks: Bool { isCanonical || !frameRules.saying("ack", sentBy: .server).isEmpty }

    /// Whether this is the specification's own form.
    public var isCanonical: Bool { source == nil }

    /// The canonical frame that an accepted upgrade stands for; nil where the server says `connected` itself.
    public var assumedGreeting: JSONValue? {
        if case .nobody(let frame) = greeting { frame } else { nil }
    }

    /// Why no handshake can be varied where an accepted upgrade is all of it.
    package var handshakeLacking: String { "the dialect \(name) has no handshake to leave out" }

    /// The wire frame by which the server asks for credentials as soon as a socket is open; nil where it does not.
    public var challenge: JSONValue? {
        if case .challenge(let frame) = greeting { frame } else { nil }
    }
}
