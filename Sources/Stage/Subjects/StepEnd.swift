/// The reason why the remaining steps of a scenario are not performed.
package enum StepEnd: Error {
    /// The subject did not do what later steps depend on.
    case unmet(String)
    case harness(HarnessProblem)
    /// The dialect cannot express a step, so only that step is omitted.
    case inexpressible(String)
    /// The scenario cannot be performed against this subject.
    case unsuitable(String)
    /// The setup lacks something that the scenario needs.
    case outOfReach(String)
    case interrupted
}

/// Performs all branches of a step to their ends, even if one of them cannot go on.
/// - Throws: The end of the first branch that failed.
func performTogether<Branch: Sendable>(
    _ branches: [Branch], _ perform: @escaping @Sendable (Branch) async throws -> Void
) async throws {
    let ends = await withTaskGroup(of: (Int, (any Error)?).self) { group in
        for (index, branch) in branches.enumerated() {
            group.addTask {
                do {
                    try await perform(branch)
                    return (index, nil)
                } catch {
                    return (index, error)
                }
            }
        }
        var ends: [(Int, any Error)] = []
        for await (index, end) in group {
            if let end { ends.append((index, end)) }
        }
        return ends
    }
    if let first = ends.min(by: { $0.0 < $1.0 }) { throw first.1 }
}

extension Performance {
    mutating func note(_ end: any Error) {
        switch end {
        case StepEnd.unmet(let reason): stoppedAt = reason
        // An interruption while a server starts is not a problem.
        case StepEnd.harness(let problem) where problem.isUnreachable && Task.isCancelled: wasInterrupted = true
        case StepEnd.harness(let problem):
            problems = [problem]
            stoppedAt = problem.location
        case StepEnd.unsuitable(let reason): skipped = reason
        case StepEnd.outOfReach(let reason):
            skipped = reason
            lacks = [reason]
        default: wasInterrupted = true
        }
    }
}
