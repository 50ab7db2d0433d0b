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
        case .stage: "only the suite makes it happen: kills, stops, full disks, broken frames, agents that fail"
        case .solitude: "nobody knows what other devices did meanwhile"
        case .program: "what a client shows is not on the wire"
        case .pushService: "what the push service saw is not in it"
        case .delays: "it has no clock beside the server"
        case .frames: "frames may be missing between others"
        case .principals: "nobody knows who is who"
        case .credentials: "nobody knows which tokens are good"
        case .headers: "it has no header fields of responses"
        case .requestBodies: "it has no bodies of requests"
        }
    }
}
