/// The known name closest to a mistyped one, for "did you mean".
///
/// Distance is that of Damerau and Levenshtein on lowercased text; a name further away than a third of its length is no help.
public func nearestName(to name: String, among known: some Sequence<String>) -> String? {
    let wanted = Array(name.lowercased())
    var best: (name: String, distance: Int)?
    for candidate in known.sorted() {
        let distance = editDistance(wanted, Array(candidate.lowercased()))
        guard distance <= max(1, max(wanted.count, candidate.count) / 3) else { continue }
        if distance < best?.distance ?? .max { best = (candidate, distance) }
    }
    return best?.name
}

private func editDistance(_ left: [Character], _ right: [Character]) -> Int {
    var rows = [[Int]](repeating: [Int](repeating: 0, count: right.count + 1), count: left.count + 1)
    for row in 0...left.count { rows[row][0] = row }
    for column in 0...right.count { rows[0][column] = column }
    guard !left.isEmpty, !right.isEmpty else { return max(left.count, right.count) }
    for row in 1...left.count {
        for column in 1...right.count {
            let change = left[row - 1] == right[column - 1] ? 0 : 1
            var cost = min(
                rows[row - 1][column] + 1, rows[row][column - 1] + 1, rows[row - 1][column - 1] + change)
            if row > 1, column > 1, left[row - 1] == right[column - 2], left[row - 2] == right[column - 1] {
                cost = min(cost, rows[row - 2][column - 2] + 1)
            }
            rows[row][column] = cost
        }
    }
    return rows[left.count][right.count]
}
