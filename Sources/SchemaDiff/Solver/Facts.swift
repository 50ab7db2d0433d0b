import HoldfastJSON
import HoldfastJSONSchema

/// All demands on one value, on one path through the alternatives.
struct Facts: Sendable {
    var kinds = KindSet.all
    /// The only possible values, if there are few.
    var choices: [JSONValue]?
    var excluded: [JSONValue] = []
    var numbers = NumberFacts()
    var strings = StringFacts()
    var arrays = ArrayFacts()
    var objects = ObjectFacts()
    /// Lists of alternatives that are still open: one of each list must hold.
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
    var every: [Literal] = []
    /// Demands; at least one element must meet each of them.
    var some: [[Literal]] = []
}

struct ObjectFacts: Sendable {
    var required: [ExactString] = []
    var absent: Set<ExactString> = []
    var every: [(names: NameClass, literals: [Literal])] = []
    var some: [(names: NameClass, literals: [Literal])] = []
    /// The members that the writer's schema names; used only if the solver is lenient.
    var declared: Set<ExactString> = []
    var isClosedByWriter = false
    var isOpenByWriter = false

    mutating func require(_ name: ExactString) {
        if !required.contains(name) { required.append(name) }
    }
}
