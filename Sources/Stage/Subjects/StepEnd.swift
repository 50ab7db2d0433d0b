/// Why the remaining steps of a scenario are not performed.
enum StepEnd: Error {
    /// The subject did not do what the rest depends on.
    case unmet(String)
    /// The suite itself failed.
    case harness(HarnessProblem)
    /// The dialect has no way to say what a step spells out, so the step alone is left out.
    case inexpressible(String)
    /// The scenario cannot be performed against this subject.
    case unsuitable(String)
    /// The run was ended from outside.
    case interrupted
}
