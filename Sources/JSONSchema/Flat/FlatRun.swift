import JSON

/// Applies a flat program to the tokens of one text, without asking for memory.
///
/// Positions come from the compiler and the tape, which make only such as exist; both outlive the run.
struct FlatRun {
    typealias NodeID = FlatProgram.NodeID

    let program: FlatProgram
    let entries: UnsafePointer<FlatProgram.Entry>
    let steps: UnsafePointer<FlatProgram.Step>
    let shapes: UnsafePointer<FlatProgram.Shape>
    let lists: UnsafePointer<NodeID>
    let numbers: UnsafePointer<FlatProgram.NumberBounds>
    let automata: UnsafePointer<Automaton>
    let cells: UnsafePointer<UInt16>
    let names: NameSearch
    let view: TapeView
    let text: UnsafePointer<UInt8>?
    let tokens: UnsafePointer<TapeToken>
    /// Room for strings without their escapes; empty until the first one is needed.
    private var scratch: [UInt8] = []
    private var depth = 0

    /// Nodes inside one another; the explaining evaluation, which uses more of them, ends at the same number.
    private static let maxDepth = 600

    init(_ program: FlatProgram, _ view: TapeView) {
        self.program = program
        entries = program.entries.start
        steps = program.steps.start
        shapes = program.shapes.start
        lists = program.lists.start
        numbers = program.numbers.start
        automata = program.automata.start
        cells = program.cells.start
        names = NameSearch(slots: program.slots.start, letters: program.letters.start)
        self.view = view
        tokens = view.tokens
        text = view.text.baseAddress
    }

    /// Whether the value at a token is valid under a node.
    @inline(__always)
    mutating func holds(_ node: NodeID, _ index: Int) -> Bool {
        node < 0 || judge(node, index)
    }

    private mutating func judge(_ node: NodeID, _ index: Int) -> Bool {
        let entry = entries[Int(node) << 3 | tokens[index].kind.row]
        guard entry.count > 0 else { return entry.count == 0 }
        guard depth < Self.maxDepth else { return false }
        depth += 1
        defer { depth -= 1 }
        let first = Int(entry.first)
        for position in first..<(first + Int(entry.count)) {
            guard holds(steps[position], index) else { return false }
        }
        return true
    }

    @inline(__always)
    private mutating func holds(_ step: FlatProgram.Step, _ index: Int) -> Bool {
        switch step {
        case .length(let min, let max): hasLength(index, Int(min), Int(max))
        case .pattern(let automaton, let otherwise): matches(index, automaton, otherwise)
        case .format(let format): has(format, index)
        case .strings(let table): find(index, in: table) != nil
        case .integer: isInteger(index)
        case .number(let bounds): isWithin(numbers[Int(bounds)], index)
        case .elementCount(let min, let max), .memberCount(let min, let max):
            tokens[index].length >= UInt32(min) && tokens[index].length <= UInt32(max)
        case .unique(let otherwise): hasUniqueElements(index) ?? ask(otherwise, index)
        case .elements(let first, let count, let rest): elements(index, Int(first), Int(count), rest)
        case .contains(let node, let min, let max): contains(index, node, Int(min), Int(max))
        case .has(let slot): member(names.slots[Int(slot)], of: index) != nil
        case .shape(let shape): holds(shapes + Int(shape), index)
        case .jump(let slot, let table): jump(index, names.slots[Int(slot)], table)
        case .also(let node): holds(node, index)
        case .any(let first, let count): matching(index, first, count, enough: 1) > 0
        case .one(let first, let count): matching(index, first, count, enough: 2) == 1
        case .not(let node): !holds(node, index)
        case .condition(let test, let then, let otherwise): holds(holds(test, index) ? then : otherwise, index)
        case .dependent(let slot):
            member(names.slots[Int(slot)], of: index) == nil || holds(names.slots[Int(slot)].target, index)
        case .ask(let question): ask(question, index)
        }
    }

    /// How many nodes of a list hold, counted until there are enough.
    private mutating func matching(_ index: Int, _ first: Int32, _ count: Int32, enough: Int) -> Int {
        var found = 0
        for position in Int(first)..<Int(first + count) where found < enough && holds(lists[position], index) {
            found += 1
        }
        return found
    }

    /// Lets the evaluation that explains decide, on a value made for it.
    @inline(never)
    func ask(_ question: Int32, _ index: Int) -> Bool {
        var evaluation = Evaluation(program.source, violationLimit: 0)
        return evaluation.answer(program.questions[Int(question)], view.value(at: index))
    }

    /// The bytes of a token as they stand in the text, or of a key, unescaped.
    @inline(__always)
    func bytes(_ token: TapeToken) -> UnsafeBufferPointer<UInt8> {
        let base = token.isInAnnex ? view.annex.baseAddress : text
        return UnsafeBufferPointer(start: base.map { $0 + Int(token.start) }, count: Int(token.length))
    }

    /// Gives the bytes of a string or number token, unescaped, to `body`.
    @inline(__always)
    mutating func withBytes<Result>(
        _ token: TapeToken, _ body: (UnsafeBufferPointer<UInt8>) -> Result
    ) -> Result {
        guard token.isEscaped else { return body(bytes(token)) }
        scratch.removeAll(keepingCapacity: true)
        TapeEscapes.append(bytes(token), to: &scratch)
        return scratch.withUnsafeBufferPointer(body)
    }
}

extension Evaluation {
    fileprivate mutating func answer(_ question: FlatProgram.Question, _ value: JSONValue) -> Bool {
        var marks: Marks?
        switch question {
        case .keyword(let keyword, let node): return check(keyword, value, program.nodes[node], &marks)
        case .node(let node): return evaluate(node, value, &marks)
        }
    }
}
