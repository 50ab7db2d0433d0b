package enum ExitStatus: Int32, Sendable, CaseIterable {
    case conforms = 0
    /// A clause is violated.
    case violation = 1
    /// A declared clause is untested or inconclusive.
    case incomplete = 2
    /// An expected violation passes, or its entry matches nothing.
    case staleBaseline = 3
    /// The command line is wrong.
    case usage = 64
    /// The subject cannot be reached.
    case unreachable = 69
    /// The suite itself failed, so the run says nothing about the subject.
    case harness = 70

    package var meaning: String {
        switch self {
        case .conforms: "conforms"
        case .violation: "violation"
        case .incomplete: "incomplete"
        case .staleBaseline: "the baseline is stale"
        case .usage: "usage"
        case .unreachable: "subject unreachable"
        case .harness: "suite failure"
        }
    }
}
