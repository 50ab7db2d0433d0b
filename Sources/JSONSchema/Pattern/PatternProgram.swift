/// The steps of an expression, for threads that all advance together.
package struct PatternProgram: Sendable {
    package enum Step: Sendable {
        case take(PatternSet)
        /// Continues at two places.
        case split(Int, Int)
        case jump(Int)
        case start
        case end
        case match
    }

    package private(set) var steps: [Step] = []
    /// Whether a match can only start at the start of the text.
    let isAnchored: Bool

    /// Counted repetitions are unrolled, so this bounds the cost of an expression.
    private static let maxSteps = 20_000

    init(_ tree: PatternNode) throws(PatternProblem) {
        isAnchored = tree.startsAtStart
        try add(tree)
        steps.append(.match)
    }

    private mutating func add(_ node: PatternNode) throws(PatternProblem) {
        guard steps.count < Self.maxSteps else {
            throw PatternProblem("its repetitions need more than \(Self.maxSteps) steps")
        }
        switch node {
        case .empty: break
        case .set(let set): steps.append(.take(set))
        case .start: steps.append(.start)
        case .end: steps.append(.end)
        case .sequence(let parts):
            for part in parts { try add(part) }
        case .alternatives(let branches): try add(branches)
        case .repetition(let part, let min, let max): try add(part, min: min, max: max)
        }
    }

    private mutating func add(_ branches: [PatternNode]) throws(PatternProblem) {
        var exits: [Int] = []
        for (index, branch) in branches.enumerated() {
            guard index < branches.count - 1 else {
                try add(branch)
                continue
            }
            let fork = steps.count
            steps.append(.match)
            try add(branch)
            exits.append(steps.count)
            steps.append(.match)
            steps[fork] = .split(fork + 1, steps.count)
        }
        for exit in exits {
            steps[exit] = .jump(steps.count)
        }
    }

    private mutating func add(_ part: PatternNode, min: Int, max: Int?) throws(PatternProblem) {
        // Repeating a part that consumes nothing changes nothing.
        let isEmpty = part.takesNothing
        for _ in 0..<(isEmpty ? Swift.min(min, 1) : min) {
            try add(part)
        }
        guard let max else {
            let fork = steps.count
            steps.append(.match)
            try add(part)
            steps.append(.jump(fork))
            steps[fork] = .split(fork + 1, steps.count)
            return
        }
        var forks: [Int] = []
        for _ in 0..<(isEmpty ? Swift.min(max - min, 1) : max - min) {
            forks.append(steps.count)
            steps.append(.match)
            try add(part)
        }
        for fork in forks {
            steps[fork] = .split(fork + 1, steps.count)
        }
    }
}

extension PatternNode {
    /// Whether every match starts at the start of the text.
    var startsAtStart: Bool {
        switch self {
        case .start: true
        case .sequence(let parts): parts.first?.startsAtStart ?? false
        case .alternatives(let branches): branches.allSatisfy(\.startsAtStart)
        default: false
        }
    }

    /// Whether it never consumes a scalar.
    var takesNothing: Bool {
        switch self {
        case .empty, .start, .end: true
        case .sequence(let parts), .alternatives(let parts): parts.allSatisfy(\.takesNothing)
        case .repetition(let part, _, let max): max == 0 || part.takesNothing
        case .set: false
        }
    }
}
