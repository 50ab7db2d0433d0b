import HoldfastJSON

/// Objects, and lookup of member names.
extension FlatRun {
    /// Checks every member once: the node of its name, and whether all required names are present.
    @inline(never)
    mutating func holds(_ shape: UnsafePointer<FlatProgram.Shape>, _ index: Int) -> Bool {
        let (table, rest, name) = (shape.pointee.table, shape.pointee.rest, shape.pointee.names)
        var seen: UInt64 = 0
        var key = index + 1
        for _ in 0..<tokens[index].length {
            var target = FlatProgram.unnamed
            if let slot = names.find(bytes(tokens[key]), tokens[key].link, in: table) {
                target = slot.pointee.target
                seen |= slot.pointee.bit
            }
            if target == FlatProgram.unnamed { target = rest }
            guard holds(target, key + 1), holds(name, key) else { return false }
            key = Int(tokens[key + 1].link)
        }
        return seen & shape.pointee.required == shape.pointee.required
    }

    @inline(never)
    mutating func jump(_ index: Int, _ property: FlatProgram.Slot, _ table: FlatProgram.NameTable) -> Bool {
        guard let value = member(property, of: index), tokens[value].kind == .string,
            let branch = find(value, in: table)
        else { return false }
        return holds(branch.pointee.target, index)
    }

    @inline(never)
    func member(_ slot: FlatProgram.Slot, of index: Int) -> Int? {
        var key = index + 1
        for _ in 0..<tokens[index].length {
            if tokens[key].link == slot.hash, names.isSame(bytes(tokens[key]), slot) { return key + 1 }
            key = Int(tokens[key + 1].link)
        }
        return nil
    }

    @inline(never)
    func find(_ index: Int, in table: FlatProgram.NameTable) -> UnsafePointer<FlatProgram.Slot>? {
        let text = bytes(tokens[index])
        guard let start = text.baseAddress else { return nil }
        let end = tokens[index].isInAnnex ? view.annexEnd : view.textEnd
        return names.find(text, NameHash.hash(start, text.count, limit: end), in: table)
    }
}

struct NameSearch {
    let slots: UnsafePointer<FlatProgram.Slot>
    let letters: UnsafePointer<UInt8>

    /// The slot of a name; every table has an empty slot, which ends the search.
    @inline(__always)
    func find(
        _ name: UnsafeBufferPointer<UInt8>, _ hash: UInt32, in table: FlatProgram.NameTable
    ) -> UnsafePointer<FlatProgram.Slot>? {
        let first = slots + Int(table.first)
        var position = Int(hash) & Int(table.mask)
        while true {
            let slot = first + position
            if slot.pointee.hash == hash, isSame(name, slot.pointee) { return slot }
            if slot.pointee.count < 0 { return nil }
            position = (position + 1) & Int(table.mask)
        }
    }

    @inline(__always)
    func isSame(_ name: UnsafeBufferPointer<UInt8>, _ slot: FlatProgram.Slot) -> Bool {
        // An empty slot has a negative count, unlike any name.
        name.count == Int(slot.count)
            && Self.areEqual(name, UnsafeBufferPointer(start: letters + Int(slot.letters), count: name.count))
    }

    @inline(__always)
    static func areEqual(_ left: UnsafeBufferPointer<UInt8>, _ right: UnsafeBufferPointer<UInt8>) -> Bool {
        let count = left.count
        guard count == right.count else { return false }
        guard count > 0, let one = UnsafeRawPointer(left.baseAddress), let other = UnsafeRawPointer(right.baseAddress)
        else { return true }
        if count < 4 {
            // The first, middle and last byte are the whole text.
            return differ(one, other, at: 0, UInt8.self) | differ(one, other, at: count / 2, UInt8.self)
                | differ(one, other, at: count - 1, UInt8.self) == 0
        }
        // Compares as many bytes at a time as possible; the last word may overlap earlier ones.
        if count < 8 {
            return differ(one, other, at: 0, UInt32.self) | differ(one, other, at: count - 4, UInt32.self) == 0
        }
        var position = 0
        while position < count - 8 {
            if differ(one, other, at: position, UInt64.self) != 0 { return false }
            position += 8
        }
        return differ(one, other, at: count - 8, UInt64.self) == 0
    }

    /// The bits in which one word of two texts differs; the word must lie inside both.
    @inline(__always)
    private static func differ<Word: FixedWidthInteger & BitwiseCopyable>(
        _ left: UnsafeRawPointer, _ right: UnsafeRawPointer, at offset: Int, _ word: Word.Type
    ) -> Word {
        left.loadUnaligned(fromByteOffset: offset, as: word) ^ right.loadUnaligned(fromByteOffset: offset, as: word)
    }
}
