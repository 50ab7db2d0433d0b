/// A pattern as a table: one look per byte, for texts of ASCII.
struct Automaton: BitwiseCopyable {
    /// Where its cells begin: first the class of each ASCII byte, then one row per state.
    let first: Int32
    /// The cells of a row: the next state for each class of bytes, and whether a text may end here.
    let width: Int32
    let initial: UInt16

    static let dead: UInt16 = 0
    static let matched: UInt16 = 1

    /// Whether the pattern matches; nil when a byte beyond ASCII comes before that is settled.
    @inline(__always)
    func matches(_ text: UnsafeBufferPointer<UInt8>, _ cells: UnsafePointer<UInt16>) -> Bool? {
        // Classes and states come out of the table itself, which has a row for every state.
        let classes = cells + Int(first)
        let rows = classes + 128
        let width = Int(width)
        var state = Int(initial)
        for byte in text {
            guard byte < 0x80 else {
                if state <= Int(Self.matched) { break }
                return nil
            }
            // Who has failed or matched stays there: to look for that at every byte would cost more.
            state = Int(rows[state &* width &+ Int(classes[Int(byte)])])
        }
        return rows[state &* width &+ width &- 1] == 1
    }
}

/// Makes automata from patterns, as far as they stay small.
struct AutomatonBuilder {
    private(set) var automata: [Automaton] = []
    private(set) var cells: [UInt16] = []

    private static let maxStates = 1024
    private static let maxSteps = 1024
    /// Steps looked at while one pattern is compiled.
    private static let maxWork = 2_000_000

    /// What threads stand at, and whether nothing has been read yet.
    private struct State: Hashable {
        var steps: [Int]
        var isFirst = false
    }

    /// The position of the automaton, or nil for a pattern that looks around or grows too large.
    mutating func add(_ pattern: Pattern) -> Int32? {
        let program = pattern.program
        guard program.steps.count <= Self.maxSteps, program.canBeFollowed else { return nil }
        let (classes, samples) = Self.classes(program)
        var states = [State(steps: [])]
        var known: [State: UInt16] = [:]
        var rows = [[UInt16](repeating: Automaton.dead, count: samples.count) + [0]]
        rows.append([UInt16](repeating: Automaton.matched, count: samples.count) + [1])
        states.append(State(steps: []))
        var work = 0
        func number(_ state: State, isMatch: Bool) -> UInt16 {
            if isMatch { return Automaton.matched }
            if state.steps.isEmpty { return Automaton.dead }
            if let id = known[state] { return id }
            let id = UInt16(states.count)
            known[state] = id
            states.append(state)
            return id
        }
        let start = program.closure([0], isFirst: true, isEnd: false, &work)
        let initial = number(State(steps: start.steps, isFirst: true), isMatch: start.isMatch)
        var next = 2
        while next < states.count {
            let state = states[next]
            next += 1
            var row: [UInt16] = []
            for sample in samples {
                let (steps, isMatch) = program.closure(after: sample, from: state.steps, &work)
                row.append(number(State(steps: steps), isMatch: isMatch))
            }
            let end = program.closure(state.steps, isFirst: state.isFirst, isEnd: true, &work)
            rows.append(row + [end.isMatch ? 1 : 0])
            guard states.count <= Self.maxStates, work <= Self.maxWork else { return nil }
        }
        automata.append(
            Automaton(first: Int32(cells.count), width: Int32(samples.count + 1), initial: initial))
        cells += classes + rows.joined()
        return Int32(automata.count - 1)
    }

    /// Classes of ASCII bytes no step tells apart, and one byte of each.
    private static func classes(_ program: PatternProgram) -> (classes: [UInt16], samples: [UInt32]) {
        let sets = program.steps.compactMap { step in if case .take(let set) = step { set } else { nil } }
        var samples: [UInt32] = []
        var known: [[Bool]: UInt16] = [:]
        let classes = (0..<128 as Range<UInt32>).map { byte in
            let members = sets.map { $0.contains(byte) }
            if let id = known[members] { return id }
            let id = UInt16(samples.count)
            known[members] = id
            samples.append(byte)
            return id
        }
        return (classes, samples)
    }
}

extension PatternProgram {
    /// Whether a text can be followed scalar by scalar: a pattern that looks around asks what comes before or behind.
    package var canBeFollowed: Bool {
        !isBackward
            && !steps.contains { step in
                switch step {
                case .look, .wordBoundary: true
                default: false
                }
            }
    }

    /// What threads stand at once they have taken a scalar, from the steps that waited for one.
    package func closure(
        after scalar: UInt32, from waiting: [Int], _ work: inout Int
    ) -> (steps: [Int], isMatch: Bool) {
        var seeds = waiting.filter { if case .take(let set) = steps[$0] { set.contains(scalar) } else { false } }
            .map { $0 + 1 }
        if !isAnchored { seeds.append(0) }
        return closure(seeds, isFirst: false, isEnd: false, &work)
    }

    /// The steps that wait for a scalar or for the end, once all that take nothing have been taken.
    package func closure(
        _ seeds: [Int], isFirst: Bool, isEnd: Bool, _ work: inout Int
    ) -> (steps: [Int], isMatch: Bool) {
        var pending = seeds
        var seen = Set<Int>()
        var waiting: [Int] = []
        while let step = pending.popLast() {
            guard seen.insert(step).inserted else { continue }
            work += 1
            switch steps[step] {
            case .match: return ([], true)
            case .take: waiting.append(step)
            case .split(let one, let other): pending += [one, other]
            case .jump(let target): pending.append(target)
            case .start: if isFirst { pending.append(step + 1) }
            case .end: if isEnd { pending.append(step + 1) } else { waiting.append(step) }
            case .wordBoundary, .look: break
            }
        }
        return (waiting.sorted(), false)
    }
}
