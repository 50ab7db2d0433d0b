/// A pattern as a table: one lookup per byte, for ASCII texts.
struct Automaton: BitwiseCopyable {
    /// The index of its cells: first the class of each ASCII byte, then one row per state.
    let first: Int32
    /// The number of cells in a row: the next state for each byte class, and whether the text may end here.
    let width: Int32
    let initial: UInt16

    static let dead: UInt16 = 0
    static let matched: UInt16 = 1

    /// Whether the pattern matches; nil if a byte beyond ASCII occurs before that is decided.
    @inline(__always)
    func matches(_ text: UnsafeBufferPointer<UInt8>, _ cells: UnsafePointer<UInt16>) -> Bool? {
        // The table has a row for every state and a class for every byte, so all indices are valid.
        let classes = cells + Int(first)
        let rows = classes + 128
        let width = Int(width)
        var state = Int(initial)
        for byte in text {
            guard byte < 0x80 else {
                if state <= Int(Self.matched) { break }
                return nil
            }
            // Final states loop to themselves: checking for them at every byte would cost more.
            state = Int(rows[state &* width &+ Int(classes[Int(byte)])])
        }
        return rows[state &* width &+ width &- 1] == 1
    }
}

/// Builds automata for patterns, as long as they stay small.
struct AutomatonBuilder {
    private(set) var automata: [Automaton] = []
    private(set) var cells: [UInt16] = []

    private static let maxStates = 1024
    private static let maxSteps = 1024
    /// The maximum number of steps to examine while compiling one pattern.
    private static let maxWork = 2_000_000

    /// The index of the automaton; nil if it grows too large.
    mutating func add(_ pattern: Pattern) -> Int32? {
        let program = pattern.program
        guard program.steps.count <= Self.maxSteps else { return nil }
        let (classes, samples) = Self.classes(program)
        var machine = WordMachine(pattern, samples)
        // The machine's states are numbered after the two final ones.
        func number(_ state: Int) -> UInt16 {
            machine.verdict(state).map { $0 ? Automaton.matched : Automaton.dead } ?? UInt16(state + 2)
        }
        var rows = [Automaton.dead, Automaton.matched].map { [UInt16](repeating: $0, count: samples.count) + [$0] }
        var state = 0
        while state < machine.count {
            let row = samples.indices.map { number(machine.next(state, $0)) }
            rows.append(row + [machine.accepts(state) ? 1 : 0])
            state += 1
            guard machine.count <= Self.maxStates, machine.work <= Self.maxWork else { return nil }
        }
        automata.append(
            Automaton(first: Int32(cells.count), width: Int32(samples.count + 1), initial: number(0)))
        cells += classes + rows.joined()
        return Int32(automata.count - 1)
    }

    /// Groups the ASCII bytes that no step distinguishes; returns the classes and one byte of each.
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
    /// The steps at which threads wait after consuming a scalar, given those at which they waited for it.
    func closure(
        after scalar: UInt32, from waiting: [Int], _ work: inout Int
    ) -> (steps: [Int], isMatch: Bool) {
        var seeds = waiting.filter { if case .take(let set) = steps[$0] { set.contains(scalar) } else { false } }
            .map { $0 + 1 }
        if !isAnchored { seeds.append(0) }
        return closure(seeds, isFirst: false, isEnd: false, &work)
    }

    /// The steps that wait for a scalar or the end, after all steps that consume nothing.
    func closure(
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
            }
        }
        return (waiting.sorted(), false)
    }
}
