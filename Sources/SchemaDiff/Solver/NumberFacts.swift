import JSON

/// What is asked of a number.
struct NumberFacts: Sendable {
    /// A bound, and whether it is excluded.
    struct Bound: Sendable {
        let number: JSONNumber
        let isOpen: Bool
    }

    private(set) var lower: Bound?
    private(set) var upper: Bound?
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

    /// Whether no number is between the bounds.
    var isEmpty: Bool {
        guard let lower, let upper else { return false }
        return lower.number > upper.number || (lower.number == upper.number && (lower.isOpen || upper.isOpen))
    }

    private func admits(_ number: JSONNumber) -> Bool {
        if let lower, number < lower.number || (lower.isOpen && number == lower.number) { return false }
        if let upper, number > upper.number || (upper.isOpen && number == upper.number) { return false }
        return multiples.allSatisfy { number.isMultiple(of: $0) }
            && !notMultiples.contains { number.isMultiple(of: $0) }
    }

    /// A number that is as asked.
    func solve(kinds: KindSet, excluded: [JSONValue]) -> Outcome {
        guard !isEmpty else { return .none }
        var multiples = multiples
        var notMultiples = notMultiples
        let one: JSONNumber = 1
        if !kinds.contains(.fraction) { multiples.append(one) }
        if !kinds.contains(.integer) { notMultiples.append(one) }
        var facts = self
        facts.multiples = multiples
        facts.notMultiples = notMultiples
        let taken = Set(excluded.compactMap(\.numberValue))
        func isGood(_ number: JSONNumber) -> Bool { !taken.contains(number) && facts.admits(number) }
        let bounds = [lower?.number, upper?.number].compactMap { $0 }.compactMap { ExactNumber($0) }
        guard bounds.count == (lower == nil ? 0 : 1) + (upper == nil ? 0 : 1) else {
            return .unknown("a bound has more digits than can be reckoned with")
        }
        guard multiples.isEmpty else { return facts.solve(multiples: multiples, isGood) }
        // A range of more than one point holds endless candidates, of which every exclusion takes only single ones.
        var candidates = [ExactNumber(0), ExactNumber(1)] + bounds
        if bounds.count == 2, let middle = bounds[0].plus(bounds[1])?.half { candidates.append(middle) }
        for bound in bounds + [ExactNumber(0)] {
            var step = ExactNumber(1)
            for _ in 0..<18 {
                for factor in [1, 2, 3, 7, 11] as [Int128] {
                    if let distance = step.times(factor) {
                        if let above = bound.plus(distance) { candidates.append(above) }
                        if let negative = distance.times(-1), let below = bound.plus(negative) {
                            candidates.append(below)
                        }
                    }
                }
                step = step.tenth
            }
        }
        for candidate in candidates {
            if let number = candidate.number, isGood(number) { return .found(.number(number)) }
        }
        if let lower, let upper, lower.number == upper.number { return .none }
        return .unknown("no number was found between the bounds")
    }

    /// Walks through the multiples within the bounds.
    private func solve(multiples: [JSONNumber], _ isGood: (JSONNumber) -> Bool) -> Outcome {
        var unit: ExactNumber?
        for multiple in multiples {
            guard let exact = ExactNumber(multiple) else { return .unknown("multipleOf has too many digits") }
            unit = unit.map { $0.leastCommonMultiple(exact) } ?? exact
            guard unit != nil else { return .unknown("multipleOf has too many digits") }
        }
        guard let unit, let unitNumber = unit.number else { return .unknown("multipleOf has too many digits") }
        if notMultiples.contains(where: { unitNumber.isMultiple(of: $0) }) { return .none }
        var start: Int128 = 0
        var goesDown = false
        if let lower {
            guard let first = ExactNumber(lower.number)?.quotientUp(unit) else {
                return .unknown("a bound has more digits than can be reckoned with")
            }
            start = first
        } else if let upper {
            guard let last = ExactNumber(upper.number)?.times(-1)?.quotientUp(unit) else {
                return .unknown("a bound has more digits than can be reckoned with")
            }
            start = -last
            goesDown = true
        }
        // Plain numbers read best: 0 and 1 come first where they are allowed.
        for factor in [0, 1] as [Int128] {
            if let number = unit.times(factor)?.number, isGood(number) { return .found(.number(number)) }
        }
        for offset in 0..<4000 as Range<Int128> {
            guard let number = unit.times(start + (goesDown ? -offset : offset))?.number else { break }
            if isGood(number) { return .found(.number(number)) }
            if let upper, !goesDown, number > upper.number { return .none }
        }
        return .unknown("no multiple was found between the bounds")
    }
}
