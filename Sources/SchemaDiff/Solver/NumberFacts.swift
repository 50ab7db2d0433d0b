import HoldfastJSON

struct NumberFacts: Sendable {
    struct Bound: Sendable {
        let number: JSONNumber
        let isOpen: Bool
    }

    private var lower: Bound?
    private var upper: Bound?

    mutating func raise(to number: JSONNumber, isOpen: Bool) {
        if let lower, lower.number > number || (lower.number == number && (lower.isOpen || !isOpen)) { return }
        lower = Bound(number: number, isOpen: isOpen)
    }

    mutating func lower(to number: JSONNumber, isOpen: Bool) {
        if let upper, upper.number < number || (upper.number == number && (upper.isOpen || !isOpen)) { return }
        upper = Bound(number: number, isOpen: isOpen)
    }

    private func admits(_ number: JSONNumber) -> Bool {
        if let lower, number < lower.number || (lower.isOpen && number == lower.number) { return false }
        if let upper, number > upper.number || (upper.isOpen && number == upper.number) { return false }
        return true
    }

    func solve(kinds: KindSet, excluded: [JSONValue]) -> Outcome {
        if let lower, let upper,
            lower.number > upper.number || (lower.number == upper.number && (lower.isOpen || upper.isOpen))
        {
            return .none
        }
        let taken = Set(excluded.compactMap(\.numberValue))
        func good(_ number: JSONNumber) -> Outcome? {
            let isFree = kinds.contains(KindSet(of: .number(number))) && !taken.contains(number) && admits(number)
            return isFree ? .found(.number(number)) : nil
        }
        // Plain numbers read best: 0 and 1 come first if they are allowed.
        if let plain = good(0) ?? good(1) { return plain }
        let numbers = [lower, upper].compactMap { $0?.number }
        let bounds = numbers.compactMap(\.thousandths)
        guard bounds.count == numbers.count else { return .unknown("a bound has too many digits") }
        guard kinds.contains(.fraction) else { return integer(bounds, good) }
        // A range of more than one point has infinitely many candidates, and every exclusion removes only single ones.
        let middle = bounds.count == 2 ? [bounds[0] / 2 + bounds[1] / 2] : []
        let steps = [1000, 100, 10, 1].flatMap { unit in [1, -1, 2, -2, 3, -3, 7, -7, 11, -11].map { $0 * unit } }
        let near = (bounds + [0]).flatMap { bound in [0] + steps.map { bound + $0 } }
        for candidate in bounds + middle + near {
            if let found = good(JSONNumber(thousandths: candidate)) { return found }
        }
        return numbers.count == 2 && numbers[0] == numbers[1]
            ? .none : .unknown("no number was found between the bounds")
    }

    /// Walks from the lower bound upwards; without one, from the upper bound downwards.
    private func integer(_ bounds: [Int], _ good: (JSONNumber) -> Outcome?) -> Outcome {
        let goesDown = lower == nil && upper != nil
        let start = bounds.first.map { goesDown ? $0.floored(1000) : -(-$0).floored(1000) } ?? 0
        for offset in 0..<4000 {
            let number = JSONNumber(goesDown ? start - offset : start + offset)
            if let found = good(number) { return found }
            if let upper, !goesDown, number > upper.number { return .none }
        }
        return .unknown("no integer was found between the bounds")
    }
}

extension JSONNumber {
    /// The number in thousandths, so small that sums fit 64 bits; nil if it is finer, larger or has an exponent.
    fileprivate var thousandths: Int? {
        let parts = text.split(separator: ".", maxSplits: 1)
        guard let whole = Int(parts[0]), whole.magnitude <= 9_100_000_000_000_000 else { return nil }
        guard parts.count == 2 else { return whole * 1000 }
        guard parts[1].utf8.count <= 3, let part = Int((parts[1] + "00").prefix(3)) else { return nil }
        return whole * 1000 + (text.hasPrefix("-") ? -part : part)
    }

    fileprivate init(thousandths: Int) {
        let (whole, part) = thousandths.magnitude.quotientAndRemainder(dividingBy: 1000)
        let digits = String(String(1000 + part).dropFirst().reversed().drop { $0 == "0" }.reversed())
        let text = (thousandths < 0 ? "-" : "") + "\(whole)" + (digits.isEmpty ? "" : "." + digits)
        self = JSONNumber(text: text) ?? JSONNumber(0)
    }
}

extension Int {
    /// The quotient, rounded down.
    fileprivate func floored(_ divisor: Int) -> Int { self / divisor - (self % divisor < 0 ? 1 : 0) }
}
