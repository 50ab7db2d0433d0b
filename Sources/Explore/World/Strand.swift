import Holdfast

/// Steps that are performed one after the other, beside others that are performed at the same time.
final class Strand<Stage: Theater> {
    /// Steps inside a step; a repetition begins them again.
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

    /// What a step waits for: asked after everything that happens, until it is there or too late.
    struct Wait {
        var deadline: Int?
        /// Whether it is there.
        let look: (Stage) throws(StrandEnd) -> Sight
        /// It is too late, or will never come.
        var isLate: (Stage) throws(StrandEnd) -> Void = { _ in }
    }

    var levels: [Level]
    var wait: Wait?
    /// Whether others run beside it, and those around them say what is new.
    var keepsMark = false
    /// Told once, when the last step is performed or none can be any more.
    var whenOver: (Stage, StrandEnd?) -> Void = { _, _ in }

    init(_ steps: [Stage.Step], local: ScenarioVariables = ScenarioVariables()) {
        levels = [Level(steps: steps, local: local)]
    }

    var local: ScenarioVariables { levels.last?.local ?? ScenarioVariables() }

    /// The next step; nil when there is none.
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

/// What a look at the world shows.
enum Sight { case there, notYet, never }

extension Strand.Wait {
    /// This wait, and after it another one.
    func then(_ next: @escaping (Stage) throws(StrandEnd) -> Strand<Stage>.Wait?) -> Strand<Stage>.Wait {
        var current = self
        var isSecond = false
        return Strand<Stage>.Wait { world throws(StrandEnd) in
            switch try current.look(world) {
            case .there: break
            case .notYet where current.deadline.map { world.now < $0 } ?? true: return .notYet
            case .notYet, .never: try current.isLate(world)
            }
            guard !isSecond, let following = try next(world) else { return .there }
            isSecond = true
            current = following
            if let deadline = following.deadline { world.at(deadline) { _ in } }
            return .notYet
        }
    }
}

/// Why the remaining steps are not performed.
enum StrandEnd: Error {
    /// The server did not do what the rest depends on.
    case unmet(String)
    /// The simulation or the scenario itself failed.
    case problem(String)
    /// There is no simulation of a step.
    case unsuitable(String)
}
