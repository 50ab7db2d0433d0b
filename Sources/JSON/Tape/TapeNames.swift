/// Finds duplicate names in an object.
extension JSONTape {
    /// Up to this size, a linear search is fast; larger objects are sorted once complete.
    static var searchedMembers: UInt32 { 32 }

    /// Hashes the key at the end of the tape, and returns whether it is new in its object.
    @inline(__always)
    mutating func nameIsNew(_ depth: Int, _ text: JSONText) -> Bool {
        let index = count - 1
        let hash = hashName(text)
        open[depth].members += 1
        let bit = UInt64(1) << UInt64(hash >> 26)
        let mayBeKnown = open[depth].names & bit != 0
        open[depth].names |= bit
        guard mayBeKnown, open[depth].members <= Self.searchedMembers else { return true }
        return !isKnown(index, since: open[depth].token + 1, text)
    }

    /// Stores the hash in the link of the key at the end of the tape.
    @inline(__always)
    @discardableResult
    mutating func hashName(_ text: JSONText) -> UInt32 {
        let token = tokens[count - 1]
        let (start, end) = token.isInAnnex ? (UnsafePointer(annex.start), annex.end) : (text.start, text.end)
        let hash = NameHash.hash(start + Int(token.start), Int(token.length), limit: end)
        tokens[count - 1].link = hash
        return hash
    }

    /// Whether the key at `index` is equal to one of the keys from `first` on.
    @inline(never)
    private func isKnown(_ index: Int, since first: Int, _ text: JSONText) -> Bool {
        let view = view(text)
        var other = first
        while other < index {
            if tokens[other].link == tokens[index].link, view.compare(other, index) == 0 { return true }
            other = Int(tokens[other + 1].link)
        }
        return false
    }

    /// Whether all names of a large object differ: after sorting, equal ones would be neighbors.
    @inline(never)
    func namesDiffer(_ object: Int, _ text: JSONText) -> Bool {
        let view = view(text)
        let names = view.parts(of: object).sorted { view.compare($0, $1) < 0 }
        return zip(names, names.dropFirst()).allSatisfy { view.compare($0, $1) != 0 }
    }
}

extension TapeView {
    /// Orders two keys by length and bytes.
    fileprivate func compare(_ left: Int, _ right: Int) -> Int {
        let (left, right) = (bytes(tokens[left]), bytes(tokens[right]))
        guard left.count == right.count else { return left.count < right.count ? -1 : 1 }
        guard let difference = left.indices.first(where: { left[$0] != right[$0] }) else { return 0 }
        return left[difference] < right[difference] ? -1 : 1
    }
}
