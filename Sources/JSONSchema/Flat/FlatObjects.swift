import JSON

/// Objects, and the tables in which their names are found.
extension FlatRun {
    /// Looks at every member once: what its name leads to, and whether all names that must be there were.
    mutating func holds(_ shape: UnsafePointer<FlatProgram.Shape>, _ index: Int) -> Bool {
        let table = shape.pointee.table
        var seen: UInt64 = 0
        var key = index + 1
        for _ in 0..<tokens[index].length {
            var target = FlatProgram.unnamed
            if let slot = slot(key, tokens[key].link, in: table) {
                target = slot.pointee.target
                seen |= slot.pointee.bit
            }
            if shape.pointee.patternCount > 0 {
                guard let isKnown = patterns(shape, key) else { return false }
                if isKnown, target == FlatProgram.unnamed { target = FlatProgram.anything }
            }
            if target == FlatProgram.unnamed { target = shape.pointee.rest }
            guard holds(target, key + 1), holds(shape.pointee.names, key) else { return false }
            key = Int(tokens[key + 1].link)
        }
        return seen & shape.pointee.required == shape.pointee.required
    }

    /// Applies the nodes of all patterns a name matches; tells whether there was one, or nil when a node does not hold.
    private mutating func patterns(_ shape: UnsafePointer<FlatProgram.Shape>, _ key: Int) -> Bool? {
        var isKnown = false
        for number in 0..<Int(shape.pointee.patternCount) {
            let pair = lists + Int(shape.pointee.firstPattern) + number * 3
            guard pair[0] >= 0 ? matches(key, pair[0], pair[1]) : ask(pair[1], key) else { continue }
            isKnown = true
            guard holds(pair[2], key + 1) else { return nil }
        }
        return isKnown
    }

    /// Applies the one branch that a member names.
    mutating func jump(_ index: Int, _ property: FlatProgram.Slot, _ table: FlatProgram.NameTable) -> Bool {
        guard let value = member(property, of: index), tokens[value].kind == .string,
            let branch = find(value, in: table)
        else { return false }
        return holds(branch.pointee.target, index)
    }

    /// The value of the member a slot names.
    func member(_ slot: FlatProgram.Slot, of index: Int) -> Int? {
        var key = index + 1
        for _ in 0..<tokens[index].length {
            if tokens[key].link == slot.hash, isSame(view.bytes(tokens[key]), slot) { return key + 1 }
            key = Int(tokens[key + 1].link)
        }
        return nil
    }

    /// The slot of a key whose hash is known.
    @inline(__always)
    private func slot(
        _ key: Int, _ hash: UInt32, in table: FlatProgram.NameTable
    ) -> UnsafePointer<FlatProgram.Slot>? {
        find(view.bytes(tokens[key]), hash, in: table)
    }

    /// The slot of a string value.
    mutating func find(_ index: Int, in table: FlatProgram.NameTable) -> UnsafePointer<FlatProgram.Slot>? {
        let run = self
        return withBytes(tokens[index]) { name in
            guard let base = name.baseAddress else { return run.find(name, NameHash.hash(of: []), in: table) }
            let ends = NameHash.ends(base, name.count, limit: base + name.count)
            return run.find(name, NameHash.hash(ends, name.count), in: table)
        }
    }

    /// The slot of a name; a table always has an empty one, at which the search ends.
    @inline(__always)
    private func find(
        _ name: UnsafeBufferPointer<UInt8>, _ hash: UInt32, in table: FlatProgram.NameTable
    ) -> UnsafePointer<FlatProgram.Slot>? {
        let first = slots + Int(table.first)
        var position = Int(hash) & Int(table.mask)
        while first[position].count >= 0 {
            if first[position].hash == hash, isSame(name, first[position]) { return first + position }
            position = (position + 1) & Int(table.mask)
        }
        return nil
    }

    @inline(__always)
    private func isSame(_ name: UnsafeBufferPointer<UInt8>, _ slot: FlatProgram.Slot) -> Bool {
        guard name.count == Int(slot.count) else { return false }
        let other = letters + Int(slot.letters)
        for position in name.indices where name[position] != other[position] { return false }
        return true
    }
}
