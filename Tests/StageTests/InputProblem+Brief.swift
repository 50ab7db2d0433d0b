import Holdfast

extension InputProblem {
    /// Place, fault and remedy in one line, with the pointer instead of line and column: many files here are one line.
    var brief: String {
        let pointer = location.replacing(#/:\d+:\d+ (?=/)/#, with: " ")
        return "\(pointer): \(what) → \(fix)"
    }
}
