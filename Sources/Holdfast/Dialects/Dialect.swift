import HoldfastJSON

/// How a system older than the specification expresses the same protocol: names and places, in both directions.
///
/// A dialect is data (`Spec/dialects/NAME.json`). It cannot weaken a clause: anything its wire lacks is also absent in
/// canonical form, and violates the clause.
public struct Dialect: Sendable, Equatable {
    /// The name in subject files and for `--dialect`.
    public let name: String
    /// One sentence about the system it describes.
    public let summary: String
    /// The source file, which transcripts include so that a verdict can be recomputed anywhere; nil for the canonical
    /// one.
    public let source: JSONValue?
    /// The profiles that such a system can declare.
    public let profiles: Set<Profile>
    /// The path of the upgrade request; nil to take it from the address.
    public let socketPath: String?
    /// How a WebSocket carries the credential.
    public let credential: CredentialLocation
    /// How a connection starts.
    public let greeting: Greeting
    /// The clauses that no server with this wire can satisfy, and why.
    ///
    /// They are judged anyway.
    public let unkeepable: [ClauseID: [Limitation]]
    /// The start of a remark on such a clause.
    package static let unkeepableRemark = "it cannot be kept in the dialect "
    /// The unit within which turns run one at a time, for a wire whose frames do not name their turn; nil otherwise.
    public let turns: Series?
    let typeLocation: JSONPointer
    let frameRules: FrameRules
    let restRules: RESTRules

    /// The reason why a wire cannot satisfy a clause.
    public struct Limitation: Sendable, Equatable {
        /// A description.
        public let reason: String
        /// The types of server frames that show it.
        ///
        /// If there are any, a finding that cites none of them is not excused.
        public let frames: Set<String>
        /// The missing members; if there are any, a finding about another member is not excused.
        package let members: Set<String>

        init(_ reason: String, frames: Set<String> = [], members: Set<String> = []) {
            (self.reason, self.frames, self.members) = (reason, frames, members)
        }
    }

    /// How a credential is sent when a WebSocket opens; REST always uses a bearer header.
    public enum CredentialLocation: Sendable, Equatable {
        /// In the `auth` frame.
        case frame
        /// In a query parameter of the upgrade request.
        case query(String)
        /// In a header field of the upgrade request, after a prefix such as `Bearer `.
        case header(String, prefix: String)
        /// Nowhere.
        case none
    }

    package var upgradeCarriesKey: Bool {
        switch credential {
        case .query, .header: true
        case .frame, .none: false
        }
    }

    /// The unit within which questions run one at a time.
    public enum Series: String, Sendable {
        case session = "serial by session"
        case connection = "serial by connection"
    }

    /// How a connection starts.
    public enum Greeting: Sendable, Equatable {
        /// The client sends first, as in the specification.
        case client
        /// The server requests the credential with this wire frame; the rest is as in the specification.
        case challenge(JSONValue)
        /// No handshake: the accepted upgrade stands for `auth` and for this canonical `connected`.
        case nobody(assumed: JSONValue)
    }

    /// The specification's own form: translation changes nothing.
    public static let canonical = Dialect(
        name: "canonical", summary: "The form of the specification itself.", source: nil,
        profiles: Profile.all(of: .server).union(Profile.all(of: .client)), socketPath: nil, credential: .frame,
        greeting: .client, unkeepable: [:], turns: nil, typeLocation: Self.defaultTypeLocation,
        frameRules: FrameRules([]),
        restRules: RESTRules())

    static let defaultTypeLocation = JSONPointer(tokens: ["type"])

    func wireType(of frame: JSONValue) -> String? { frame[typeLocation]?.stringValue }

    /// Whether its wire has acks, which identify questions by their keys.
    package var hasAcks: Bool { isCanonical || !frameRules.expressing("ack", sentBy: .server).isEmpty }

    /// Whether this is the specification's own form.
    public var isCanonical: Bool { source == nil }

    /// The canonical frame implied by an accepted upgrade; nil if the server sends `connected` itself.
    public var assumedGreeting: JSONValue? { if case .nobody(let frame) = greeting { frame } else { nil } }

    /// The reason why a wire without a handshake allows no variation of it.
    package var noHandshakeReason: String { "the dialect \(name) has no handshake" }

    /// The wire frame by which the server requests the credential; nil if it does not.
    public var challenge: JSONValue? { if case .challenge(let frame) = greeting { frame } else { nil } }
}
