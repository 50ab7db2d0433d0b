/// An exact decimal, ±digits × 10^exponent; the digits neither start nor end with zero, and zero has none.
struct Decimal: Hashable, Comparable {
    let isNegative: Bool
    let digits: [UInt8]
    let exponent: Int

    /// Larger exponents are clamped to this value; numbers that differ only beyond it do not occur in practice.
    private static let exponentBound = 1 << 60

    /// Reads a number that is valid in RFC 8259.
    init(_ text: String) {
        var isNegative = false
        var digits: [UInt8] = []
        var fractionCount = 0
        var isFraction = false
        var exponent = 0
        var exponentIsNegative = false
        var isExponent = false
        for byte in text.utf8 {
            switch byte {
            case UInt8(ascii: "-"):
                if isExponent { exponentIsNegative = true } else { isNegative = true }
            case UInt8(ascii: "."): isFraction = true
            case UInt8(ascii: "e"), UInt8(ascii: "E"): isExponent = true
            case UInt8(ascii: "0")...UInt8(ascii: "9"):
                let digit = byte - UInt8(ascii: "0")
                if isExponent {
                    if exponent < Self.exponentBound / 10 {
                        exponent = exponent * 10 + Int(digit)
                    } else {
                        exponent = Self.exponentBound
                    }
                } else {
                    if isFraction { fractionCount += 1 }
                    if digit != 0 || !digits.isEmpty { digits.append(digit) }
                }
            default: break
            }
        }
        exponent = (exponentIsNegative ? -exponent : exponent) - fractionCount
        while digits.last == 0 {
            digits.removeLast()
            exponent += 1
        }
        self.isNegative = isNegative && !digits.isEmpty
        self.digits = digits
        self.exponent = digits.isEmpty ? 0 : exponent
    }

    var isInteger: Bool { exponent >= 0 }

    var int: Int? {
        guard isInteger, digits.count + exponent <= 19 else { return nil }
        var value = 0
        for position in 0..<(digits.count + exponent) {
            let digit = position < digits.count ? Int(digits[position]) : 0
            let (tenfold, overflow) = value.multipliedReportingOverflow(by: 10)
            // Counts downward, because Int.min has no positive counterpart.
            let (next, tooLow) = tenfold.subtractingReportingOverflow(digit)
            if overflow || tooLow { return nil }
            value = next
        }
        if isNegative { return value }
        return value == .min ? nil : -value
    }

    static func < (left: Decimal, right: Decimal) -> Bool {
        if left.isNegative != right.isNegative { return left.isNegative }
        return left.isNegative ? right.isNearerToZero(than: left) : left.isNearerToZero(than: right)
    }

    private func isNearerToZero(than other: Decimal) -> Bool {
        if digits.isEmpty || other.digits.isEmpty { return digits.isEmpty && !other.digits.isEmpty }
        let magnitude = digits.count + exponent
        let otherMagnitude = other.digits.count + other.exponent
        if magnitude != otherMagnitude { return magnitude < otherMagnitude }
        return digits.lexicographicallyPrecedes(other.digits)
    }

    func isMultiple(of other: Decimal) -> Bool {
        guard !other.digits.isEmpty else { return false }
        guard !digits.isEmpty else { return true }
        // The digits do not end in zero, so no power of ten divides them.
        guard exponent >= other.exponent else { return false }
        // n digits contain fewer than 4n factors of two or five, so further zeros change nothing.
        let zeros = min(exponent - other.exponent, other.digits.count * 4)
        let divisor = other.digits
        // One digit more than the divisor, most significant first.
        var rest = [UInt8](repeating: 0, count: divisor.count + 1)
        for position in 0..<(digits.count + zeros) {
            rest.removeFirst()
            rest.append(position < digits.count ? digits[position] : 0)
            while rest[0] > 0 || !rest.dropFirst().lexicographicallyPrecedes(divisor) {
                var borrow: UInt8 = 0
                for index in stride(from: divisor.count - 1, through: 0, by: -1) {
                    let subtrahend = divisor[index] + borrow
                    if rest[index + 1] < subtrahend {
                        rest[index + 1] = rest[index + 1] + 10 - subtrahend
                        borrow = 1
                    } else {
                        rest[index + 1] -= subtrahend
                        borrow = 0
                    }
                }
                rest[0] -= borrow
            }
        }
        return rest.allSatisfy { $0 == 0 }
    }
}
