/// A deterministic machine for one pattern or a few given words; each state is built when first reached.
package struct WordMachine {
    private enum Kind {
        case pattern(PatternProgram)
        case words([[UInt32]])
    }

    /// The instructions that threads have reached.
    private struct State: Hashable {
        var steps: [Int]
        var isFirst = false
        var hasMatched = false
    }

    private let kind: Kind
    private let alphabet: [UInt32]
    private var states: [State] = []
    private var numbers: [State: Int] = [:]
    private var moves: [[Int]] = []
    private var accepting: [Bool] = []
    /// The number of steps examined so far.
    package private(set) var work = 0

    package init(_ pattern: Pattern, _ alphabet: [UInt32]) {
        kind = .pattern(pattern.program)
        self.alphabet = alphabet
        let (steps, matched) = pattern.program.closure([0], isFirst: true, isEnd: false, &work)
        _ = number(State(steps: steps, isFirst: true, hasMatched: matched))
    }

    package init(words: [String], _ alphabet: [UInt32]) {
        kind = .words(words.map { $0.unicodeScalars.map(\.value) })
        self.alphabet = alphabet
        _ = number(State(steps: words.indices.flatMap { [$0, 0] }))
    }

    /// The state after one more scalar, by its position in the alphabet; states are numbered from 0, the initial one.
    package mutating func next(_ state: Int, _ symbol: Int) -> Int {
        if moves[state][symbol] >= 0 { return moves[state][symbol] }
        let current = states[state]
        let scalar = alphabet[symbol]
        let following: State
        switch kind {
        case .pattern(let program):
            if current.hasMatched {
                following = current
            } else {
                work += current.steps.count
                let (steps, matched) = program.closure(after: scalar, from: current.steps, &work)
                following = State(steps: steps, hasMatched: matched)
            }
        case .words(let words):
            var steps: [Int] = []
            for index in stride(from: 0, to: current.steps.count, by: 2) {
                let (word, position) = (current.steps[index], current.steps[index + 1])
                if position < words[word].count, words[word][position] == scalar { steps += [word, position + 1] }
            }
            following = State(steps: steps)
        }
        let result = number(following)
        moves[state][symbol] = result
        return result
    }

    package func accepts(_ state: Int) -> Bool { accepting[state] }

    var count: Int { states.count }

    /// True if every continuation of a state matches, false if none does, nil if that is undecided.
    func verdict(_ state: Int) -> Bool? {
        states[state].hasMatched ? true : states[state].steps.isEmpty ? false : nil
    }

    private mutating func number(_ state: State) -> Int {
        if let known = numbers[state] { return known }
        let number = states.count
        numbers[state] = number
        states.append(state)
        moves.append([Int](repeating: -1, count: alphabet.count))
        switch kind {
        case .pattern(let program):
            accepting.append(
                state.hasMatched
                    || program.closure(state.steps, isFirst: state.isFirst, isEnd: true, &work).isMatch)
        case .words(let words):
            accepting.append(
                stride(from: 0, to: state.steps.count, by: 2).contains {
                    words[state.steps[$0]].count == state.steps[$0 + 1]
                })
        }
        return number
    }
}
