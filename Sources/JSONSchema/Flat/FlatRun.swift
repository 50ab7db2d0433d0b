import HoldfastJSON

extension FlatProgram {
    func accepts(_ view: TapeView) -> Bool {
        var run = FlatRun(self, view)
        return run.holds(root, 0)
    }
}

/// Applies a flat program to the tokens of one text; only questions and the formats without an automaton allocate.
///
/// Indices come from the compiler and the tape, which create only valid ones; both outlive the run.
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
    let tokens: UnsafePointer<TapeToken>
    private var depth = 0

    /// The nesting limit, equal to that of the explaining evaluation, which uses more stack.
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
    }

    @inline(__always)
    mutating func holds(_ node: NodeID, _ index: Int) -> Bool {
        guard node >= 0 else { return true }
        let entry = entries[Int(node) << 3 | tokens[index].kind.row]
        // Most nodes check one thing or nothing.
        if entry.count == 1 { return holds(steps + Int(entry.first), index) }
        return entry.count > 0 ? holdsAll(entry, index) : entry.count == 0
    }

    @inline(never)
    private mutating func holdsAll(_ entry: FlatProgram.Entry, _ index: Int) -> Bool {
        var step = steps + Int(entry.first)
        let end = step + Int(entry.count)
        while step < end {
            guard holds(step, index) else { return false }
            step += 1
        }
        return true
    }

    /// Checks that need only the value; delegates the rest.
    @inline(never)
    private mutating func holds(_ step: UnsafePointer<FlatProgram.Step>, _ index: Int) -> Bool {
        switch step.pointee {
        case .length(let min, let max):
            return tokens[index].isPlain ? isCounted(index, min, max) : hasLength(index, Int(min), Int(max))
        case .uuid: return UUIDFormat.accepts(bytes(tokens[index]))
        case .dateTime: return DateFormats.isDateTime(bytes(tokens[index]))
        case .format(let format): return has(format, index)
        case .commonly(let automaton, let format):
            return automata[Int(automaton)].matches(bytes(tokens[index]), cells) == true || has(format, index)
        case .pattern(let automaton, let otherwise): return matches(index, automaton, otherwise)
        case .strings(let table): return find(index, in: table) != nil
        case .count(let bounds): return isCount(index) || isWithin(bounds, index)
        case .number(let bounds): return isWithin(bounds, index)
        case .elementCount(let min, let max), .memberCount(let min, let max): return isCounted(index, min, max)
        case .unique, .elements, .has, .shape, .jump, .also, .any, .one, .not, .condition, .ask:
            guard depth < Self.maxDepth else { return false }
            depth &+= 1
            let isValid = holdsDeeper(step, index)
            depth &-= 1
            return isValid
        }
    }

    /// Checks that involve other nodes, elements and members.
    @inline(never)
    private mutating func holdsDeeper(_ step: UnsafePointer<FlatProgram.Step>, _ index: Int) -> Bool {
        switch step.pointee {
        case .unique(let otherwise): surelyDiffer(index) || ask(otherwise, index)
        case .elements(let first, let count, let rest): elements(index, Int(first), Int(count), rest)
        case .has(let slot): member(names.slots[Int(slot)], of: index) != nil
        case .shape(let shape): holds(shapes + Int(shape), index)
        case .jump(let slot, let table): jump(index, names.slots[Int(slot)], table)
        case .also(let node): holds(node, index)
        case .any(let first, let count): matching(index, first, count, enough: 1) > 0
        case .one(let first, let count): matching(index, first, count, enough: 2) == 1
        case .not(let node): !holds(node, index)
        case .condition(let test, let then, let otherwise): holds(holds(test, index) ? then : otherwise, index)
        case .ask(let question): ask(question, index)
        case .length, .uuid, .dateTime, .format, .commonly, .pattern, .strings, .count, .number, .elementCount,
            .memberCount:
            holds(step, index)
        }
    }

    /// The number of nodes in a list that accept the value; stops counting at a limit.
    @inline(never)
    private mutating func matching(_ index: Int, _ first: Int32, _ count: Int32, enough: Int) -> Int {
        var found = 0
        for position in Int(first)..<Int(first + count) where found < enough && holds(lists[position], index) {
            found += 1
        }
        return found
    }

    /// Asks the explaining evaluation, with a value created for it.
    @inline(never)
    func ask(_ question: Int32, _ index: Int) -> Bool {
        var evaluation = Evaluation(program.source, violationLimit: 0)
        return evaluation.answer(program.questions[Int(question)], view.value(at: index))
    }

    @inline(__always)
    func bytes(_ token: TapeToken) -> UnsafeBufferPointer<UInt8> {
        // Reads stored fields: in another module, these need no call.
        let base = token.isInAnnex ? view.annex : view.text
        return UnsafeBufferPointer(start: base + Int(token.start), count: Int(token.length))
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
