/// The relation of a shortened text, such as that of a notification, to the answer or question it shortens.
enum AnswerCut: Equatable {
    case whole
    /// Its start, cut between two characters.
    case between
    /// Its start, cut inside a character.
    case inside
    /// Something else, such as a summary.
    case other

    private static let ellipses = ["…", "...", "[…]", "[...]"].map { Array($0.unicodeScalars) }

    /// Compares scalars: a normalized or translated text is not a start of the answer.
    init(of body: String, from answer: String) {
        let shown = Array(body.unicodeScalars)
        var candidates = [shown[...]]
        for ellipsis in Self.ellipses where shown.suffix(ellipsis.count).elementsEqual(ellipsis) {
            let rest = shown.dropLast(ellipsis.count)
            candidates.append(rest)
            let trimmed = rest.reversed().drop { $0.properties.isWhitespace }.count
            if trimmed < rest.count { candidates.append(rest.prefix(trimmed)) }
        }
        let found = candidates.map { Self.cut($0, from: answer) }
        self = [.whole, .between, .inside].first(where: found.contains) ?? .other
    }

    private static func cut(_ shown: ArraySlice<Unicode.Scalar>, from answer: String) -> AnswerCut {
        var position = answer.unicodeScalars.startIndex
        var rest = shown
        while let scalar = rest.first, position < answer.endIndex, answer.unicodeScalars[position] == scalar {
            rest = rest.dropFirst()
            answer.unicodeScalars.formIndex(after: &position)
        }
        if rest.isEmpty {
            if position == answer.endIndex { return .whole }
            return String.Index(position, within: answer) == nil ? .inside : .between
        }
        guard position < answer.endIndex else { return .other }
        // Encoders turn half a character into replacement characters, or half of a surrogate pair into a question mark.
        let next = answer.unicodeScalars[position]
        let isReplaced = rest.count <= 3 && rest.allSatisfy { $0 == "\u{FFFD}" } && next.value > 0x7F
        let hasMore = answer.unicodeScalars.index(after: position) < answer.endIndex
        let isQuestionMark = rest.elementsEqual(["?"]) && next.value > 0xFFFF && hasMore
        return isReplaced && next != "\u{FFFD}" || isQuestionMark ? .inside : .other
    }
}
