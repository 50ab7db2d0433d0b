import Holdfast

/// What is wrong with an input, in its order; nothing when it is read.
public func inputProblems<Value>(of input: @autoclosure () throws(InputProblems) -> Value) -> [InputProblem] {
    do {
        _ = try input()
        return []
    } catch {
        return error.problems
    }
}
