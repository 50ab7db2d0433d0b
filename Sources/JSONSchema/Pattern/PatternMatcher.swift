struct PatternMatcher {
    private let text: [UInt32]
    /// The remaining work; lookaround multiplies it, and it must stay bounded for any text.
    private var budget = 50_000_000

    init(_ string: String) { text = string.unicodeScalars.map(\.value) }

    /// Whether the program matches anywhere; a text that uses up the budget does not match.
    mutating func finds(_ program: PatternProgram) -> Bool {
        runs(program, from: 0, isSearch: !program.isAnchored) && budget > 0
    }

    private mutating func runs(_ program: PatternProgram, from start: Int, isSearch: Bool) -> Bool {
        var threads = ThreadList(program.steps.count)
        var next = ThreadList(program.steps.count)
        var position = start
        add(0, to: &threads, program, position)
        while true {
            if threads.hasMatch { return true }
            let index = program.isBackward ? position - 1 : position
            guard text.indices.contains(index), budget > 0 else { return false }
            budget -= threads.steps.count + 1
            position += program.isBackward ? -1 : 1
            next.clear()
            for step in threads.steps {
                if case .take(let set) = program.steps[step], set.contains(text[index]) {
                    add(step + 1, to: &next, program, position)
                }
            }
            if isSearch { add(0, to: &next, program, position) }
            swap(&threads, &next)
            if threads.steps.isEmpty, !threads.hasMatch, !isSearch { return false }
        }
    }

    /// Adds a step and all steps reachable without consuming a scalar.
    private mutating func add(_ first: Int, to list: inout ThreadList, _ program: PatternProgram, _ position: Int) {
        list.pending.append(first)
        while let step = list.pending.popLast() {
            guard list.insert(step) else { continue }
            budget -= 1
            switch program.steps[step] {
            case .take: list.steps.append(step)
            case .split(let one, let other): list.pending += [other, one]
            case .jump(let target): list.pending.append(target)
            case .match: list.hasMatch = true
            case .start: if position == 0 { list.pending.append(step + 1) }
            case .end: if position == text.count { list.pending.append(step + 1) }
            case .wordBoundary(let isNegated):
                if isBoundary(position) != isNegated { list.pending.append(step + 1) }
            case .look(let inner, let isNegated):
                if runs(inner, from: position, isSearch: false) != isNegated { list.pending.append(step + 1) }
            }
        }
    }

    private func isBoundary(_ position: Int) -> Bool { isWord(position - 1) != isWord(position) }

    private func isWord(_ index: Int) -> Bool {
        text.indices.contains(index) && PatternSet.word.contains(text[index])
    }
}

/// The threads at one position, each step once.
private struct ThreadList {
    /// The steps that wait for a scalar.
    var steps: [Int] = []
    var hasMatch = false
    var pending: [Int] = []
    /// The round in which a step was last seen, so that a new round needs no reset.
    private var seen: [Int]
    private var round = 1

    init(_ count: Int) { seen = Array(repeating: 0, count: count) }

    mutating func insert(_ step: Int) -> Bool {
        guard seen[step] != round else { return false }
        seen[step] = round
        return true
    }

    mutating func clear() {
        steps.removeAll(keepingCapacity: true)
        hasMatch = false
        round += 1
    }
}
