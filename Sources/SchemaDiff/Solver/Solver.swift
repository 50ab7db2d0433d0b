import HoldfastJSON
import HoldfastJSONSchema

/// Searches for a value that is valid under some schemas and invalid under others, or proves that there is none.
///
/// A schema that must hold is split into facts; one that must fail, into alternatives of which one must hold. The
/// validator confirms each value found; the answer `none` means that every alternative was ruled out.
struct Solver {
    let space: SchemaSpace
    /// The side that writes.
    let writer: Int
    /// Whether the writer sends only members that its schema names or that are unknown to both, and the reader accepts
    /// those only the writer knows.
    let isLenient: Bool
    /// Members to which the reader's schemas give a meaning: a writer that does not name them does not send them.
    let readersNames: Set<ExactString>
    /// Members to which the writer's schemas give a meaning: a reader ignores those that it does not name, even in a
    /// closed object.
    let writersNames: Set<ExactString>
    private(set) var stepsLeft: Int
    private var memory: [Set<Literal>: Outcome] = [:]
    /// The questions in progress, with their depth.
    private var open: [Set<Literal>: Int] = [:]
    /// The least depth of a question in progress on which an answer relied.
    private var reliedDepth = Int.max
    private var disjoint: [Pair: Bool] = [:]
    private var tagsByNode: [Int: [SchemaView.Tag]] = [:]
    private var fixedByNode: [Int: [JSONValue]?] = [:]
    private var patterns: [ExactString: Pattern] = [:]
    private var matchMemory: [ExactString: [ExactString: Bool]] = [:]

    private static let maxDepth = 60
    /// The most alternatives in one list; longer lists are not searched.
    static let maxAlternatives = 4_000

    private struct Pair: Hashable {
        let one: Int
        let other: Int
    }

    init(_ space: SchemaSpace, writer: Int = SchemaSpace.old, isLenient: Bool = false, stepLimit: Int) {
        (self.space, self.writer, self.isLenient) = (space, writer, isLenient)
        stepsLeft = stepLimit
        readersNames = isLenient ? space.names(on: 1 - writer) : []
        writersNames = isLenient ? space.names(on: writer) : []
    }

    /// Sets a new budget for another question.
    mutating func refill(_ steps: Int) {
        if stepsLeft <= 0 { memory = memory.filter { if case .unknown = $0.value { false } else { true } } }
        stepsLeft = steps
    }

    mutating func solve(_ goal: [Literal]) -> Outcome {
        let key = Set(goal.map(canonical))
        if let known = memory[key] { return known }
        if let depth = open[key] {
            // The smallest suitable value would contain a smaller one, which is impossible.
            reliedDepth = min(reliedDepth, depth)
            return .none
        }
        let depth = open.count
        guard depth < Self.maxDepth else { return .unknown("the schemas nest too deep") }
        guard stepsLeft > 0 else { return .outOfSteps }
        open[key] = depth
        let outerDepth = reliedDepth
        reliedDepth = .max
        let outcome = search(goal)
        open[key] = nil
        let isFinal = reliedDepth >= depth
        reliedDepth = min(outerDepth, isFinal ? .max : reliedDepth)
        switch outcome {
        case .found: memory[key] = outcome
        case .none: if isFinal { memory[key] = outcome }
        case .unknown: break
        }
        return outcome
    }

    /// Equivalent schemas are examined only once.
    private func canonical(_ literal: Literal) -> Literal {
        guard !isLenient else { return literal }
        switch literal {
        case .holds(let node): return .holds(-1 - space.colors[node])
        case .fails(let node): return .fails(-1 - space.colors[node])
        default: return literal
        }
    }

    mutating func spend(_ steps: Int = 1) -> Bool {
        stepsLeft -= steps
        return stepsLeft > 0
    }

    /// Tries the alternatives, one after another.
    private mutating func search(_ goal: [Literal]) -> Outcome {
        var first = Facts()
        guard add(goal, to: &first) else { return .none }
        var ways = [first]
        var tries = Tries()
        while var facts = ways.popLast() {
            guard spend() else { return .outOfSteps }
            guard settle(&facts) else { continue }
            if let choices = facts.choices {
                if let good = choices.first(where: { satisfies($0, goal) }) { return .found(good) }
                continue
            }
            if let position = facts.open.indices.min(by: { facts.open[$0].count < facts.open[$1].count }) {
                let alternatives = facts.open.remove(at: position)
                for alternative in alternatives.reversed() {
                    var way = facts
                    if add(alternative, to: &way) { ways.append(way) }
                }
                guard ways.count < 20_000 else { return .outOfSteps }
                continue
            }
            if let value = tries.value(value(facts)) {
                if satisfies(value, goal) { return .found(value) }
                tries.noteUnknown("a value was built that the validator does not confirm")
            }
        }
        return tries.outcome
    }

    /// Removes impossible alternatives and satisfied lists; false if a list has no alternative left.
    private mutating func settle(_ facts: inout Facts) -> Bool {
        var changed = true
        while changed {
            changed = false
            guard !facts.kinds.isEmpty else { return false }
            var lists: [[[Literal]]] = []
            let open = facts.open
            // Searching the lists is most of the work.
            guard spend(open.reduce(1) { $0 + $1.count } / 4) else { return true }
            facts.open = []
            var forced: [[Literal]] = []
            for list in open {
                var left: [[Literal]] = []
                var isMet = false
                for alternative in list {
                    if isImpossible(alternative, facts) { continue }
                    if alternative.allSatisfy({ isImplied($0, facts) }) {
                        isMet = true
                        break
                    }
                    left.append(alternative)
                }
                if isMet { continue }
                if left.isEmpty { return false }
                if left.count == 1 { forced.append(left[0]) } else { lists.append(left) }
            }
            facts.open = lists + facts.open
            for literals in forced {
                changed = true
                guard add(literals, to: &facts) else { return false }
            }
            guard spend() else { return true }
        }
        return true
    }

    /// A value of one of the remaining kinds.
    private mutating func value(_ facts: Facts) -> Outcome {
        var tries = Tries()
        if facts.kinds.contains(.object), let value = tries.value(object(facts.objects)) { return .found(value) }
        if facts.kinds.contains(.string), let value = tries.value(facts.strings.solve(excluded: facts.excluded)) {
            return .found(value)
        }
        if !facts.kinds.isDisjoint(with: .number),
            let value = tries.value(facts.numbers.solve(kinds: facts.kinds, excluded: facts.excluded))
        {
            return .found(value)
        }
        for value in [true, false, nil] as [JSONValue]
        where facts.kinds.contains(KindSet(of: value)) && !facts.excluded.contains(value) {
            return .found(value)
        }
        if facts.kinds.contains(.array), let value = tries.value(array(facts.arrays)) { return .found(value) }
        return tries.outcome
    }

    // MARK: Quick answers

    mutating func pattern(_ text: ExactString) -> Pattern? {
        if let known = patterns[text] { return known }
        let pattern = try? Pattern(text.string)
        patterns[text] = pattern
        return pattern
    }

    mutating func matches(_ text: ExactString, _ name: ExactString) -> Bool {
        if let known = matchMemory[text]?[name] { return known }
        let answer = pattern(text)?.matches(name.string) ?? false
        matchMemory[text, default: [:]][name] = answer
        return answer
    }

    /// The only values for which a schema can hold, if it lists them.
    mutating func fixedValues(_ node: Int) -> [JSONValue]? {
        if let known = fixedByNode[node] { return known }
        let values = SchemaView([node], space).fixed
        fixedByNode[node] = .some(values)
        return values
    }

    /// The members that a schema demands with fixed values.
    mutating func tags(_ node: Int) -> [SchemaView.Tag] {
        if let known = tagsByNode[node] { return known }
        let tags = SchemaView([node], space).tags(space)
        tagsByNode[node] = tags
        return tags
    }

    /// Whether no value is valid under both schemas; false if unknown.
    mutating func areDisjoint(_ one: Int, _ other: Int) -> Bool {
        let pair = Pair(one: min(one, other), other: max(one, other))
        if let known = disjoint[pair] { return known }
        disjoint[pair] = false
        let mine = tags(one)
        if !mine.isEmpty, allowsOnlyObjects(one) || allowsOnlyObjects(other) {
            for tag in tags(other) {
                if let twin = mine.first(where: { $0.name == tag.name }),
                    !twin.values.contains(where: tag.values.contains)
                {
                    disjoint[pair] = true
                    return true
                }
            }
        }
        var solver = self
        solver.open = [:]
        solver.memory = [:]
        solver.stepsLeft = min(stepsLeft, 400)
        if case .none = solver.solve([.holds(one), .holds(other)]) { disjoint[pair] = true }
        _ = spend(20)
        return disjoint[pair] ?? false
    }

    private func allowsOnlyObjects(_ node: Int) -> Bool { SchemaView([node], space).kinds == .object }
}
