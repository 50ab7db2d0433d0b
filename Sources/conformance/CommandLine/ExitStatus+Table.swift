import Report

extension ExitStatus {
    /// Every code with its meaning, for help.
    static var table: String {
        "Exit codes: " + allCases.map { "\($0.rawValue) \($0.meaning)" }.joined(separator: " · ")
    }
}
