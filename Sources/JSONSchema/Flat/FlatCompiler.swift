import HoldfastJSON

struct FlatCompiler {
    typealias NodeID = FlatProgram.NodeID
    typealias Step = FlatProgram.Step
    typealias Kind = TapeToken.Kind

    let source: Program
    private var entries: [FlatProgram.Entry] = []
    private var steps: [Step] = []
    private var questions: [FlatProgram.Question] = []
    private var known: [[Int]: NodeID] = [:]
    private var pending: [(nodes: [Int], id: NodeID)] = []
    private var knownPatterns: [String: Int32?] = [:]
    var shapes: [FlatProgram.Shape] = []
    var slots: [FlatProgram.Slot] = []
    private var lists: [NodeID] = []
    var letters: [UInt8] = []
    private var numbers: [FlatProgram.NumberBounds] = []
    private var automata = AutomatonBuilder()

    /// Compiles a program; nil if it has no flat form.
    static func compile(_ source: Program) -> FlatProgram? {
        guard !source.needsEvaluation else { return nil }
        var compiler = FlatCompiler(source: source)
        let root = compiler.node([source.root])
        while let next = compiler.pending.popLast() {
            compiler.fill(next.id, with: Conjunction(next.nodes, in: source))
        }
        return FlatProgram(
            root: root, entries: compiler.entries, steps: compiler.steps, shapes: compiler.shapes,
            slots: compiler.slots, lists: compiler.lists, numbers: compiler.numbers, letters: compiler.letters,
            automata: compiler.automata, questions: compiler.questions, source: source)
    }

    private init(source: Program) { self.source = source }

    /// The node that combines all of these nodes.
    mutating func node(_ nodes: [Int]) -> NodeID {
        let nodes = Set(nodes.map { resolved($0) }).filter { source.nodes[$0].verdict != true }.sorted()
        guard !nodes.isEmpty else { return FlatProgram.anything }
        if let id = known[nodes] { return id }
        let id = NodeID(entries.count / 8)
        entries += repeatElement(.refusal, count: 8)
        known[nodes] = id
        pending.append((nodes, id))
        return id
    }

    /// Follows schemas that consist only of a reference; such a chain always ends.
    private func resolved(_ node: Int) -> Int {
        var node = node
        while source.nodes[node].keywords.count == 1, case .reference(let target) = source.nodes[node].keywords[0] {
            node = target
        }
        return node
    }

    mutating func question(_ question: FlatProgram.Question) -> Int32 {
        questions.append(question)
        return Int32(questions.count - 1)
    }

    mutating func list(_ nodes: [Int]) -> (first: Int32, count: Int32) {
        let ids = nodes.map { node([$0]) }
        defer { lists += ids }
        return (Int32(lists.count), Int32(ids.count))
    }

    private mutating func fill(_ id: NodeID, with conjunction: Conjunction) {
        if conjunction.refusesAll { return }
        let common = commonSteps(conjunction)
        var shape = ShapeBuilder(conjunction)
        let objectSteps = shape.steps(&self) + alternatives(conjunction, isObject: true)
        let otherAlternatives = alternatives(conjunction, isObject: false)
        for kind in Kind.allCases {
            var own: [Step] = []
            guard admit(kind, conjunction, &own) else { continue }
            switch kind {
            case .string: own += stringSteps(conjunction)
            case .number: own += numberSteps(conjunction)
            case .array: own += arraySteps(conjunction)
            case .object: own += objectSteps
            case .null, .no, .yes: break
            }
            own += (kind == .object ? [] : otherAlternatives) + common
            entries[Int(id) * 8 + kind.row] = FlatProgram.Entry(
                first: Int32(steps.count), count: Int32(own.count))
            steps += own
        }
    }

    /// The steps for values of every type.
    private mutating func commonSteps(_ conjunction: Conjunction) -> [Step] {
        var steps: [Step] = conjunction.others.map { .also(node([$0])) }
        for (keyword, _) in conjunction.items {
            switch keyword {
            case .not(let target): steps.append(.not(node([target])))
            case .condition(let test, let then, let otherwise):
                steps.append(
                    .condition(
                        test: node([test]), then: then.map { node([$0]) } ?? FlatProgram.anything,
                        otherwise: otherwise.map { node([$0]) } ?? FlatProgram.anything))
            default: break
            }
        }
        return steps + conjunction.slowNodes.map { .ask(question(.node($0))) }
    }

    private mutating func alternatives(_ conjunction: Conjunction, isObject: Bool) -> [Step] {
        var steps: [Step] = []
        for (keyword, _) in conjunction.items {
            switch keyword {
            case .anyOf(_, .some(let discriminator)) where isObject, .oneOf(_, .some(let discriminator)) where isObject:
                steps.append(jump(keyword.inPlace, discriminator))
            case .anyOf(let nodes, _):
                let (first, count) = list(nodes)
                steps.append(.any(first: first, count: count))
            case .oneOf(let nodes, _):
                let (first, count) = list(nodes)
                steps.append(.one(first: first, count: count))
            default: break
            }
        }
        return steps
    }

    private mutating func jump(_ nodes: [Int], _ discriminator: Discriminator) -> Step {
        let branches = discriminator.branches.map { (name: $0.key.string, target: node([nodes[$0.value]])) }
        return .jump(slot: slot(discriminator.property), table(branches.map { ($0.name, $0.target, 0) }))
    }

    private mutating func stringSteps(_ conjunction: Conjunction) -> [Step] {
        var steps: [Step] = []
        var min = 0
        var max = Int.max
        for (keyword, node) in conjunction.items {
            switch keyword {
            case .minLength(let limit): min = Swift.max(min, limit)
            case .maxLength(let limit): max = Swift.min(max, limit)
            case .format(.uuid): steps.append(.uuid)
            case .format(.dateTime): steps.append(.dateTime)
            case .format(let format):
                let common = FormatGrammar.common[format].flatMap { automaton($0) }
                steps.append(common.map { .commonly($0, format) } ?? .format(format))
            case .pattern(let pattern):
                let otherwise = question(.keyword(keyword, node: node))
                steps.append(automaton(pattern).map { .pattern($0, otherwise: otherwise) } ?? .ask(otherwise))
            default: break
            }
        }
        // A UUID has 36 characters, so no other length needs a check.
        let isUUID = steps.contains { if case .uuid = $0 { true } else { false } }
        if isUUID, (min...Swift.max(min, max)).contains(36), max >= 36 { return steps }
        return range(min, max).map { [.length(min: $0, max: $1)] + steps } ?? steps
    }

    /// Bounds as steps store them, clamped to a size that no text reaches; nil if they allow every count.
    func range(_ min: Int, _ max: Int) -> (Int32, Int32)? {
        min == 0 && max == .max ? nil : (Int32(clamping: min), Int32(clamping: max))
    }

    mutating func automaton(_ pattern: Pattern) -> Int32? {
        if let known = knownPatterns[pattern.text] { return known }
        let index = automata.add(pattern)
        knownPatterns[pattern.text] = .some(index)
        return index
    }

    private mutating func numberSteps(_ conjunction: Conjunction) -> [Step] {
        var steps: [Step] = []
        var bounds = FlatProgram.NumberBounds()
        for (keyword, node) in conjunction.items {
            switch keyword {
            case .minimum, .maximum, .exclusiveMinimum, .exclusiveMaximum:
                if !bounds.add(keyword) { steps.append(.ask(question(.keyword(keyword, node: node)))) }
            case .type(let types): if !types.contains(.number) { bounds.isInteger = true }
            case .multipleOf: steps.append(.ask(question(.keyword(keyword, node: node))))
            default: break
            }
        }
        return bounds.isEmpty ? steps : [number(bounds)] + steps
    }

    mutating func number(_ bounds: FlatProgram.NumberBounds) -> Step {
        numbers.append(bounds)
        let position = Int32(numbers.count - 1)
        return bounds.allowAllCounts ? .count(position) : .number(position)
    }

    private mutating func arraySteps(_ conjunction: Conjunction) -> [Step] {
        var steps: [Step] = []
        var min = 0
        var max = Int.max
        for (keyword, node) in conjunction.items {
            switch keyword {
            case .minItems(let limit): min = Swift.max(min, limit)
            case .maxItems(let limit): max = Swift.min(max, limit)
            case .uniqueItems: steps.append(.unique(otherwise: question(.keyword(keyword, node: node))))
            case .items(let prefix, let rest):
                let (first, count) = list(prefix)
                let rest = rest.map { self.node([$0]) } ?? FlatProgram.anything
                steps.append(.elements(first: first, count: count, rest: rest))
            case .contains: steps.append(.ask(question(.keyword(keyword, node: node))))
            default: break
            }
        }
        return range(min, max).map { [.elementCount(min: $0, max: $1)] + steps } ?? steps
    }
}
