import HoldfastJSON

/// A decimal with exact arithmetic, as far as 128 bits reach; what does not fit has no answer.
struct ExactNumber: Sendable {
    private var mantissa: WideInteger
    private var exponent: Int

    init(_ value: Int) {
        mantissa = WideInteger(value)
        exponent = 0
    }

    private init(mantissa: WideInteger, exponent: Int) { (self.mantissa, self.exponent) = (mantissa, exponent) }

    /// Reads a number; nil when it has more digits than fit.
    init?(_ number: JSONNumber) {
        let parts = number.text.split(whereSeparator: { $0 == "e" || $0 == "E" })
        guard let digits = parts.first, digits.utf8.count <= 34 else { return nil }
        var exponent = 0
        if parts.count > 1 {
            let text = parts[1].hasPrefix("+") ? parts[1].dropFirst() : parts[1]
            guard let value = Int(text), abs(value) <= 30 else { return nil }
            exponent = value
        }
        var plain = digits
        if let point = digits.firstIndex(of: ".") {
            exponent -= digits.distance(from: point, to: digits.endIndex) - 1
            plain.remove(at: point)
        }
        guard let mantissa = WideInteger(plain) else { return nil }
        self.init(mantissa: mantissa, exponent: exponent)
    }

    /// The number as JSON writes it.
    var number: JSONNumber? {
        var mantissa = mantissa
        var exponent = exponent
        while exponent < 0 {
            let (quotient, remainder) = mantissa.divided(by: 10)
            guard remainder == 0 else { break }
            mantissa = quotient
            exponent += 1
        }
        let sign = mantissa.isNegative ? "-" : ""
        guard exponent >= 0 else {
            var digits = mantissa.digits
            if digits.count <= -exponent {
                digits = String(repeating: "0", count: -exponent - digits.count + 1) + digits
            }
            let point = digits.index(digits.endIndex, offsetBy: exponent)
            return JSONNumber(text: sign + digits[..<point] + "." + digits[point...])
        }
        return JSONNumber(text: sign + mantissa.digits + (mantissa == 0 ? "" : String(repeating: "0", count: exponent)))
    }

    /// Both mantissas at one exponent.
    private static func aligned(_ left: ExactNumber, _ right: ExactNumber) -> (WideInteger, WideInteger, Int)? {
        let exponent = min(left.exponent, right.exponent)
        guard let one = left.scaled(to: exponent), let other = right.scaled(to: exponent) else { return nil }
        return (one, other, exponent)
    }

    private func scaled(to exponent: Int) -> WideInteger? {
        var value = mantissa
        guard self.exponent - exponent <= 40 else { return nil }
        for _ in 0..<(self.exponent - exponent) {
            guard let next = value.times(10) else { return nil }
            value = next
        }
        return value
    }

    func plus(_ other: ExactNumber) -> ExactNumber? {
        guard let (left, right, exponent) = Self.aligned(self, other) else { return nil }
        return left.plus(right).map { ExactNumber(mantissa: $0, exponent: exponent) }
    }

    func times(_ factor: WideInteger) -> ExactNumber? {
        mantissa.times(factor).map { ExactNumber(mantissa: $0, exponent: exponent) }
    }

    /// Half of it, exactly.
    var half: ExactNumber? { tenth.times(5) }

    /// A tenth of it, exactly.
    var tenth: ExactNumber { ExactNumber(mantissa: mantissa, exponent: exponent - 1) }

    /// How often `other` fits in, rounded up; `other` is above 0.
    func quotientUp(_ other: ExactNumber) -> WideInteger? {
        guard let (left, right, _) = Self.aligned(self, other), right.isPositive else { return nil }
        let (quotient, remainder) = left.divided(by: right)
        return remainder.isPositive ? quotient.plus(1) : quotient
    }

    /// The least number above 0 that both divide.
    func leastCommonMultiple(_ other: ExactNumber) -> ExactNumber? {
        guard let (left, right, exponent) = Self.aligned(self, other), left.isPositive, right.isPositive
        else { return nil }
        var (one, two) = (left, right)
        while two != 0 { (one, two) = (two, one.divided(by: two).remainder) }
        return left.divided(by: one).quotient.times(right).map { ExactNumber(mantissa: $0, exponent: exponent) }
    }
}

extension JSONNumber {
    /// Whether readers that hold numbers as doubles see the same number, written as people write it.
    var isOrdinary: Bool {
        if text.contains(where: { $0 == "e" || $0 == "E" }) { return false }
        if let whole = Int(text) { return whole.magnitude <= 1 << 53 }
        // Doubles hold any fifteen digits.
        return text.count { $0.isNumber } <= 15
    }
}

extension JSONValue {
    /// Whether every reader of JSON sees the same value.
    var isOrdinary: Bool {
        switch self {
        case .number(let number): number.isOrdinary
        case .array(let values): values.allSatisfy(\.isOrdinary)
        case .object(let object): object.allSatisfy { $0.value.isOrdinary }
        default: true
        }
    }

    /// The same value, its numbers without exponents.
    var withPlainNumbers: JSONValue {
        switch self {
        case .number(let number): number.isOrdinary ? self : .number(ExactNumber(number)?.number ?? number)
        case .array(let values): .array(values.map(\.withPlainNumbers))
        case .object(let object):
            .object(JSONObject(object.map { (key: $0.key, value: $0.value.withPlainNumbers) }))
        default: self
        }
    }
}
