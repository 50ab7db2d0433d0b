import Holdfast
import HoldfastReport
import HoldfastTransport

/// The reason why a run of the suite tested nothing, and the fix.
public struct SuiteProblem: Error, Sendable, CustomStringConvertible {
    /// The side that must act.
    public enum Kind: Sendable {
        /// The author of the description, which is invalid.
        case input
        /// The operator of the subject: it accepted no connection, or did not start.
        case unreachable
        /// Neither side: the run was canceled before anything was tested.
        case interrupted
        /// The maintainers of the suite: it failed.
        case harness
    }

    /// The side that must act.
    public let kind: Kind
    /// The place, the problem, the expectation and the fix.
    public let description: String

    package init(_ kind: Kind, _ description: String) { (self.kind, self.description) = (kind, description) }

    /// The problem for any error from the modules below.
    package init(_ error: any Error) {
        switch error {
        case let problem as SuiteProblem: self = problem
        case is InputProblem, is InputProblems: self.init(.input, "\(error)")
        case is CancellationError: self.init(.interrupted, "the run was canceled; nothing was tested")
        default: self.init(.harness, "suite failure: \(error)")
        }
    }

    package init(listeningAt option: String, _ problem: TransportProblem) {
        guard case .cannotListen(let failure) = problem.code else {
            self.init(.input, problem.description)
            return
        }
        let what = "cannot listen on \(problem.address): \(failure.reason)"
        self.init(InputProblem(option, what, expected: problem.words.expected, fix: failure.fix))
    }

    package var exit: ExitStatus {
        switch kind {
        case .input: .usage
        case .unreachable: .unreachable
        case .interrupted: .incomplete
        case .harness: .harness
        }
    }
}
