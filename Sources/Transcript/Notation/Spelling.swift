import HoldfastJSON

/// Forms words of the notation and their parts, and parses them back.
enum Spelling {
    static func word(_ name: String, _ parts: [String]) -> String {
        parts.isEmpty ? name : "\(name)(\(parts.joined(separator: " ")))"
    }

    /// `name=value`; nil if the notation cannot express it.
    static func field(_ name: String, _ value: JSONValue) -> String? {
        guard isWord(name) else { return nil }
        switch value {
        case .array, .object: return nil
        case .string(let text): return "\(name)=\(quoted(text))"
        default: return "\(name)=\(value.text())"
        }
    }

    /// Empty for `p1`, `-p` for none.
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

    /// Whether a text can be a bare word: not an id, and without unsupported punctuation.
    static func isWord(_ text: String) -> Bool {
        guard let first = text.unicodeScalars.first, first != "-" else { return false }
        let rest = text.unicodeScalars.dropFirst()
        let isID = !rest.isEmpty && rest.allSatisfy { ("0"..."9").contains($0) } && first.properties.isAlphabetic
        return !isID && text.unicodeScalars.allSatisfy(NotationParser.isNameScalar)
    }

    /// The frame of a single event, such as `A>chat(c1)`.
    static func frame(of event: String) -> NotationFrame? {
        var parser = NotationParser(event, name: "")
        if case .frame(_, let frame)? = (try? parser.items())?.first?.content { return frame }
        return nil
    }
}

extension NotationNames {
    func ids(_ fields: [(Character, String)], in body: JSONValue?) -> [String] {
        fields.compactMap { letter, field in body?[field]?.stringValue.flatMap { name(letter, $0) } }
    }
}
