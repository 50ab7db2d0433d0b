import Holdfast

extension InputProblem {
    /// Place, fault and remedy in one line, with the pointer in place of line and column: many files here are one line.
    var brief: String {
        let pointer = place.replacing(#/:\d+:\d+ (?=/)/#, with: " ")
        return "\(pointer): \(what) → \(fix)"
    }
}
