import HoldfastJSON

/// How words of the notation and their parts are spelled, and how what was spelled is read again as a proof.
enum Spelling {
    /// A name with its parts between brackets, if it has any.
    static func word(_ name: String, _ parts: [String]) -> String {
        parts.isEmpty ? name : "\(name)(\(parts.joined(separator: " ")))"
    }

    /// A name such as `a1`, with the value it stands for unless that goes without saying.
    static func named(_ name: String, _ value: String, isUsual: Bool) -> String {
        isUsual ? name : "\(name)=\(quoted(value))"
    }

    /// `name=value`; nil for what the notation has no words for.
    static func field(_ name: String, _ value: JSONValue) -> String? {
        guard isWord(name) else { return nil }
        switch value {
        case .array, .object: return nil
        case .string(let text): return "\(name)=\(quoted(text))"
        default: return "\(name)=\(value.text())"
        }
    }

    /// Nothing for `p1`, `-p` for nobody.
    static func principal(_ name: String?) -> [String] {
        guard let name else { return ["-p"] }
        if name == "p1" { return [] }
        return [NotationNames.isSpelled("p", name) ? name : "p1=\(quoted(name))"]
    }

    static func quoted(_ text: String, by mark: Unicode.Scalar = "'") -> String {
        var quoted = String.UnicodeScalarView([mark])
        for scalar in text.unicodeScalars {
            quoted.append(scalar)
            if scalar == mark { quoted.append(mark) }
        }
        quoted.append(mark)
        return String(quoted)
    }

    /// Whether a text can stand as a bare word: no id and no punctuation the notation does not take.
    static func isWord(_ text: String) -> Bool {
        guard let first = text.unicodeScalars.first, first != "-" else { return false }
        let rest = text.unicodeScalars.dropFirst()
        let isID = !rest.isEmpty && rest.allSatisfy { ("0"..."9").contains($0) } && first.properties.isAlphabetic
        return !isID && text.unicodeScalars.allSatisfy(NotationParser.isNameScalar)
    }

    /// What an event says that stands alone, such as `A>chat(c1)`.
    static func content(of event: String) -> NotationItem.Content? {
        var parser = NotationParser(event, name: "")
        return (try? parser.items())?.first?.content
    }

    /// The frame of an event that stands alone.
    static func frame(of event: String) -> NotationFrame? {
        if case .frame(_, let frame)? = content(of: event) { frame } else { nil }
    }

    /// Leaves out the parts that go without saying, of those that may be left out.
    static func leanest<Part>(
        _ parts: [Part], omitting indices: [Int], _ isProven: ([Part]) -> Bool
    ) -> [Part] {
        var parts = parts
        for index in indices.reversed() {
            var fewer = parts
            fewer.remove(at: index)
            if isProven(fewer) { parts = fewer }
        }
        return parts
    }
}

extension NotationNames {
    /// The ids that members of a body hold, with their values in full unless they are spelled so or the style is brief.
    func ids(_ fields: [(Character, String)], in body: JSONValue?, isBrief: Bool) -> [String] {
        fields.compactMap { letter, field in
            guard let value = body?[field]?.stringValue, let name = name(letter, value) else { return nil }
            return Spelling.named(name, value, isUsual: isBrief || name == value)
        }
    }
}
