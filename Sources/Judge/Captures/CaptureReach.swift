import Holdfast
import Transcript

/// What a history has to hold so that a clause can be judged from it.
///
/// A stage sees and does all of it. A capture lacks some of it for good, so a clause that needs it is not judged there:
/// neither broken nor kept.
public enum CaptureNeed: Sendable, Hashable, CaseIterable {
    /// Something only the suite does: kills, stops, full disks, broken or fragmented frames, agents that fail on purpose.
    case stage
    /// Certainty that nobody else used the server meanwhile.
    case solitude
    /// What the client's program shows and was told to do.
    case program
    /// What the push service saw.
    case pushService
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
    case requestBodies

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

extension CaptureNeed {
    /// The remark of a verdict that was not reached.
    var remark: String { "not from this capture: \(reason)" }

    /// What a clause needs beyond the words of single frames and bodies.
    public static func needs(of clause: ClauseID) -> [CaptureNeed] {
        table[clause] ?? defaults(of: clause.area)
    }

    /// The first thing that a clause needs and a capture lacks; nil when it can be judged.
    public static func lacking(for clause: ClauseID, in capture: History.Capture) -> CaptureNeed? {
        needs(of: clause).first { !$0.isMet(by: capture) }
    }

    private func isMet(by capture: History.Capture) -> Bool {
        switch self {
        // Two tokens may be one person's, and a connection whose opening nobody saw may be anybody's.
        case .stage, .solitude, .program, .pushService, .principals: false
        case .delays: capture.lacks.isDisjoint(with: [.times, .network, .frames])
        case .frames: !capture.lacks.contains(.frames)
        case .credentials: !capture.lacks.contains(.credentials)
        case .headers: !capture.lacks.contains(.headers)
        case .requestBodies: !capture.lacks.contains(.requestBodies)
        }
    }

    /// A clause that nobody has thought about is judged from no capture.
    private static func defaults(of area: Area) -> [CaptureNeed] {
        switch area {
        case .CLIENT: [.program]
        case .PUSH: [.pushService]
        default: [.stage]
        }
    }

    private static let table: [ClauseID: [CaptureNeed]] = {
        var table: [ClauseID: [CaptureNeed]] = [:]
        func put(_ area: Area, _ numbers: [Int], _ needs: CaptureNeed...) {
            for number in numbers { table[ClauseID(area, number)] = needs }
        }
        put(.ENV, [1, 2, 11, 12, 13, 17, 19, 21])
        put(.ENV, [3, 4, 5, 6, 7, 8, 9, 14, 15, 24], .frames)
        put(.ENV, [10, 18], .stage)
        put(.ENV, [16], .delays)
        put(.ENV, [22, 23], .program)
        put(.ID, [1, 2, 7, 10])
        put(.ID, [4, 5, 8, 11, 12, 13, 14], .frames)
        put(.ID, [3, 6, 9], .solitude)
        put(.TURN, [1, 2, 4, 5, 6, 7, 12, 15, 20], .frames)
        put(.TURN, [19])
        put(.TURN, [3, 8, 9, 10, 11, 13, 14], .stage)
        put(.TURN, [16, 18], .solitude)
        put(.ORDER, [1, 2, 3, 4, 11, 12], .frames)
        put(.ORDER, [9, 10])
        put(.ORDER, [5], .solitude)
        put(.ORDER, [6, 7], .stage)
        put(.SYNC, [14])
        put(.SYNC, [1, 2, 3, 5, 7, 8, 10, 11, 12, 13, 17, 18, 19, 23, 24], .frames)
        put(.SYNC, [4, 15, 16, 21], .delays)
        put(.SYNC, [9, 22], .stage)
        put(.SYNC, [20], .principals)
        put(.IDEM, [5])
        put(.IDEM, [1, 2, 3, 4, 6, 7, 9, 14, 16], .frames)
        put(.IDEM, [8, 10, 11], .frames, .requestBodies)
        put(.IDEM, [12], .stage)
        put(.IDEM, [15], .principals)
        put(.PERSIST, [1, 3, 4, 5, 6, 7, 8], .stage)
        put(.PERSIST, [2, 9, 10], .frames)
        put(.PERSIST, [12], .frames, .requestBodies)
        put(.REST, [1, 3, 6, 13, 14])
        put(.REST, [2], .headers)
        put(.REST, [4], .frames)
        put(.REST, [5, 7, 8], .solitude)
        put(.REST, [9, 11], .requestBodies)
        put(.REST, [10], .stage)
        put(.REST, [12], .delays)
        put(.RATE, [1], .delays)
        put(.RATE, [2, 4])
        put(.RATE, [3, 7, 9, 10], .solitude)
        put(.RATE, [5], .headers, .delays)
        put(.RATE, [6], .frames)
        put(.RATE, [8], .stage)
        put(.AUTH, [1, 4], .delays)
        put(.AUTH, [2, 5, 16], .frames)
        put(.AUTH, [3, 6, 10, 11], .credentials)
        put(.AUTH, [7, 8, 9], .principals)
        put(.AUTH, [13, 14], .frames)
        put(.AUTH, [15])
        put(.LIVE, [1, 3, 4, 5], .delays)
        put(.LIVE, [2, 8, 10], .frames)
        put(.LIVE, [9])
        put(.LIVE, [6, 7], .stage)
        put(.LIVE, [11], .credentials)
        put(.LIVE, [13], .frames)
        return table
    }()
}
