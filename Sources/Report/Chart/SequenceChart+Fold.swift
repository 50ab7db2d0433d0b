import HoldfastBasics

extension SequenceChart {
    package enum Part: Sendable, Equatable {
        case row(Int)
        case fold(Fold)
    }

    /// A run of rows without anything important.
    package struct Fold: Sendable, Equatable {
        package let rows: Range<Int>
        /// A summary, such as `212 rows in 1,240 ms: 106 chat, 106 ack`.
        package let summary: String
    }

    /// Folds the quiet runs of a chart.
    ///
    /// Marked rows stay with their neighbors, and so do the beginning and the end. Acts on the program or a socket also
    /// stay, unless there are many.
    ///
    /// * `context`: The number of rows to keep around marked ones.
    /// * `ends`: The number of rows to keep at the beginning and at the end; by default as many as the context.
    /// - Returns: Every row once, alone or in a fold, in order.
    package func folded(context: Int = 4, ends: Int? = nil) -> [Part] {
        var isShown = [Bool](repeating: false, count: rows.count)
        func show(_ index: Int, around count: Int) {
            for near in max(0, index - count)..<min(rows.count, index + count + 1) { isShown[near] = true }
        }
        for index in rows.indices where !rows[index].marks.isEmpty {
            show(index, around: rows[index].isCited ? context : 1)
            if rows[index].isCited { sameLane(as: index, limit: context).forEach { show($0, around: 0) } }
        }
        for index in rows.indices.prefix(ends ?? context) { isShown[index] = true }
        for index in rows.indices.suffix(ends ?? context) { isShown[index] = true }
        // Acts divide a history into parts; mere preparation does not.
        let landmarks = rows.indices.filter { rows[$0].kind == .act && !["assign", "listen"].contains(rows[$0].word) }
        if landmarks.count <= Self.maxLandmarks { landmarks.forEach { show($0, around: 0) } }

        var parts: [Part] = []
        var index = 0
        while index < rows.count {
            var end = index
            while end < rows.count, !isShown[end] { end += 1 }
            if end - index >= Self.shortestFold {
                parts.append(.fold(Fold(rows: index..<end, summary: summary(of: index..<end))))
            } else {
                parts += (index..<end).map { .row($0) }
            }
            if end < rows.count { parts.append(.row(end)) }
            index = end + 1
        }
        return parts
    }

    /// The last `limit` rows before this one on the same lane, in order, without routine ones.
    func sameLane(as index: Int, limit: Int) -> [Int] {
        guard let lane = rows[index].lane else { return [] }
        return rows.indices.prefix(index).reversed().lazy.filter { rows[$0].lane == lane && !rows[$0].isRoutine }
            .prefix(limit).reversed()
    }

    /// The minimum number of rows to fold.
    private static let shortestFold = 6
    /// The maximum number of acts to keep; if there are more, they count as routine.
    private static let maxLandmarks = 24

    private func summary(of indices: Range<Int>) -> String {
        var counts: [String: Int] = [:]
        for index in indices { counts[rows[index].word, default: 0] += 1 }
        let most = counts.sorted { ($1.value, $0.key) < ($0.value, $1.key) }
        let words = most.prefix(4).map { "\(readable($0.value)) \($0.key)" }.joined(separator: ", ")
        let rest = most.dropFirst(4).reduce(0) { $0 + $1.value }
        let times = [indices.lowerBound, indices.upperBound - 1].compactMap { rows[$0].at }
        let time = times.count < 2 ? "" : " in \(readable((times[1] - times[0]) / 1000)) ms"
        return "\(readable(indices.count)) rows\(time): \(words)"
            + (rest > 0 ? ", \(readable(rest)) others" : "")
    }
}

extension SequenceChart.Row {
    /// The two columns of a message; nil for other rows.
    fileprivate var lane: Set<Int>? {
        switch location {
        case .message(let from, let to): [from, to]
        case .note, .pause: nil
        }
    }

    var isRoutine: Bool { kind == .heartbeat && marks.isEmpty }

    fileprivate var word: String { String(label.prefix { $0.isLetter || $0.isNumber || "/_-".contains($0) }) }
}
