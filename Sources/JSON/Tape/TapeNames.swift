/// Finds names that come twice in one object.
extension JSONTape {
    /// Up to so many members a search among the names before is quick; larger objects are sorted once they are whole.
    static var searchedMembers: UInt32 { 32 }

    /// Hashes the key at the end of the tape and tells whether its object, at that depth, has not had it before.
    @inline(__always)
    mutating func nameIsNew(_ depth: Int, _ end: Bytes, _ start: Bytes) -> Bool {
        let index = count - 1
        if tokens[index].isEscaped { unescape(index, start) }
        let token = tokens[index]
        let hash: UInt32
        if token.isInAnnex {
            hash = annex.withUnsafeBufferPointer { annex in
                guard let base = annex.baseAddress else { return 0 }
                return Self.hash(base + Int(token.start), Int(token.length), base + annex.count)
            }
        } else {
            hash = Self.hash(start + Int(token.start), Int(token.length), end)
        }
        tokens[index].link = hash
        open[depth].members += 1
        let bit = UInt64(1) << UInt64(hash >> 26)
        let mayBeKnown = open[depth].names & bit != 0
        open[depth].names |= bit
        guard mayBeKnown, open[depth].members <= Self.searchedMembers else { return true }
        return !isKnown(index, since: open[depth].token + 1, start)
    }

    @inline(__always)
    private static func hash(_ name: Bytes, _ count: Int, _ limit: Bytes) -> UInt32 {
        NameHash.hash(NameHash.ends(name, count, limit: limit), count)
    }

    /// Moves an escaped key into the annex.
    private mutating func unescape(_ index: Int, _ start: Bytes) {
        let token = tokens[index]
        let raw = UnsafeBufferPointer(start: start + Int(token.start), count: Int(token.length))
        let first = annex.count
        TapeEscapes.append(raw, to: &annex)
        tokens[index].start = UInt32(truncatingIfNeeded: first)
        tokens[index].length = UInt32(truncatingIfNeeded: annex.count - first)
        tokens[index].isEscaped = false
        tokens[index].isInAnnex = true
    }

    /// Whether the key at `index` is equal to one of the keys from `first` on.
    @inline(never)
    private func isKnown(_ index: Int, since first: Int, _ start: Bytes) -> Bool {
        var other = first
        while other < index {
            if tokens[other].link == tokens[index].link, compare(other, index, start) == 0 { return true }
            other = Int(tokens[other + 1].link)
        }
        return false
    }

    /// Whether all names of a large object differ: neighbours in order would be equal.
    @inline(never)
    func namesDiffer(_ object: Int, _ start: Bytes) -> Bool {
        var names: [Int] = []
        names.reserveCapacity(Int(tokens[object].length))
        var next = object + 1
        for _ in 0..<tokens[object].length {
            names.append(next)
            next = Int(tokens[next + 1].link)
        }
        names.sort { compare($0, $1, start) < 0 }
        return zip(names, names.dropFirst()).allSatisfy { compare($0, $1, start) != 0 }
    }

    /// Orders two keys by length and bytes.
    private func compare(_ left: Int, _ right: Int, _ start: Bytes) -> Int {
        let (left, right) = (tokens[left], tokens[right])
        guard left.length == right.length else { return left.length < right.length ? -1 : 1 }
        return annex.withUnsafeBufferPointer { annex in
            for offset in 0..<Int(left.length) {
                let one =
                    left.isInAnnex ? annex[Int(left.start) + offset] : start[Int(left.start) + offset]
                let other =
                    right.isInAnnex
                    ? annex[Int(right.start) + offset] : start[Int(right.start) + offset]
                if one != other { return one < other ? -1 : 1 }
            }
            return 0
        }
    }
}
