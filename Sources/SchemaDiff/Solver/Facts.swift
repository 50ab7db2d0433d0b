import HoldfastJSON
import HoldfastJSONSchema

/// Everything that is asked of one value, on one way through the alternatives.
struct Facts: Sendable {
    var kinds = KindSet.all
    /// The only values there are, when they are counted.
    var choices: [JSONValue]?
    var excluded: [JSONValue] = []
    var numbers = NumberFacts()
    var strings = StringFacts()
    var arrays = ArrayFacts()
    var objects = ObjectFacts()
    /// Ways that are still open: one of each list must be gone.
    var open: [[[Literal]]] = []
    /// Schemas and keywords known to hold or to fail, by color.
    var holding: Set<Int> = []
    var failing: Set<Int> = []
    var keeping: Set<Int> = []
    var breaking: Set<Int> = []
}

struct ArrayFacts: Sendable {
    var minItems = 0
    var maxItems: Int?
    var isUnique = false
    var repeats = false
    /// Demands on every element from one place up to another.
    var every: [(from: Int, to: Int?, literals: [Literal])] = []
    var some: [(from: Int, to: Int?, literals: [Literal])] = []
}

struct ObjectFacts: Sendable {
    var minMembers = 0
    var maxMembers: Int?
    var required: [ExactString] = []
    var absent: Set<ExactString> = []
    var every: [(names: NameClass, literals: [Literal])] = []
    var some: [(names: NameClass, literals: [Literal])] = []
    /// Demands on every name.
    var everyName: [Literal] = []
    /// Demands on some name.
    var someName: [[Literal]] = []
    /// The members that the writer's schema names; used only for a strict writer.
    var declared: Set<ExactString> = []
    var isClosedByWriter = false
    var isOpenByWriter = false

    mutating func require(_ name: ExactString) {
        if !required.contains(name) { required.append(name) }
    }
}
