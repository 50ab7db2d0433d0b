/// The known name closest to a mistyped one, for "did you mean"; nil if none is close, the first by name in a tie.
package func nearestName(to name: String, among known: some Sequence<String>) -> String? {
    NearestName.to(name, among: known.sorted())
}

enum NearestName {
    /// The candidate with the fewest edits, if they are few for its length; the first one in a tie.
    static func to(_ name: String, among candidates: some Sequence<String>) -> String? {
        let letters = Array(name.unicodeScalars.prefix(65))
        guard letters.count <= 64 else { return nil }
        var best: (name: String, distance: Int)?
        for candidate in candidates {
            let other = Array(candidate.unicodeScalars.prefix(65))
            guard other.count <= 64, abs(other.count - letters.count) <= 3 else { continue }
            let distance = self.distance(letters, other)
            // At most a third of the letters may differ, and at most three; one may always differ.
            guard distance > 0, distance <= min(3, max(1, max(letters.count, other.count) / 3)) else { continue }
            if best.map({ distance < $0.distance }) ?? true { best = (candidate, distance) }
        }
        return best?.name
    }

    /// The number of insertions, deletions, replacements and swaps; a change of case counts as one edit.
    private static func distance(_ left: [Unicode.Scalar], _ right: [Unicode.Scalar]) -> Int {
        if left.count == right.count, left != right, zip(left, right).allSatisfy({ folded($0) == folded($1) }) {
            return 1
        }
        var beforePrevious: [Int] = []
        var previous = Array(0...right.count)
        for row in 0..<left.count {
            var current = [row + 1]
            for column in 0..<right.count {
                let cost = left[row] == right[column] ? 0 : 1
                var best = min(previous[column] + cost, previous[column + 1] + 1, current[column] + 1)
                if row > 0, column > 0, left[row] == right[column - 1], left[row - 1] == right[column] {
                    best = min(best, beforePrevious[column - 1] + 1)
                }
                current.append(best)
            }
            beforePrevious = previous
            previous = current
        }
        return previous[right.count]
    }

    private static func folded(_ scalar: Unicode.Scalar) -> UInt32 {
        (0x41...0x5A).contains(scalar.value) ? scalar.value | 0x20 : scalar.value
    }
}
