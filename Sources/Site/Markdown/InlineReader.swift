import Holdfast

struct InlineReader {
    struct Fault {
        let what: String
        let expected: String
        let fix: String
    }

    private let characters: [Character]
    private let definitions: [String: String]
    private var next = 0
    private(set) var problems: [Fault] = []

    init(_ text: String, definitions: [String: String]) {
        characters = Array(text)
        self.definitions = definitions
    }

    mutating func read() -> [MarkdownInline] { read(until: characters.count) }

    private mutating func read(until end: Int) -> [MarkdownInline] {
        var found: [MarkdownInline] = []
        var plain = ""
        func flushed() -> [MarkdownInline] { plain.isEmpty ? [] : [.text(plain)] }
        while next < end {
            let start = next
            if let inline = special(before: end) {
                found += flushed()
                plain = ""
                found.append(inline)
            } else {
                if next == start {
                    plain.append(characters[next])
                    next += 1
                } else {
                    plain += String(characters[start..<next]).unescaped
                }
            }
        }
        return found + flushed()
    }

    /// The construct at the next character, if it is not plain text; skips plain text.
    private mutating func special(before end: Int) -> MarkdownInline? {
        switch characters[next] {
        case "`": return code(before: end)
        case "*": return stress(before: end)
        case "[": return link(before: end)
        case "!" where next + 1 < end && characters[next + 1] == "[": return image(before: end)
        case "\\":
            if next + 1 < end, characters[next + 1].isASCII,
                characters[next + 1].isPunctuation || characters[next + 1].isSymbol
            {
                next += 2
            }
            return nil
        case "<":
            if next + 1 < end,
                characters[next + 1].isLetter || characters[next + 1] == "/" || characters[next + 1] == "!"
            {
                refuse("'<\(characters[next + 1])' begins HTML", expected: "text", fix: "put it between backticks")
            }
            return nil
        case "_":
            let isInWord =
                next > 0 && characters[next - 1].isInWord && next + 1 < end && characters[next + 1].isInWord
            if !isInWord {
                refuse("'_' may be read as emphasis", expected: "*emphasis*, or code", fix: "use one of them")
            }
            return nil
        case "&":
            let rest = characters[(next + 1)..<end].prefix { $0.isLetter || $0 == "#" || $0.isNumber }
            if !rest.isEmpty, next + 1 + rest.count < end, characters[next + 1 + rest.count] == ";" {
                refuse("'&\(String(rest));' is a name of a character", expected: "the character", fix: "write it")
            }
            return nil
        default: return nil
        }
    }

    private mutating func code(before end: Int) -> MarkdownInline? {
        let ticks = run(of: "`", at: next, before: end)
        var at = next + ticks
        while at < end {
            guard characters[at] == "`" else {
                at += 1
                continue
            }
            let run = run(of: "`", at: at, before: end)
            if run == ticks {
                var inner = String(characters[(next + ticks)..<at])
                if inner.hasPrefix(" "), inner.hasSuffix(" "), inner.contains(where: { $0 != " " }) {
                    inner = String(inner.dropFirst().dropLast())
                }
                next = at + ticks
                return .code(inner)
            }
            at += run
        }
        refuse("a backtick is not closed", expected: "another one", fix: "close it")
        next += ticks
        return nil
    }

    private mutating func stress(before end: Int) -> MarkdownInline? {
        let stars = run(of: "*", at: next, before: end)
        let after = next + stars
        let isOpening = after < end && characters[after] != " "
        guard isOpening else {
            if next > 0, characters[next - 1] != " " {
                refuse("a * closes nothing", expected: "one before it", fix: "put it between backticks")
            }
            next = after
            return nil
        }
        guard stars <= 2, let close = closing(stars, from: after, before: end) else {
            refuse("a * is not closed", expected: "another one", fix: "close it, or put it between backticks")
            next = after
            return nil
        }
        next = after
        let inner = read(until: close)
        next = close + stars
        return stars == 2 ? .strong(inner) : .emphasis(inner)
    }

    /// The end of emphasis, skipping code in between.
    private func closing(_ stars: Int, from start: Int, before end: Int) -> Int? {
        var at = start
        while at < end {
            if characters[at] == "`" {
                at = afterCode(at, before: end)
            } else if characters[at] == "*" {
                let run = run(of: "*", at: at, before: end)
                if run == stars, characters[at - 1] != " " { return at }
                at += run
            } else {
                at += 1
            }
        }
        return nil
    }

    private func run(of character: Character, at start: Int, before end: Int) -> Int {
        characters[start..<end].prefix { $0 == character }.count
    }

    /// The end of code that starts at an index.
    private func afterCode(_ start: Int, before end: Int) -> Int {
        let ticks = run(of: "`", at: start, before: end)
        var at = start + ticks
        while at < end, run(of: "`", at: at, before: end) != ticks { at += 1 }
        return at + ticks
    }

    private mutating func image(before end: Int) -> MarkdownInline? {
        let start = next
        next += 1
        guard let close = bracket(from: next, before: end), let destination = destination(after: close, before: end)
        else {
            refuse("'![' starts no image", expected: "![words](file)", fix: "correct it")
            next = start + 2
            return nil
        }
        let words = String(characters[(start + 2)..<close])
        if words.isEmpty {
            refuse("an image has no text", expected: "what it shows", fix: "say it between the brackets")
        }
        next = destination.end
        return .image(words: words, destination: destination.text)
    }

    private mutating func link(before end: Int) -> MarkdownInline? {
        let start = next
        guard let close = bracket(from: start, before: end) else {
            next += 1
            return nil
        }
        let name = String(characters[(start + 1)..<close])
        let target: (text: String, end: Int)
        if let inline = destination(after: close, before: end) {
            target = inline
        } else if let defined = definitions[name] {
            target = (defined, close + 1)
        } else {
            if ClauseID(name) != nil {
                refuse("[\(name)] is not defined", expected: "a line '[\(name)]: place'", fix: "add it at the end")
            }
            next += 1
            return nil
        }
        next = start + 1
        let inner = read(until: close)
        next = target.end
        return .link(text: inner, destination: target.text)
    }

    /// The bracket that closes the one at an index.
    private func bracket(from start: Int, before end: Int) -> Int? {
        var depth = 0
        var at = start
        while at < end {
            switch characters[at] {
            case "`": at = afterCode(at, before: end) - 1
            case "[": depth += 1
            case "]":
                depth -= 1
                if depth == 0 { return at }
            default: break
            }
            at += 1
        }
        return nil
    }

    private func destination(after close: Int, before end: Int) -> (text: String, end: Int)? {
        guard close + 1 < end, characters[close + 1] == "(" else { return nil }
        guard let stop = characters[(close + 2)..<end].firstIndex(of: ")") else { return nil }
        let text = String(characters[(close + 2)..<stop])
        return text.isEmpty || text.contains(" ") ? nil : (text, stop + 1)
    }

    private mutating func refuse(_ what: String, expected: String, fix: String) {
        problems.append(Fault(what: what, expected: expected, fix: fix))
    }
}

extension String {
    /// The character without an escaping backslash.
    fileprivate var unescaped: String { count == 2 && hasPrefix("\\") ? String(dropFirst()) : self }
}

extension Character {
    fileprivate var isInWord: Bool { isLetter || isNumber }
}
