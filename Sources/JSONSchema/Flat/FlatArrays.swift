import HoldfastJSON

/// Arrays, and differences between their elements.
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

    /// Whether all elements certainly differ; if not, the slow evaluation decides.
    func surelyDiffer(_ index: Int) -> Bool {
        guard tokens[index].length <= 32 else { return false }
        var element = index + 1
        for _ in 0..<tokens[index].length {
            var other = index + 1
            while other < element {
                guard surelyDiffer(element, other) else { return false }
                other = Int(tokens[other].link)
            }
            element = Int(tokens[element].link)
        }
        return true
    }

    private func surelyDiffer(_ left: Int, _ right: Int) -> Bool {
        let (one, other) = (tokens[left], tokens[right])
        guard one.kind == other.kind else { return true }
        switch one.kind {
        case .null, .no, .yes: return false
        case .string: return !areSame(one, other)
        // Two spellings of one integer differ in length, as 0 and -0 do.
        case .number: return one.isPlain && other.isPlain && one.length == other.length && !areSame(one, other)
        case .array: return one.length != other.length
        case .object:
            // Objects of one kind usually begin with the same member, such as an id.
            return one.length != other.length
                || one.length > 0 && areSame(tokens[left + 1], tokens[right + 1]) && surelyDiffer(left + 2, right + 2)
        }
    }

    private func areSame(_ left: TapeToken, _ right: TapeToken) -> Bool {
        NameSearch.areEqual(bytes(left), bytes(right))
    }
}
