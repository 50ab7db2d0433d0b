import HoldfastJSON
import HoldfastJSONSchema

/// Kinds of JSON values; integers are a separate kind.
struct KindSet: OptionSet, Hashable, Sendable {
    let rawValue: Int

    static let null = KindSet(rawValue: 1)
    static let boolean = KindSet(rawValue: 2)
    static let integer = KindSet(rawValue: 4)
    static let fraction = KindSet(rawValue: 8)
    static let string = KindSet(rawValue: 16)
    static let array = KindSet(rawValue: 32)
    static let object = KindSet(rawValue: 64)

    static let number: KindSet = [.integer, .fraction]
    static let all = KindSet(rawValue: 127)

    init(rawValue: Int) { self.rawValue = rawValue }

    init(_ types: TypeSet) {
        let kinds: [(TypeSet, KindSet)] = [
            (.null, .null), (.boolean, .boolean), (.integer, .integer), (.number, .number), (.string, .string),
            (.array, .array), (.object, .object),
        ]
        self = kinds.filter { types.contains($0.0) }.reduce([]) { $0.union($1.1) }
    }

    init(of value: JSONValue) {
        switch value {
        case .null: self = .null
        case .bool: self = .boolean
        case .number(let number): self = number.isInteger ? .integer : .fraction
        case .string: self = .string
        case .array: self = .array
        case .object: self = .object
        }
    }
}
