import HoldfastJSONSchema

/// Classes of scalars that no pattern of a set distinguishes, with one scalar for each class.
struct Alphabet {
    /// The scalars, the most readable first.
    private(set) var scalars: [UInt32] = []
    /// Whether every existing scalar belongs to one of the classes.
    private(set) var isWhole = true

    init(_ sets: [PatternSet], extra: [UInt32] = []) {
        var starts: Set<UInt32> = [0, 0xE000]
        for set in sets { collect(set, into: &starts) }
        for scalar in extra { starts.formUnion([scalar, scalar + 1]) }
        var candidates: [UInt32] = []
        candidates += 0x61...0x7A
        candidates += 0x30...0x39
        candidates += 0x41...0x5A
        candidates += 0x21...0x2F
        candidates += 0x3A...0x40
        candidates += 0x5B...0x60
        candidates += 0x7B...0x7E
        candidates += [0x20, 0xE9, 0x416, 0x4E2D, 0x1F600, 0x301, 0xA0, 0x2028, 0x0A, 0x09, 0x0D, 0x7F]
        candidates += starts.sorted()
        let extra = Set(extra)
        var known: Set<[Bool]> = []
        for scalar in candidates where scalar <= 0x10FFFF && !(0xD800...0xDFFF).contains(scalar) {
            var members = sets.map { $0.contains(scalar) }
            // A scalar that occurs in a word is a class of its own.
            if extra.contains(scalar) { members += (0..<21).map { scalar >> $0 & 1 == 1 } }
            if known.insert(members).inserted { scalars.append(scalar) }
        }
    }

    private mutating func collect(_ set: PatternSet, into starts: inout Set<UInt32>) {
        for item in set.items {
            switch item {
            case .range(let first, let last): starts.formUnion([first, last &+ 1])
            case .nested(let inner): collect(inner, into: &starts)
            case .property: isWhole = false
            }
        }
    }
}
