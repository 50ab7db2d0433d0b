import Holdfast
import HoldfastJSON

/// Steps that are performed one after another, possibly beside other branches.
final class Branch<Stage: VirtualStage> {
    /// Steps inside a step; a repetition starts them again.
    struct Level {
        let steps: [Stage.Step]
        var index = 0
        var local: ScenarioVariables
        var rounds: Rounds?
    }

    struct Rounds {
        let times: Int
        var done = 0
        let counter: String?
        let until: String?
    }

    /// The condition that a step waits for: checked after every event, until it holds or the deadline has passed.
    struct Wait {
        var deadline: Int?
        let check: (Stage) throws -> WaitResult
        /// Called when it is too late, or the condition can never hold.
        var onMiss: (Stage) throws -> Void = { _ in }
        private(set) var next: (Stage) throws -> Wait? = { _ in nil }

        init(
            deadline: Int? = nil, check: @escaping (Stage) throws -> WaitResult,
            onMiss: @escaping (Stage) throws -> Void = { _ in }
        ) {
            (self.deadline, self.check, self.onMiss) = (deadline, check, onMiss)
        }

        /// A wait until a moment, with an action to perform then.
        static func until(_ moment: Int, _ action: @escaping (Stage) throws -> Void = { _ in }) -> Self {
            Self(deadline: moment, check: { _ in .notYet }, onMiss: action)
        }

        func then(_ last: @escaping (Stage) throws -> Wait?) -> Wait {
            var first = self
            first.next = { [next] stage in try next(stage)?.then(last) ?? last(stage) }
            return first
        }
    }

    var levels: [Level]
    var wait: Wait?
    var pointer = JSONPointer()
    /// Whether it runs beside others, so that the enclosing steps set the mark.
    var keepsMark = false
    /// Called once: after the last step, or when the branch cannot go on.
    var whenOver: (Stage, (any Error)?) -> Void = { _, _ in }

    init(_ steps: [Stage.Step], local: ScenarioVariables = ScenarioVariables()) {
        levels = [Level(steps: steps, local: local)]
    }

    var local: ScenarioVariables { levels.last?.local ?? ScenarioVariables() }

    func next(_ variables: ScenarioVariables) -> Stage.Step? {
        while var level = levels.last {
            if level.index < level.steps.count {
                let step = level.steps[level.index]
                level.index += 1
                levels[levels.count - 1] = level
                return step
            }
            levels.removeLast()
            guard var rounds = level.rounds else { continue }
            rounds.done += 1
            if let until = rounds.until, variables[until] != nil { continue }
            guard rounds.done < rounds.times else { continue }
            if let counter = rounds.counter { level.local[counter] = .init(rounds.done + 1) }
            levels.append(Level(steps: level.steps, local: level.local, rounds: rounds))
        }
        return nil
    }
}

enum WaitResult {
    case met, notYet, never
    /// Steps inside the step could not go on.
    case ended(any Error)
}
