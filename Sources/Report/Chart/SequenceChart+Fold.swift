import HoldfastBasics

extension SequenceChart {
    /// A part of a chart as it is shown: a row, or a quiet run of rows in one line.
    package enum Part: Sendable, Equatable {
        /// The row at a place in `rows`.
        case row(Int)
        /// Rows that are left out until somebody asks.
        case fold(Fold)
    }

    /// A run of rows in which nothing happened that a reader has to see first.
    package struct Fold: Sendable, Equatable {
        /// The rows, by their places.
        package let rows: Range<Int>
        /// What they hold, such as `212 rows in 1,240 ms: 106 chat, 106 ack`.
        package let summary: String
    }

    /// The chart with its quiet runs folded.
    ///
    /// Marked rows stay with their neighbours, and so do the beginning and the end. What was done to the program or a socket
    /// stays too while it is little.
    /// - Parameters:
    ///   - context: How many rows stay around what has to be seen.
    ///   - ends: How many rows stay at the beginning and at the end; as many as the context unless said otherwise.
    ///   - shortest: The fewest rows that are worth a fold.
    /// - Returns: Every row once, by itself or in a fold, in order.
    package func folded(context: Int = 4, ends: Int? = nil, shortest: Int = 6) -> [Part] {
        var isShown = [Bool](repeating: false, count: rows.count)
        func show(_ place: Int, around count: Int) {
            for near in max(0, place - count)..<min(rows.count, place + count + 1) { isShown[near] = true }
        }
        for place in rows.indices where !rows[place].marks.isEmpty {
            show(place, around: rows[place].isCited ? context : 1)
            if rows[place].isCited { sameLane(as: place, most: context).forEach { show($0, around: 0) } }
        }
        for place in rows.indices.prefix(ends ?? context) { isShown[place] = true }
        for place in rows.indices.suffix(ends ?? context) { isShown[place] = true }
        let landmarks = rows.indices.filter { rows[$0].isLandmark }
        if landmarks.count <= Self.maxLandmarks { landmarks.forEach { show($0, around: 0) } }

        var parts: [Part] = []
        var place = 0
        while place < rows.count {
            var end = place
            while end < rows.count, !isShown[end] { end += 1 }
            if end - place >= max(2, shortest) {
                parts.append(.fold(Fold(rows: place..<end, summary: summary(of: place..<end))))
            } else {
                parts += (place..<end).map { .row($0) }
            }
            if end < rows.count { parts.append(.row(end)) }
            place = end + 1
        }
        return parts
    }

    /// The last rows before one that stand on its lane: what led to it, whatever else happened meanwhile.
    func sameLane(as place: Int, most: Int) -> [Int] {
        guard let lane = rows[place].lane else { return [] }
        return rows.indices.prefix(place).reversed().lazy.filter { rows[$0].lane == lane }.prefix(most).reversed()
    }

    /// More acts than these are a routine, and as quiet as the rest.
    private static let maxLandmarks = 24

    private func summary(of places: Range<Int>) -> String {
        var counts: [String: Int] = [:]
        for place in places { counts[rows[place].word, default: 0] += 1 }
        let most = counts.sorted { ($1.value, $0.key) < ($0.value, $1.key) }
        let words = most.prefix(4).map { "\(readable($0.value)) \($0.key)" }.joined(separator: ", ")
        let rest = most.dropFirst(4).reduce(0) { $0 + $1.value }
        let first = rows[places.lowerBound].at
        let last = rows[places.upperBound - 1].at
        return "\(readable(places.count)) rows in \(readable((last - first) / 1000)) ms: \(words)"
            + (rest > 0 ? ", \(readable(rest)) others" : "")
    }
}

extension SequenceChart.Row {
    /// The column it stands in beside the server's; nil for what stands in none.
    fileprivate var lane: Set<Int>? {
        switch place {
        case .message(let from, let to): [from, to]
        case .note, .pause: nil
        }
    }

    /// Whether it divides a history into parts; what only prepares the stage does not.
    fileprivate var isLandmark: Bool { kind == .act && word != "assign" && word != "listen" }

    /// The first word of its label.
    fileprivate var word: String { String(label.prefix { $0.isLetter || $0.isNumber || "/_-".contains($0) }) }
}
