extension RandomAccessCollection where Index == Int {
    /// The first index whose element satisfies the predicate, or `endIndex`; all elements after it must satisfy it too.
    @inlinable
    package func boundary(where isBehind: (Element) -> Bool) -> Int {
        var (low, high) = (startIndex, endIndex)
        while low < high {
            let middle = low + (high - low) / 2
            if isBehind(self[middle]) { high = middle } else { low = middle + 1 }
        }
        return low
    }
}
