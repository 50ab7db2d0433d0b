import HoldfastJSON

/// Collects a conjunction's demands on the members of objects.
struct ShapeBuilder {
    /// Tables without a rule for other members; they can be merged.
    private var open: [PropertyTable] = []
    /// Tables with `additionalProperties`, which applies only to the names of its own table.
    private var closed: [PropertyTable] = []
    private var required: [ExactString] = []
    private var names: [Int] = []
    private var rest: Int?
    private var counts = (min: 0, max: Int.max)
    private let items: [Conjunction.Item]

    init(_ conjunction: Conjunction) {
        items = conjunction.items
        for (keyword, _) in items {
            switch keyword {
            case .properties(let table):
                if table.additional == nil { open.append(table) } else { closed.append(table) }
            case .required(let list): required += list.map { ExactString($0) }
            case .propertyNames(let node): names.append(node)
            case .minProperties(let limit): counts.min = max(counts.min, limit)
            case .maxProperties(let limit): counts.max = min(counts.max, limit)
            default: break
            }
        }
        // With `additionalProperties`, every member is evaluated.
        if closed.isEmpty { rest = conjunction.unevaluated }
    }

    mutating func steps(_ compiler: inout FlatCompiler) -> [FlatProgram.Step] {
        var steps: [FlatProgram.Step] = []
        if let (min, max) = compiler.range(counts.min, counts.max) { steps.append(.memberCount(min: min, max: max)) }
        for (keyword, node) in items {
            switch keyword {
            case .anyOf(_, .some(let discriminator)), .oneOf(_, .some(let discriminator)):
                // The jump already requires the member.
                required.removeAll { $0 == ExactString(discriminator.property) }
            case .dependentSchemas, .dependentRequired:
                steps.append(.ask(compiler.question(.keyword(keyword, node: node))))
            default: break
            }
        }
        var seen: Set<ExactString> = []
        required = required.filter { seen.insert($0).inserted }
        for table in closed { steps += shape([table], table.additional, &compiler) }
        return steps + shape(open, rest, &compiler)
    }

    /// One shape for merged tables; the first one also carries the demands outside tables.
    private mutating func shape(
        _ tables: [PropertyTable], _ rest: Int?, _ compiler: inout FlatCompiler
    ) -> [FlatProgram.Step] {
        let carried = required
        required = []
        defer { names = [] }
        guard !tables.isEmpty || rest != nil || !names.isEmpty else {
            // No member has a schema, so only check that they are present.
            return carried.map { .has(slot: compiler.slot($0.string)) }
        }
        var targets: [ExactString: [Int]] = [:]
        for table in tables {
            for (name, node) in table.names { targets[name, default: []].append(node) }
        }
        let bits = Dictionary(
            uniqueKeysWithValues: carried.prefix(64).enumerated().map { ($1, UInt64(1) << UInt64($0)) })
        let members = Set(targets.keys).union(bits.keys).sorted().map { name in
            (name.string, targets[name].map { compiler.node($0) } ?? FlatProgram.unnamed, bits[name] ?? 0)
        }
        compiler.shapes.append(
            FlatProgram.Shape(
                table: compiler.table(members), required: bits.values.reduce(0, |),
                rest: rest.map { compiler.node([$0]) } ?? FlatProgram.anything, names: compiler.node(names)))
        return [.shape(Int32(compiler.shapes.count - 1))]
            + carried.dropFirst(64).map { .has(slot: compiler.slot($0.string)) }
    }
}

extension FlatCompiler {
    mutating func slot(_ name: String) -> Int32 {
        slots.append(newSlot(name, FlatProgram.anything, 0))
        return Int32(slots.count - 1)
    }

    mutating func table(_ members: [(name: String, target: NodeID, bit: UInt64)]) -> FlatProgram.NameTable {
        let hashes = members.map { NameHash.hash(of: Array($0.name.utf8)) }
        var size = 2
        while size < members.count * 2 { size *= 2 }
        // A slightly larger table may place every name without a collision.
        while size < members.count * 8, Set(hashes.map { Int($0) & (size - 1) }).count < members.count { size *= 2 }
        let first = slots.count
        slots += repeatElement(FlatProgram.Slot(), count: size)
        for (name, target, bit) in members {
            let slot = newSlot(name, target, bit)
            var position = Int(slot.hash) & (size - 1)
            while slots[first + position].count >= 0, !isSame(slots[first + position], slot) {
                position = (position + 1) & (size - 1)
            }
            slots[first + position] = slot
        }
        return FlatProgram.NameTable(first: Int32(first), mask: Int32(size - 1))
    }

    private func isSame(_ one: FlatProgram.Slot, _ other: FlatProgram.Slot) -> Bool {
        one.count == other.count
            && letters[Int(one.letters)...].prefix(Int(one.count))
                .elementsEqual(letters[Int(other.letters)...].prefix(Int(other.count)))
    }

    private mutating func newSlot(_ name: String, _ target: NodeID, _ bit: UInt64) -> FlatProgram.Slot {
        let bytes = Array(name.utf8)
        let first = letters.count
        letters += bytes
        return FlatProgram.Slot(
            hash: NameHash.hash(of: bytes), count: Int32(bytes.count),
            letters: Int32(first), target: target, bit: bit)
    }
}
