import HoldfastJSON

struct NumberFacts: Sendable {
    struct Bound: Sendable {
        let number: JSONNumber
        let isOpen: Bool
    }

    private var lower: Bound?
    private var upper: Bound?
    var multiples: [JSONNumber] = []
    var notMultiples: [JSONNumber] = []

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
        return multiples.allSatisfy { number.isMultiple(of: $0) }
            && !notMultiples.contains { number.isMultiple(of: $0) }
    }

    /// A number that is as asked.
    func solve(kinds: KindSet, excluded: [JSONValue]) -> Outcome {
        if let lower, let upper,
            lower.number > upper.number || (lower.number == upper.number && (lower.isOpen || upper.isOpen))
        {
            return .none
        }
        var facts = self
        if !kinds.contains(.fraction) { facts.multiples.append(1) }
        if !kinds.contains(.integer) { facts.notMultiples.append(1) }
        let taken = Set(excluded.compactMap(\.numberValue))
        func good(_ number: ExactNumber?) -> Outcome? {
            guard let number = number?.number, !taken.contains(number), facts.admits(number) else { return nil }
            return .found(.number(number))
        }
        let numbers = [lower, upper].compactMap { $0?.number }
        let bounds = numbers.compactMap { ExactNumber($0) }
        guard bounds.count == numbers.count else {
            return .unknown("a bound has too many digits")
        }
        if !facts.multiples.isEmpty { return facts.multiple(good) }
        // A range of more than one point holds endless candidates, of which every exclusion takes only single ones.
        var candidates: [ExactNumber?] = [ExactNumber(0), ExactNumber(1)] + bounds
        if bounds.count == 2 { candidates.append(bounds[0].plus(bounds[1])?.half) }
        for bound in bounds + [ExactNumber(0)] {
            var step = ExactNumber(1)
            for _ in 0..<18 {
                for factor in [1, -1, 2, -2, 3, -3, 7, -7, 11, -11] as [WideInteger] {
                    candidates.append(step.times(factor).flatMap(bound.plus))
                }
                step = step.tenth
            }
        }
        // Values that all readers treat alike come first.
        let plain = candidates.lazy.filter { $0?.number?.isOrdinary ?? false }
        if let found = plain.compactMap(good).first ?? candidates.lazy.compactMap(good).first { return found }
        return numbers.count == 2 && numbers[0] == numbers[1]
            ? .none : .unknown("no number was found between the bounds")
    }

    /// Walks through the multiples within the bounds.
    private func multiple(_ good: (ExactNumber?) -> Outcome?) -> Outcome {
        var unit: ExactNumber?
        for multiple in multiples {
            let exact = ExactNumber(multiple)
            unit = unit.map { one in exact.flatMap(one.leastCommonMultiple) } ?? exact
            guard unit != nil else { return .unknown("multipleOf has too many digits") }
        }
        guard let unit, let unitNumber = unit.number else { return .unknown("multipleOf has too many digits") }
        if notMultiples.contains(where: { unitNumber.isMultiple(of: $0) }) { return .none }
        // From the lower bound upwards; without one, from the upper bound downwards.
        let goesDown = lower == nil && upper != nil
        let nearest =
            goesDown ? upper.flatMap { ExactNumber($0.number)?.times(-1) } : lower.flatMap { ExactNumber($0.number) }
        guard let start = nearest.map({ $0.quotientUp(unit) }) ?? 0 else {
            return .unknown("a bound has too many digits")
        }
        let direction: WideInteger = goesDown ? -1 : 1
        // Plain numbers read best: 0 and 1 come first where they are allowed.
        for factor in [0, 1] as [WideInteger] {
            if let found = good(unit.times(factor)) { return found }
        }
        for offset in 0..<4000 {
            guard let factor = start.plus(WideInteger(offset))?.times(direction), let exact = unit.times(factor),
                let number = exact.number
            else { break }
            if let found = good(exact) { return found }
            if let upper, !goesDown, number > upper.number { return .none }
        }
        return .unknown("no multiple was found between the bounds")
    }
}
