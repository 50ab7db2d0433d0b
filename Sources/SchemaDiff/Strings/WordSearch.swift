import HoldfastJSON
import HoldfastJSONSchema

/// Searches for strings that some machines accept and the others reject, with a length in a range.
struct WordSearch {
    private let facts: StringFacts
    private let alphabet: Alphabet
    private var machines: [(machine: WordMachine, sign: Bool)] = []

    private static let maxStates = 6_000
    private static let maxWork = 3_000_000
    private static let maxLength = 300_000

    /// The product of the machines, as far as it was reached.
    private var keys: [[Int]] = []
    private var moves: [[Int]] = []
    private var isEnd: [Bool] = []

    init(_ facts: StringFacts, excluded: [String]) {
        self.facts = facts
        let demands =
            facts.patterns.map { (pattern: $0, sign: true) } + facts.notPatterns.map { (pattern: $0, sign: false) }
        let sets = demands.flatMap { pattern, _ in
            pattern.program.steps.compactMap { step in if case .take(let set) = step { set } else { nil } }
        }
        alphabet = Alphabet(sets, extra: Array(Set(excluded.flatMap { $0.unicodeScalars.map(\.value) })))
        for (pattern, sign) in demands { machines.append((WordMachine(pattern, alphabet.scalars), sign)) }
        if !excluded.isEmpty { machines.append((WordMachine(words: excluded, alphabet.scalars), false)) }
    }

    mutating func solve() -> Outcome {
        if facts.isEmpty { return .none }
        guard explore() else { return .unknown("the patterns are too large to combine") }
        let alive = liveStates()
        let empty: Outcome = alphabet.isWhole ? .none : .unknown("a pattern uses a Unicode property")
        guard alive[0] else { return empty }
        return words(alive, ifNone: empty)
    }

    /// Builds the product; false if it grows too large.
    private mutating func explore() -> Bool {
        var numbers: [[Int]: Int] = [:]
        let start = machines.map { _ in 0 }
        numbers[start] = 0
        keys = [start]
        var next = 0
        while next < keys.count {
            let key = keys[next]
            next += 1
            var row: [Int] = []
            for symbol in alphabet.scalars.indices {
                var target: [Int] = []
                for index in machines.indices { target.append(machines[index].machine.next(key[index], symbol)) }
                if let known = numbers[target] {
                    row.append(known)
                } else {
                    numbers[target] = keys.count
                    row.append(keys.count)
                    keys.append(target)
                }
            }
            moves.append(row)
            isEnd.append(machines.indices.allSatisfy { machines[$0].machine.accepts(key[$0]) == machines[$0].sign })
            guard keys.count <= Self.maxStates, machines.reduce(0, { $0 + $1.machine.work }) <= Self.maxWork else {
                return false
            }
        }
        return true
    }

    /// The states from which a word can still reach an accepting state.
    private func liveStates() -> [Bool] {
        var alive = isEnd
        var before = [[Int]](repeating: [], count: keys.count)
        for (state, row) in moves.enumerated() {
            for target in Set(row) { before[target].append(state) }
        }
        var pending = keys.indices.filter { isEnd[$0] }
        while let state = pending.popLast() {
            for source in before[state] where !alive[source] {
                alive[source] = true
                pending.append(source)
            }
        }
        return alive
    }

    /// Searches the lengths, shortest first.
    private func words(_ alive: [Bool], ifNone empty: Outcome) -> Outcome {
        let targets = moves.enumerated().map { state, row in
            alive[state] ? Set(row.filter { alive[$0] }).sorted() : []
        }
        var layers: [[Int]] = [[0]]
        var seen: Set<[Int]> = []
        var work = 0
        for length in 0...min(facts.maxLength ?? .max, Self.maxLength) {
            let layer = layers[length]
            if layer.isEmpty { return empty }
            if length >= facts.minLength {
                if layer.contains(where: { isEnd[$0] }) { return .found(.string(spelled(length, layers))) }
                // The layers repeat: what did not occur in one period never will.
                if !seen.insert(layer).inserted { return empty }
            }
            work += layer.count
            guard work <= Self.maxWork else { return .unknown("the strings are too long to search for") }
            layers.append(layer.count == 1 ? targets[layer[0]] : Set(layer.flatMap { targets[$0] }).sorted())
        }
        if facts.maxLength.map({ $0 <= Self.maxLength }) ?? false { return empty }
        return .unknown("a string would have to be longer than \(Self.maxLength) characters")
    }

    /// A word of one length.
    private func spelled(_ length: Int, _ layers: [[Int]]) -> String {
        // From the end to the start, along states that the layers reach.
        var before: [Set<Int>] = [Set(layers[length].filter { isEnd[$0] })]
        for position in stride(from: length - 1, through: 0, by: -1) {
            let goal = before[before.count - 1]
            before.append(Set(layers[position].filter { moves[$0].contains(where: goal.contains) }))
        }
        before.reverse()
        var state = 0
        var text = String.UnicodeScalarView()
        for position in 0..<length {
            let choices = alphabet.scalars.indices
            guard let choice = choices.first(where: { before[position + 1].contains(moves[state][$0]) }) else { break }
            if let scalar = Unicode.Scalar(alphabet.scalars[choice]) { text.append(scalar) }
            state = moves[state][choice]
        }
        return String(text)
    }
}

extension StringFacts {
    func solve(excluded: [JSONValue]) -> Outcome {
        var search = WordSearch(self, excluded: excluded.compactMap(\.stringValue))
        return search.solve()
    }
}
