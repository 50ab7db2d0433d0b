import HoldfastJSON

/// The evaluated members or elements of one value, by index.
struct Marks {
    private var isMarked: [Bool]

    init(_ value: JSONValue) {
        switch value {
        case .array(let values): isMarked = Array(repeating: false, count: values.count)
        case .object(let object): isMarked = Array(repeating: false, count: object.count)
        default: isMarked = []
        }
    }

    subscript(_ position: Int) -> Bool { isMarked[position] }

    mutating func mark(_ position: Int) { isMarked[position] = true }

    mutating func markAll() {
        for position in isMarked.indices {
            isMarked[position] = true
        }
    }

    mutating func formUnion(_ other: Marks) {
        for position in isMarked.indices where other.isMarked[position] {
            isMarked[position] = true
        }
    }
}
