indirect enum PatternNode {
    case empty
    case set(PatternSet)
    case start
    case end
    case sequence([PatternNode])
    case alternatives([PatternNode])
    /// Greedy and lazy repetition accept the same texts.
    case repetition(PatternNode, min: Int, max: Int?)
}

/// A set of scalars that one position of an expression accepts.
package struct PatternSet: Sendable {
    package enum Item: Sendable {
        case range(UInt32, UInt32)
        case property(PatternProperty, isNegated: Bool)
        case nested(PatternSet)
    }

    package var items: [Item]
    package var isNegated = false
    private var low: UInt64 = 0
    private var high: UInt64 = 0

    init(_ items: [Item], isNegated: Bool = false) {
        self.items = items
        self.isNegated = isNegated
        for item in items {
            switch item {
            case .range(let first, let last) where first < 128: mark(first...min(last, 127))
            case .range: break
            case .nested(let set): (low, high) = (low | set.low, high | set.high)
            case .property(let property, let isNegated):
                for value in 0...127 as ClosedRange<UInt32> where property.contains(value) != isNegated {
                    mark(value...value)
                }
            }
        }
        if isNegated { (low, high) = (~low, ~high) }
    }

    private mutating func mark(_ values: ClosedRange<UInt32>) {
        for value in values {
            if value < 64 { low |= 1 << value } else { high |= 1 << (value - 64) }
        }
    }

    package func contains(_ value: UInt32) -> Bool {
        if value < 64 { return low >> value & 1 == 1 }
        if value < 128 { return high >> (value - 64) & 1 == 1 }
        return search(value)
    }

    private func search(_ value: UInt32) -> Bool {
        let isFound = items.contains { item in
            switch item {
            case .range(let first, let last): first <= value && value <= last
            case .property(let property, let isNegated): property.contains(value) != isNegated
            case .nested(let set): set.contains(value)
            }
        }
        return isFound != isNegated
    }

    static let digit = PatternSet([.range(0x30, 0x39)])
    static let word = PatternSet([.range(0x30, 0x39), .range(0x41, 0x5A), .range(0x5F, 0x5F), .range(0x61, 0x7A)])
    /// WhiteSpace and LineTerminator of ECMA-262.
    static let space = PatternSet([
        .range(0x09, 0x0D), .range(0x20, 0x20), .range(0xA0, 0xA0), .range(0x1680, 0x1680), .range(0x2000, 0x200A),
        .range(0x2028, 0x2029), .range(0x202F, 0x202F), .range(0x205F, 0x205F), .range(0x3000, 0x3000),
        .range(0xFEFF, 0xFEFF),
    ])
    static let dot = PatternSet([.range(0x0A, 0x0A), .range(0x0D, 0x0D), .range(0x2028, 0x2029)], isNegated: true)

    var negated: PatternSet { PatternSet([.nested(self)], isNegated: true) }
}
