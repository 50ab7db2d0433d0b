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
        var place = answer.unicodeScalars.startIndex
        var rest = shown
        while let scalar = rest.first, place < answer.endIndex, answer.unicodeScalars[place] == scalar {
            rest = rest.dropFirst()
            answer.unicodeScalars.formIndex(after: &place)
        }
        if rest.isEmpty {
            if place == answer.endIndex { return .whole }
            return String.Index(place, within: answer) == nil ? .inside : .between
        }
        guard place < answer.endIndex else { return .other }
        // Encoders turn half a character into replacement characters, or half of a surrogate pair into a question mark.
        let next = answer.unicodeScalars[place]
        let isReplaced = rest.count <= 3 && rest.allSatisfy { $0 == "\u{FFFD}" } && next.value > 0x7F
        let goesOn = answer.unicodeScalars.index(after: place) < answer.endIndex
        let isQuestioned = rest.elementsEqual(["?"]) && next.value > 0xFFFF && goesOn
        return isReplaced && next != "\u{FFFD}" || isQuestioned ? .inside : .other
    }
}
