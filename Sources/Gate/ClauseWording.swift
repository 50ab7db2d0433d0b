import HoldfastBasics

/// The change of a sentence: none, a different bound, different words, or a different rule.
enum ClauseWording: Equatable {
    /// Only white space differs.
    case same
    /// Only numbers differ, and the bound side must do more.
    case tightened(old: String, new: String)
    /// Only numbers differ, and the bound side may do less.
    case loosened(old: String, new: String)
    /// Only numbers differ, and the words do not show whether that is stricter.
    case moved(old: String, new: String)
    /// Other words for a rule that may be the same.
    case reworded
    /// The sentences share so few words that the rule is a different one.
    case replaced

    /// With a smaller share of common words, a sentence states a different rule.
    static let leastInCommon = 1.0 / 3

    static func comparing(_ old: String, _ new: String) -> ClauseWording {
        let before = Words(old)
        let after = Words(new)
        if before.words == after.words { return .same }
        if before.masked == after.masked, before.bounds.count == after.bounds.count { return bounds(before, after) }
        return commonShare(before, after) < leastInCommon ? .replaced : .reworded
    }

    private static func bounds(_ old: Words, _ new: Words) -> ClauseWording {
        let changed = zip(old.bounds, new.bounds).filter { $0.value != $1.value || $0.dimension != $1.dimension }
        // 10 s and 10000 ms are the same.
        if changed.isEmpty { return .same }
        let before = changed.map(\.0.text).joined(separator: ", ")
        let after = changed.map(\.1.text).joined(separator: ", ")
        let isStricter = changed.map { old, new -> Bool? in
            guard let side = old.side, side == new.side, old.dimension == new.dimension, old.value != new.value else {
                return nil
            }
            return (new.value < old.value) == (side == .atMost)
        }
        if isStricter.allSatisfy({ $0 == true }) { return .tightened(old: before, new: after) }
        if isStricter.allSatisfy({ $0 == false }) { return .loosened(old: before, new: after) }
        return .moved(old: before, new: after)
    }

    /// The share of words that two sentences have in common; numbers and filler words say nothing about the subject.
    private static func commonShare(_ old: Words, _ new: Words) -> Double {
        let before = old.significant
        let after = new.significant
        let all = before.union(after).count
        return all == 0 ? 0 : Double(before.intersection(after).count) / Double(all)
    }
}

/// A sentence split into words, with its bounding numbers.
private struct Words {
    enum Side { case atMost, atLeast }

    struct Bound {
        let text: String
        let value: Double
        let dimension: String
        let side: Side?
    }

    let words: [Substring]
    /// The words with a placeholder for each number and its unit.
    private(set) var masked: [Substring] = []
    private(set) var bounds: [Bound] = []

    init(_ sentence: String) {
        words = sentence.split(whereSeparator: \.isWhitespace)
        // A comma may follow: MUST NOT, on its own, …
        let isNegated = words.contains { $0.trimmed { !$0.isLetter } == "NOT" }
        var index = 0
        while index < words.count {
            let word = words[index]
            let digits = word.trimmed { !$0.isNumber }
            guard let number = Double(digits), digits.allSatisfy({ $0.isNumber || $0 == "." }) else {
                masked.append(word)
                index += 1
                continue
            }
            let before = words[..<index].suffix(5).map { $0.lowercased() }
            var text = String(digits)
            var factor = 1.0
            var dimension = ""
            let tail = word[digits.endIndex...]
            masked.append(word[..<digits.startIndex] + "0" + tail)
            if tail.isEmpty, index + 1 < words.count {
                let next = words[index + 1].trimmed { !$0.isLetter }
                if let unit = Self.units[String(next)] {
                    (factor, dimension) = unit
                    text += " " + next
                    masked.append(Substring(dimension) + words[index + 1][next.endIndex...])
                    index += 1
                }
            }
            bounds.append(
                Bound(
                    text: text, value: number * factor, dimension: dimension,
                    side: Self.side(before: before, isNegated: isNegated, words)))
            index += 1
        }
    }

    /// The words that show the subject of a sentence.
    var significant: Set<String> {
        Set(
            words.map { $0.trimmed { !$0.isLetter && $0 != "`" }.lowercased() }
                .filter { $0.count > 2 && !Self.fillers.contains($0) })
    }

    private static let fillers: Set<String> = [
        "the", "and", "that", "with", "for", "not", "must", "should", "may", "server", "client", "its", "any", "each",
        "every", "one", "from", "has", "have", "are", "was", "than", "which", "whose", "when", "while", "who",
    ]

    private static let units: [String: (Double, String)] = [
        "ms": (1, "time"), "s": (1000, "time"), "second": (1000, "time"), "seconds": (1000, "time"),
        "min": (60_000, "time"), "minute": (60_000, "time"), "minutes": (60_000, "time"), "hour": (3_600_000, "time"),
        "hours": (3_600_000, "time"), "day": (86_400_000, "time"), "days": (86_400_000, "time"), "byte": (1, "bytes"),
        "bytes": (1, "bytes"), "KiB": (1024, "bytes"), "MiB": (1_048_576, "bytes"), "character": (1, "characters"),
        "characters": (1, "characters"), "reads": (1, "reads"),
    ]

    private static let acceptingVerbs: Set<String> = [
        "accept", "take", "process", "bear", "store", "support", "handle", "read", "receive", "tolerate", "admit",
    ]
    private static let actingVerbs: Set<String> = [
        "send", "wait", "answer", "retry", "repeat", "keep", "ask", "make", "open", "hold", "be", "have", "give", "use",
        "write", "close", "connect", "try", "let", "drop", "reconnect", "delay", "leave", "name", "go", "poll",
    ]

    /// The side that "up to" bounds: a receiver may not accept less, a sender may not send more.
    private static func capacity(_ words: [Substring]) -> Side? {
        guard let keyword = words.firstIndex(where: { $0 == "MUST" || $0 == "SHOULD" || $0 == "MAY" }) else {
            return .atMost
        }
        let verb = words[(keyword + 1)...].first { $0 != "NOT" }.map { $0.lowercased() } ?? ""
        if acceptingVerbs.contains(verb) { return words.contains("NOT") ? nil : .atLeast }
        return actingVerbs.contains(verb) ? .atMost : nil
    }

    private enum Phrase {
        case bound(Side)
        /// An amount that may be reached: the verb decides whether it is an upper or a lower bound.
        case capacity
        /// The forbidden side: "MUST NOT send more than" forbids larger values.
        case beyond(Side)
    }

    private static let phrases: [(phrase: Phrase, words: [String])] = [
        (.capacity, ["up to", "at most"]),
        (.bound(.atMost), ["within", "no later than", "no more than", "not more than"]),
        (.bound(.atLeast), ["at least", "no fewer than", "no less than", "not earlier than"]),
        (.beyond(.atLeast), ["more than", "longer than", "larger than", "greater than", "older than"]),
        (.beyond(.atMost), ["less than", "fewer than", "shorter than", "younger than", "smaller than"]),
    ]

    private static func side(before: [String], isNegated: Bool, _ words: [Substring]) -> Side? {
        let text = " " + before.joined(separator: " ") + " "
        let found = phrases.first { $0.words.contains { text.hasSuffix(" \($0) ") } }
        switch found?.phrase {
        case .bound(let side)?: return side
        case .capacity?: return capacity(words)
        case .beyond(let side)?: return isNegated ? (side == .atLeast ? .atMost : .atLeast) : side
        case nil: return words.contains("limit") && before.last == "to" ? .atMost : nil
        }
    }
}
