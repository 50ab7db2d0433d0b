import HoldfastJSON

/// Arrays, and equality of their elements.
extension FlatRun {
    @inline(never)
    mutating func elements(_ index: Int, _ first: Int, _ count: Int, _ rest: NodeID) -> Bool {
        var element = index + 1
        var left = tokens[index].length
        for number in 0..<count where left > 0 {
            guard holds(lists[first + number], element) else { return false }
            element = Int(tokens[element].link)
            left -= 1
        }
        guard rest >= 0 else { return true }
        while left > 0 {
            guard holds(rest, element) else { return false }
            element = Int(tokens[element].link)
            left -= 1
        }
        return true
    }

    @inline(never)
    mutating func contains(_ index: Int, _ node: NodeID, _ min: Int, _ max: Int) -> Bool {
        var found = 0
        var element = index + 1
        for _ in 0..<tokens[index].length {
            if holds(node, element) { found += 1 }
            element = Int(tokens[element].link)
        }
        return found >= min && found <= max
    }

    /// Whether no two elements are equal; nil if that needs more than a few comparisons.
    func hasUniqueElements(_ index: Int) -> Bool? {
        guard tokens[index].length <= 32 else { return nil }
        var budget = 4_096
        var element = index + 1
        for _ in 0..<tokens[index].length {
            var other = index + 1
            while other < element {
                guard let isEqual = areEqual(element, other, &budget) else { return nil }
                if isEqual { return false }
                other = Int(tokens[other].link)
            }
            element = Int(tokens[element].link)
        }
        return true
    }

    /// Whether two values are equal; nil if that is expensive to decide.
    private func areEqual(_ left: Int, _ right: Int, _ budget: inout Int) -> Bool? {
        budget -= 1
        guard budget > 0 else { return nil }
        let (one, other) = (tokens[left], tokens[right])
        guard one.kind == other.kind else { return false }
        switch one.kind {
        case .null, .no, .yes: return true
        case .number:
            if sameBytes(one, other) { return true }
            // Two spellings of one integer differ in length, as 0 and -0 do.
            let mayBeEqual =
                one.length != other.length || !one.isPlain || !other.isPlain
            return mayBeEqual && view.number(one) == view.number(other)
        case .string:
            return sameBytes(one, other)
        case .array:
            guard one.length == other.length else { return false }
            var (left, right) = (left + 1, right + 1)
            for _ in 0..<one.length {
                guard let isEqual = areEqual(left, right, &budget) else { return nil }
                guard isEqual else { return false }
                (left, right) = (Int(tokens[left].link), Int(tokens[right].link))
            }
            return true
        case .object:
            guard one.length == other.length else { return false }
            var key = left + 1
            var expected = right + 1
            for _ in 0..<one.length {
                // Objects of one kind usually have their members in the same order.
                guard let value = sameName(key, expected) ? expected + 1 : member(key, of: right, &budget) else {
                    return budget > 0 ? false : nil
                }
                guard let isEqual = areEqual(key + 1, value, &budget) else { return nil }
                guard isEqual else { return false }
                key = Int(tokens[key + 1].link)
                expected = Int(tokens[expected + 1].link)
            }
            return true
        }
    }

    /// The value of an object's member, named by a key elsewhere.
    private func member(_ name: Int, of index: Int, _ budget: inout Int) -> Int? {
        var key = index + 1
        for _ in 0..<tokens[index].length {
            budget -= 1
            guard budget > 0 else { return nil }
            if sameName(name, key) { return key + 1 }
            key = Int(tokens[key + 1].link)
        }
        return nil
    }

    private func sameName(_ left: Int, _ right: Int) -> Bool {
        tokens[left].link == tokens[right].link && sameBytes(tokens[left], tokens[right])
    }

    private func sameBytes(_ left: TapeToken, _ right: TapeToken) -> Bool {
        left.length == right.length && NameSearch.areEqual(bytes(left), bytes(right))
    }
}
