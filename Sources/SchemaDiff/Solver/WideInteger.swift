/// A sign and 128 bits: `Int128` is in macOS from 15 on and in iOS from 18.
struct WideInteger: Equatable, Sendable {
    let isNegative: Bool
    private let high: UInt64
    private let low: UInt64

    private init(isNegative: Bool = false, high: UInt64 = 0, low: UInt64) {
        self.isNegative = isNegative && (high, low) != (0, 0)
        self.high = high
        self.low = low
    }

    var isPositive: Bool { !isNegative && self != 0 }

    init(_ value: Int) { self.init(isNegative: value < 0, low: UInt64(value.magnitude)) }

    /// Decimal digits, a minus before them where there is one; nil when they do not fit.
    init?(_ text: some StringProtocol) {
        var value: WideInteger = 0
        for digit in text.utf8 where digit != UInt8(ascii: "-") {
            guard let next = value.times(10)?.plus(WideInteger(Int(digit) - 48)) else { return nil }
            value = next
        }
        self.init(isNegative: text.hasPrefix("-"), high: value.high, low: value.low)
    }

    /// The decimal digits, without a sign.
    var digits: String {
        guard high > 0 else { return String(low) }
        let (rest, last) = divided(by: 1_000_000_000_000_000_000)
        let end = String(last.low)
        return rest.digits + String(repeating: "0", count: 18 - end.count) + end
    }

    func plus(_ other: WideInteger) -> WideInteger? {
        guard isNegative != other.isNegative else {
            let (low, carries) = low.addingReportingOverflow(other.low)
            let (sum, overflows) = high.addingReportingOverflow(other.high)
            let (high, again) = sum.addingReportingOverflow(carries ? 1 : 0)
            return overflows || again ? nil : WideInteger(isNegative: isNegative, high: high, low: low)
        }
        let (large, small) = (high, low) >= (other.high, other.low) ? (self, other) : (other, self)
        let (low, borrows) = large.low.subtractingReportingOverflow(small.low)
        let high = large.high - small.high - (borrows ? 1 : 0)
        return WideInteger(isNegative: large.isNegative, high: high, low: low)
    }

    func times(_ other: WideInteger) -> WideInteger? {
        // The product of two high words does not fit, so at most one of the two products below is above 0.
        guard high == 0 || other.high == 0 else { return nil }
        let (carry, low) = low.multipliedFullWidth(by: other.low)
        let (left, overflows) = high.multipliedReportingOverflow(by: other.low)
        let (right, overflowsToo) = other.high.multipliedReportingOverflow(by: self.low)
        let (high, again) = carry.addingReportingOverflow(left + right)
        return overflows || overflowsToo || again
            ? nil : WideInteger(isNegative: isNegative != other.isNegative, high: high, low: low)
    }

    /// The quotient, rounded towards 0, and what remains, with the sign of the dividend; `other` is not 0.
    func divided(by other: WideInteger) -> (quotient: WideInteger, remainder: WideInteger) {
        let sign = isNegative != other.isNegative
        if other.high == 0 {
            let (first, rest) = high.quotientAndRemainder(dividingBy: other.low)
            let (second, remainder) = other.low.dividingFullWidth((rest, low))
            return (
                WideInteger(isNegative: sign, high: first, low: second),
                WideInteger(isNegative: isNegative, low: remainder)
            )
        }
        var (quotient, rest) = (0 as UInt64, (high, low))
        for shift in (0...other.high.leadingZeroBitCount).reversed() {
            let part = (other.high << shift | other.low >> (64 - shift), other.low << shift)
            guard rest >= part else { continue }
            let (low, borrows) = rest.1.subtractingReportingOverflow(part.1)
            rest = (rest.0 - part.0 - (borrows ? 1 : 0), low)
            quotient |= 1 << shift
        }
        return (
            WideInteger(isNegative: sign, low: quotient),
            WideInteger(isNegative: isNegative, high: rest.0, low: rest.1)
        )
    }
}

extension WideInteger: ExpressibleByIntegerLiteral {
    init(integerLiteral value: Int) { self.init(value) }
}
