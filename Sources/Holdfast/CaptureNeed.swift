/// What a history has to hold so that a clause can be judged from it; the line `Capture:` of a clause names them.
///
/// A stage sees and does all of it. A capture lacks some of it for good, so a clause that needs it is not judged there:
/// neither broken nor kept.
public enum CaptureNeed: String, Sendable, Hashable, CaseIterable {
    /// Something only the suite does: kills, stops, full disks, broken or fragmented frames, agents that fail on purpose.
    case stage
    /// Certainty that nobody else used the server meanwhile.
    case solitude
    /// What the client's program shows and was told to do.
    case program
    /// What the push service saw.
    case pushService = "push service"
    /// When things happened, by a clock beside the server.
    case delays
    /// That no frame is lost between two that stand side by side.
    case frames
    /// Who is who.
    case principals
    /// Which tokens are good.
    case credentials
    /// The header fields of HTTP responses.
    case headers
    /// The bodies of HTTP requests.
    case requestBodies = "request bodies"

    /// Why a capture that lacks it cannot be judged by such a clause.
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
