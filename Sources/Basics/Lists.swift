extension Sequence {
    /// The elements by key; for duplicate keys, the first element.
    package func keyed<Key: Hashable>(by key: (Element) -> Key) -> [Key: Element] {
        Dictionary(map { (key($0), $0) }, uniquingKeysWith: { first, _ in first })
    }
}

extension Sequence where Element: Hashable {
    /// Each element once, at its first position.
    package var unique: [Element] {
        var seen: Set<Element> = []
        return filter { seen.insert($0).inserted }
    }
}

extension Dictionary {
    /// If there are more than `limit` entries, removes and returns the `limit / 2` least recently used ones.
    @discardableResult
    package mutating func dropOldest(beyond limit: Int, by lastUse: (Value) -> Int) -> [Element] {
        guard count > limit else { return [] }
        let oldest = sorted { lastUse($0.value) < lastUse($1.value) }.prefix(limit / 2)
        for (key, _) in oldest { self[key] = nil }
        return Array(oldest)
    }
}

/// Names separated by commas, and the number of omitted ones.
package func listed(_ names: [String], limit: Int) -> String {
    names.prefix(limit).joined(separator: ", ") + (names.count > limit ? " and \(names.count - limit) more" : "")
}

package func counted(_ count: Int, _ noun: String, _ plural: String? = nil) -> String {
    "\(readable(count)) \(count == 1 ? noun : plural ?? noun + "s")"
}

extension BidirectionalCollection {
    /// The elements without those at both ends that satisfy the predicate, such as white space.
    package func trimmed(_ isOutside: (Element) -> Bool) -> SubSequence {
        let inside = drop(while: isOutside)
        return inside[..<(inside.lastIndex { !isOutside($0) }.map(inside.index(after:)) ?? inside.startIndex)]
    }
}

/// The results for all elements, in their order, computed on all processors.
package func inParallel<Element: Sendable, Value: Sendable>(
    _ elements: [Element], _ body: @escaping @Sendable (Element) async -> Value
) async -> [Value] {
    await withTaskGroup(of: (Int, Value).self) { group in
        for (index, element) in elements.enumerated() { group.addTask { (index, await body(element)) } }
        var values: [(Int, Value)] = []
        for await value in group { values.append(value) }
        return values.sorted { $0.0 < $1.0 }.map(\.1)
    }
}
