/// Information that a clause's verdict requires, as named by the clause's line `Capture:`.
///
/// A stage provides all of it. A clause is not judged from a capture that lacks some.
public enum CaptureNeed: String, Sendable, Hashable, CaseIterable {
    /// Acts that only the suite performs: kills, stops, full disks, broken or fragmented frames, failing agents.
    case stage
    /// Certainty that no one else used the server meanwhile.
    case solitude
    /// The client's screen, and the commands it got.
    case program
    /// The traffic of the push service.
    case pushService = "push service"
    /// Times, measured next to the server.
    case delays
    /// Every frame between the first and the last one.
    case frames
    /// The principal of each connection and request.
    case principals
    /// Which tokens are valid.
    case credentials
    /// The header fields of HTTP responses.
    case headers
    /// The bodies of HTTP requests.
    case requestBodies = "request bodies"

    /// The reason why a capture that lacks it cannot decide a clause that needs it.
    public var reason: String {
        switch self {
        case .stage: "only the suite can cause it: kills, full disks, broken frames, failing agents"
        case .solitude: "it does not show what other devices did"
        case .program: "it does not show what the client displays: conformance client drives it"
        case .pushService: "it does not contain the push requests"
        case .delays: "it was not recorded next to the server"
        case .frames: "frames may be missing"
        case .principals: "it does not show who the principals are"
        case .credentials: "it does not show which tokens are valid"
        case .headers: "it has no response headers"
        case .requestBodies: "it has no request bodies"
        }
    }
}
