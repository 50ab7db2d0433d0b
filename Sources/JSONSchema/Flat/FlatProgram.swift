import HoldfastJSON

/// A schema made for speed: for each kind of value a few steps, in tables of plain numbers.
///
/// It answers only valid or not. What a step cannot express is asked of the ``Program`` it was made from, so the two agree on every
/// schema; words, paths and marks are the business of ``Evaluation`` alone.
final class FlatProgram: Sendable {
    /// A position among the nodes; negative ones are ``anything`` and ``unnamed``.
    typealias NodeID = Int32

    /// The node that takes every value.
    static let anything: NodeID = -1
    /// In a slot: as if its name had none.
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
    /// What the steps were made from.
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

    /// The steps of one node for one kind of token; a negative count refuses the kind.
    struct Entry: BitwiseCopyable {
        var first: Int32
        var count: Int32

        static let refusal = Entry(first: 0, count: -1)
    }

    /// One question about one token; numbers are positions in the tables.
    enum Step: BitwiseCopyable {
        case length(min: Int32, max: Int32)
        case pattern(Int32, otherwise: Int32)
        case uuid
        case dateTime
        case format(Format)
        /// A format, most texts of which an automaton takes.
        case commonly(Int32, Format)
        case strings(NameTable)
        case number(Int32)
        /// Bounds that every whole number is in that has no sign.
        case count(Int32)
        case elementCount(min: Int32, max: Int32)
        case unique(otherwise: Int32)
        /// The first elements by a list of nodes, all others by one node.
        case elements(first: Int32, count: Int32, rest: NodeID)
        case contains(NodeID, min: Int32, max: Int32)
        case memberCount(min: Int32, max: Int32)
        case has(slot: Int32)
        case shape(Int32)
        /// The branch that a string member names.
        case jump(slot: Int32, NameTable)
        case also(NodeID)
        case any(first: Int32, count: Int32)
        case one(first: Int32, count: Int32)
        case not(NodeID)
        case condition(test: NodeID, then: NodeID, otherwise: NodeID)
        /// The node of the slot, for objects that have a member of its name.
        case dependent(slot: Int32)
        case ask(Int32)
    }

    /// What an object's members have to be.
    struct Shape: BitwiseCopyable {
        var table: NameTable
        /// The bits of the names that must be there.
        var required: UInt64
        /// The node of members that no name and no pattern speaks for.
        var rest: NodeID
        /// The node of every name.
        var names: NodeID
        /// Pairs in `lists`: an automaton, and the node of members whose names it takes.
        var firstPattern: Int32
        var patternCount: Int32
    }

    /// Slots searched by hash, a power of two of them, never all taken.
    struct NameTable: BitwiseCopyable {
        var first: Int32
        var mask: Int32
    }

    /// A name, and what it leads to.
    struct Slot: BitwiseCopyable {
        var hash: UInt32 = 0
        /// The bytes of the name; negative in an empty slot.
        var count: Int32 = -1
        /// Where the name stands among the letters.
        var letters: Int32 = 0
        var target: NodeID = FlatProgram.unnamed
        /// Its bit among the required names, or 0.
        var bit: UInt64 = 0
    }

    /// Bounds that whole numbers can express.
    struct NumberBounds: BitwiseCopyable {
        var min: Int?
        var max: Int?
        var excludesMin = false
        var excludesMax = false
        var isInteger = false
    }

    /// What the slow evaluation is asked: one keyword of a node, or a node as a whole.
    enum Question: Sendable {
        case keyword(Keyword, node: Int)
        case node(Int)
    }
}

extension Program {
    /// Whether references depend on the way they were reached, which steps cannot express.
    var isDynamic: Bool {
        nodes.contains { node in
            node.keywords.contains { if case .dynamicReference = $0 { true } else { false } }
        }
    }
}

/// Plain values in memory that never moves or changes, so that they are read without counting references.
///
/// Whoever takes `start` keeps the table alive as long as he reads, and reads no position beyond the elements.
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
