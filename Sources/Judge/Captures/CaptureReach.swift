import Holdfast
import Transcript

extension History.Capture {
    /// The first thing that a clause needs and this capture lacks; nil when the clause can be judged from it.
    public func lacking(for clause: Clause) -> CaptureNeed? {
        (clause.captureNeeds ?? [.stage]).first { !meets($0) }
    }

    private func meets(_ need: CaptureNeed) -> Bool {
        switch need {
        // Two tokens may be one person's, and a connection whose opening nobody saw may be anybody's.
        case .stage, .solitude, .program, .pushService, .principals: false
        case .delays: hasDelays
        case .frames: !lacks.contains(.frames)
        case .credentials: !lacks.contains(.credentials)
        case .headers: !lacks.contains(.headers)
        case .requestBodies: !lacks.contains(.requestBodies)
        }
    }

    /// Whether the time between two events tells how long the server took.
    var hasDelays: Bool { lacks.isDisjoint(with: [.times, .network, .frames]) }
}
