import JSON
import JSONSchema

/// Looks for strings that all of some machines accept and none of others, with a length in a range.
struct WordSearch {
    private let facts: StringFacts
    private let alphabet: Alphabet
    private var machines: [(machine: WordMachine, sign: Bool)] = []
    /// Whether some demand could not be made part of the search: what is found must be checked, what is not found may still be
    /// impossible.
    private let isLoose: Bool

    private static let maxStates = 6_000
    private static let maxWork = 3_000_000
    private static let maxLength = 300_000

    /// The product of the machines, as far as it is reached.
    private var keys: [[Int]] = []
    private var moves: [[Int]] = []
    private var isEnd: [Bool] = []

    init(_ facts: StringFacts, excluded: [String]) {
        self.facts = facts
        var positives = facts.patterns
        for format in facts.formats.sorted(by: { $0.rawValue < $1.rawValue }) {
            if let shape = FormatKnowledge.shapes[format] { positives.append(shape) }
        }
        var negatives = facts.notPatterns
        for format in facts.notFormats.sorted(by: { $0.rawValue < $1.rawValue }) {
            if let core = FormatKnowledge.cores[format] { negatives.append(core) }
        }
        let followed = (positives + negatives).filter(WordMachine.canFollow)
        isLoose =
            followed.count < positives.count + negatives.count || !facts.formats.isEmpty || !facts.notFormats.isEmpty
        let sets = followed.flatMap { pattern in
            pattern.program.steps.compactMap { step in if case .take(let set) = step { set } else { nil } }
        }
        alphabet = Alphabet(sets, extra: Array(Set(excluded.flatMap { $0.unicodeScalars.map(\.value) })))
        for pattern in positives where WordMachine.canFollow(pattern) {
            machines.append((WordMachine(pattern, alphabet.scalars), true))
        }
        for pattern in negatives where WordMachine.canFollow(pattern) {
            machines.append((WordMachine(pattern, alphabet.scalars), false))
        }
        if !excluded.isEmpty { machines.append((WordMachine(words: excluded, alphabet.scalars), false)) }
    }

    /// The answer.
    mutating func solve() -> Outcome {
        if facts.isEmpty { return .none }
        for format in facts.formats where facts.notFormats.contains(where: { FormatKnowledge.contains($0, format) }) {
            return .none
        }
        guard explore() else { return .unknown("the patterns are too large to be followed together") }
        let alive = living()
        let empty: Outcome = alphabet.isWhole ? .none : .unknown("a pattern asks for a Unicode property")
        guard alive[0] else { return empty }
        return words(alive, ifNone: empty)
    }

    /// Builds the product; false when it grows too large.
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

    /// The states from which some word can still end.
    private func living() -> [Bool] {
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

    /// Goes through the lengths, shortest first.
    private func words(_ alive: [Bool], ifNone empty: Outcome) -> Outcome {
        let targets = moves.enumerated().map { state, row in
            alive[state] ? Set(row.filter { alive[$0] }).sorted() : []
        }
        var layers: [[Int]] = [[0]]
        var seen: [[Int]: Int] = [:]
        var work = 0
        var triesLeft = 40
        let last = min(facts.maxLength ?? .max, Self.maxLength)
        var length = 0
        while length <= last {
            let layer = layers[length]
            if layer.isEmpty { return isLoose && triesLeft < 40 ? unknownLoose : empty }
            if length >= facts.minLength, layer.contains(where: { isEnd[$0] }) {
                for word in spelled(length, layers) {
                    if !isLoose || facts.admits(word) { return .found(.string(word)) }
                }
                triesLeft -= 1
                if triesLeft == 0 { return unknownLoose }
            }
            if length >= facts.minLength {
                // The layers go round in a circle: what did not come in it will never come.
                if seen.updateValue(length, forKey: layer) != nil {
                    return triesLeft < 40 ? unknownLoose : empty
                }
            }
            work += layer.count
            guard work <= Self.maxWork else { return .unknown("the strings are too long to be looked for") }
            layers.append(layer.count == 1 ? targets[layer[0]] : Set(layer.flatMap { targets[$0] }).sorted())
            length += 1
        }
        if facts.maxLength.map({ $0 <= Self.maxLength }) ?? false { return triesLeft < 40 ? unknownLoose : empty }
        return .unknown("a string would have to be longer than \(Self.maxLength) characters")
    }

    private var unknownLoose: Outcome {
        .unknown("no string was found that has and lacks the right formats and patterns")
    }

    /// Some words of one length.
    private func spelled(_ length: Int, _ layers: [[Int]]) -> [String] {
        let count = isLoose ? 24 : 1
        var words: [String] = []
        // From the end to the start, along states that the layers reach.
        var before: [Set<Int>] = [Set(layers[length].filter { isEnd[$0] })]
        for position in stride(from: length - 1, through: 0, by: -1) {
            let goal = before[before.count - 1]
            before.append(Set(layers[position].filter { moves[$0].contains(where: goal.contains) }))
        }
        before.reverse()
        for attempt in 0..<count {
            var state = 0
            var text = String.UnicodeScalarView()
            for position in 0..<length {
                let choices = alphabet.scalars.indices.filter { before[position + 1].contains(moves[state][$0]) }
                guard !choices.isEmpty else { break }
                // Each attempt turns off at another place.
                let choice = choices[attempt == 0 ? 0 : (attempt * 7 + position * attempt) % choices.count]
                if let scalar = Unicode.Scalar(alphabet.scalars[choice]) { text.append(scalar) }
                state = moves[state][choice]
            }
            words.append(String(text))
            if length == 0 { break }
        }
        return words
    }
}

extension StringFacts {
    /// A string that is as asked and none of the given ones.
    func solve(excluded: [JSONValue]) -> Outcome {
        let taken = excluded.compactMap(\.stringValue)
        if !formats.isEmpty || !notFormats.isEmpty {
            let lengths = [minLength, minLength + 1, maxLength ?? minLength].filter { $0 <= 200_000 }
            var samples = formats.flatMap { FormatKnowledge.samples($0, near: lengths) }
            if formats.isEmpty {
                samples = FormatKnowledge.oddities + lengths.map { String(repeating: "a", count: $0) }
            } else {
                samples += FormatKnowledge.oddities
            }
            let exact = Set(taken.map { ExactString($0) })
            if let good = samples.first(where: { admits($0) && !exact.contains(ExactString($0)) }) {
                return .found(.string(good))
            }
        }
        var search = WordSearch(self, excluded: taken)
        return search.solve()
    }
}
