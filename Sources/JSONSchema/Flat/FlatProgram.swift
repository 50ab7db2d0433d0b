import HoldfastJSON

/// A schema compiled for speed: a few steps for each type of value, in plain tables.
///
/// It answers only valid or not. A step that cannot be expressed calls the ``Program`` it was compiled from, so the two
/// agree on every schema; messages, paths and marks come from ``Evaluation`` only.
final class FlatProgram: Sendable {
    /// The index of a node; negative ones are ``anything`` and ``unnamed``.
    typealias NodeID = Int32

    static let anything: NodeID = -1
    /// In a slot: the name has no node of its own.
    static let unnamed: NodeID = -2

    let root: NodeID
    /// For each node, one entry per kind of token, padded to eight.
    let entries: PlainTable<Entry>
    let steps: PlainTable<Step>
    let shapes: PlainTable<Shape>
    let slots: PlainTable<Slot>
    let lists: PlainTable<NodeID>
    let numbers: PlainTable<NumberBounds>
    /// The bytes of names and strings.
    let letters: PlainTable<UInt8>
    let automata: PlainTable<Automaton>
    let cells: PlainTable<UInt16>
    let questions: [Question]
    let source: Program

    init(
        root: NodeID, entries: [Entry], steps: [Step], shapes: [Shape], slots: [Slot], lists: [NodeID],
        numbers: [NumberBounds], letters: [UInt8], automata: AutomatonBuilder, questions: [Question], source: Program
    ) {
        self.root = root
        self.entries = PlainTable(entries)
        self.steps = PlainTable(steps)
        self.shapes = PlainTable(shapes)
        self.slots = PlainTable(slots)
        self.lists = PlainTable(lists)
        self.numbers = PlainTable(numbers)
        self.letters = PlainTable(letters)
        self.automata = PlainTable(automata.automata)
        self.cells = PlainTable(automata.cells)
        self.questions = questions
        self.source = source
    }

    /// The steps of one node for one kind of token; a negative count rejects the kind.
    struct Entry: BitwiseCopyable {
        var first: Int32
        var count: Int32

        static let refusal = Entry(first: 0, count: -1)
    }

    /// One check of one token; numbers are indices of the tables.
    enum Step: BitwiseCopyable {
        case length(min: Int32, max: Int32)
        case pattern(Int32, otherwise: Int32)
        case uuid
        case dateTime
        case format(Format)
        /// A format with an automaton that accepts most of its valid texts.
        case commonly(Int32, Format)
        case strings(NameTable)
        case number(Int32)
        /// Bounds that allow every unsigned integer.
        case count(Int32)
        case elementCount(min: Int32, max: Int32)
        case unique(otherwise: Int32)
        /// A node for each of the first elements, and one for the rest.
        case elements(first: Int32, count: Int32, rest: NodeID)
        case memberCount(min: Int32, max: Int32)
        case has(slot: Int32)
        case shape(Int32)
        /// The branch that a string member selects.
        case jump(slot: Int32, NameTable)
        case also(NodeID)
        case any(first: Int32, count: Int32)
        case one(first: Int32, count: Int32)
        case not(NodeID)
        case condition(test: NodeID, then: NodeID, otherwise: NodeID)
        case ask(Int32)
    }

    /// The demands on an object's members.
    struct Shape: BitwiseCopyable {
        var table: NameTable
        /// The bits of the required names.
        var required: UInt64
        /// The node of other members.
        var rest: NodeID
        /// The node that every name must match.
        var names: NodeID
    }

    /// A hash table; its size is a power of two, and it is never full.
    struct NameTable: BitwiseCopyable {
        var first: Int32
        var mask: Int32
    }

    struct Slot: BitwiseCopyable {
        var hash: UInt32 = 0
        /// The length of the name in bytes; negative in an empty slot.
        var count: Int32 = -1
        /// The index of the name among the letters.
        var letters: Int32 = 0
        var target: NodeID = FlatProgram.unnamed
        /// Its bit if the name is required, else 0.
        var bit: UInt64 = 0
    }

    /// Bounds that are integers.
    struct NumberBounds: BitwiseCopyable {
        var min: Int?
        var max: Int?
        var excludesMin = false
        var excludesMax = false
        var isInteger = false
    }

    /// A question for the slow evaluation: one keyword of a node, or a whole node.
    enum Question: Sendable {
        case keyword(Keyword, node: Int)
        case node(Int)
    }
}

extension Program {
    /// Whether there are dynamic references, or patterns for names, which steps do not express.
    var needsEvaluation: Bool {
        nodes.flatMap(\.keywords).contains { keyword in
            switch keyword {
            case .dynamicReference: true
            case .properties(let table): !table.patterns.isEmpty
            default: false
            }
        }
    }
}

/// Plain values in memory that never moves or changes, so that reading needs no reference counting.
///
/// A caller that uses `start` must keep the table alive and stay within its bounds.
final class PlainTable<Element: BitwiseCopyable & Sendable>: @unchecked Sendable {
    let start: UnsafePointer<Element>

    init(_ elements: [Element]) {
        let memory = UnsafeMutablePointer<Element>.allocate(capacity: max(1, elements.count))
        _ = UnsafeMutableBufferPointer(start: memory, count: elements.count).initialize(from: elements)
        start = UnsafePointer(memory)
    }

    deinit {
        start.deallocate()
    }
}
