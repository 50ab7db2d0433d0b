import Holdfast
import HoldfastBasics

/// Parses the notation to items; it knows the grammar, but not the protocol.
struct NotationParser {
    private let scalars: [Unicode.Scalar]
    private let name: String
    private var index = 0
    private var line = 1
    private var lineStart = 0

    init(_ text: String, name: String) {
        self.scalars = Array(text.unicodeScalars)
        self.name = name
    }

    mutating func items() throws(InputProblem) -> [NotationItem] {
        var items: [NotationItem] = []
        skipSpace()
        while index < scalars.count {
            items.append(try item())
            guard index == scalars.count || isSpace else {
                throw problem("no space before '\(rest)'", expected: "a space between events", fix: "put a space there")
            }
            skipSpace()
        }
        return items
    }

    private mutating func item() throws(InputProblem) -> NotationItem {
        let start = location
        if current == "+" { return try wait(at: start) }
        let word = take { $0 != "+" && $0 != "<" && $0 != ">" && $0 != "!" && $0 != "=" && !Self.isSpace($0) }
        guard let lane = Lane(word) else {
            throw problem(
                word.isEmpty ? "no lane before '\(rest)'" : "unknown lane '\(word)'",
                expected: "A to Z, a number, server, client or push",
                fix: nearestName(to: word, among: ["server", "client", "push"]).map { "did you mean '\($0)'?" }
                    ?? "begin the event with its lane", at: start)
        }
        guard let mark = current, !isSpace else {
            throw problem(
                "no mark after lane '\(word)'", expected: "one of > < ! = +", fix: "say what happens on the lane")
        }
        index += 1
        let content: NotationItem.Content
        switch mark {
        case "+": content = .handshake(try handshake(at: start))
        case "!": content = .act(try frame())
        case "=": content = .state(try frame())
        default:
            let direction: Direction = mark == ">" ? .toServer : .fromServer
            content =
                current == "`"
                ? .verbatim(direction, try quoted("`", "verbatim text")) : .frame(direction, try frame())
        }
        return NotationItem(lane: lane, content: content, isCited: takeCitation(), location: start)
    }

    private mutating func handshake(at start: NotationLocation) throws(InputProblem) -> NotationFrame {
        NotationFrame(name: "connected", arguments: try arguments(), frames: nil, location: start)
    }

    private mutating func wait(at start: NotationLocation) throws(InputProblem) -> NotationItem {
        index += 1
        let digits = take { ("0"..."9").contains($0) }
        guard let amount = Int(digits) else {
            throw problem("a wait without a number", expected: "such as +250ms, +30s or +5min", fix: "write the number")
        }
        let unitStart = location
        let unit = take { !Self.isSpace($0) && $0 != "^" }
        let factors = ["ms": 1_000, "s": 1_000_000, "min": 60_000_000]
        guard let factor = factors[unit] else {
            throw problem(
                unit.isEmpty ? "a wait without a unit" : "unknown unit '\(unit)'", expected: "ms, s or min",
                fix: "put one of them right after the number", at: unitStart)
        }
        let (duration, overflow) = amount.multipliedReportingOverflow(by: factor)
        guard !overflow, duration <= 1_000_000_000_000_000 else {
            throw problem("the wait is too long", expected: "at most 30 years", fix: "shorten it", at: start)
        }
        return NotationItem(lane: nil, content: .wait(duration), isCited: takeCitation(), location: start)
    }

    private mutating func takeCitation() -> Bool {
        guard current == "^" else { return false }
        index += 1
        return true
    }

    private mutating func frame() throws(InputProblem) -> NotationFrame {
        let start = location
        let name = take(Self.isNameScalar)
        guard !name.isEmpty else {
            throw problem(
                "nothing follows the mark", expected: "a word such as chat, 200 or kill",
                fix: "write what happened")
        }
        let arguments = try arguments()
        guard current == "[" else {
            return NotationFrame(name: name, arguments: arguments, frames: nil, location: start)
        }
        let open = location
        index += 1
        var frames: [NotationFrame] = []
        skipSpace()
        while current != "]" {
            guard index < scalars.count else { throw unfinished("[", "]", open) }
            frames.append(try frame())
            try separated(by: "]", open: "[", since: open)
        }
        index += 1
        return NotationFrame(name: name, arguments: arguments, frames: frames, location: start)
    }

    private mutating func arguments() throws(InputProblem) -> [NotationArgument] {
        guard current == "(" else { return [] }
        let open = location
        index += 1
        var arguments: [NotationArgument] = []
        skipSpace()
        while current != ")" {
            guard index < scalars.count else { throw unfinished("(", ")", open) }
            arguments.append(try argument())
            try separated(by: ")", open: "(", since: open)
        }
        index += 1
        return arguments
    }

    private mutating func separated(by close: Unicode.Scalar, open: String, since: NotationLocation)
        throws(InputProblem)
    {
        guard index < scalars.count else { throw unfinished(open, String(close), since) }
        guard current == close || isSpace else {
            throw problem("no space before '\(rest)'", expected: "a space or '\(close)'", fix: "put it there")
        }
        skipSpace()
    }

    private mutating func argument() throws(InputProblem) -> NotationArgument {
        let start = location
        switch current {
        case "'":
            return NotationArgument(content: .text(try quoted("'", "text")), location: start)
        case "#":
            index += 1
            let digits = take(Self.isNameScalar)
            guard let number = Int(digits) else {
                throw problem(
                    "'#\(digits)' is not a position", expected: "such as #7", fix: "write a number", at: start)
            }
            return NotationArgument(content: .position(number), location: start)
        case "-":
            index += 1
            let name = take(Self.isNameScalar)
            guard !name.isEmpty else {
                throw problem("nothing follows '-'", expected: "such as -s", fix: "name what is missing")
            }
            return NotationArgument(content: .dropped(name), location: start)
        default:
            let word = take(Self.isNameScalar)
            guard !word.isEmpty else {
                throw problem(
                    "'\(rest)' is not an argument", expected: "an id, #7, 'text', -name or a word", fix: "correct it")
            }
            var value: NotationArgument.Value?
            if current == "=" {
                index += 1
                value = try self.value()
            }
            return NotationArgument(content: try named(word, value, at: start), location: start)
        }
    }

    private func named(
        _ word: String, _ value: NotationArgument.Value?, at start: NotationLocation
    ) throws(InputProblem) -> NotationArgument.Content {
        if let letter = word.first, letter.isASCII, letter.isLetter, word.count > 1,
            word.dropFirst().unicodeScalars.allSatisfy({ ("0"..."9").contains($0) })
        {
            guard "cstuaenp".contains(letter), let number = Int(word.dropFirst()) else {
                throw problem(
                    "'\(word)' is not an id", expected: "a letter of c s t u a e n p with a number",
                    fix: "correct the letter, or quote the text", at: start)
            }
            return .id(letter, number, value)
        }
        return value.map { .field(word, $0) } ?? .word(word)
    }

    private mutating func value() throws(InputProblem) -> NotationArgument.Value {
        if current == "'" { return .text(try quoted("'", "text")) }
        let word = take { Self.isNameScalar($0) || $0 == "+" }
        guard !word.isEmpty else {
            throw problem("no value after '='", expected: "a word, a number or 'text'", fix: "write the value")
        }
        return .word(word)
    }

    /// Text between two marks; inside, the mark is doubled.
    private mutating func quoted(_ mark: Unicode.Scalar, _ kind: String) throws(InputProblem) -> String {
        let open = location
        advance()
        var text = String.UnicodeScalarView()
        while index < scalars.count {
            let scalar = scalars[index]
            advance()
            if scalar == mark {
                guard current == mark else { return String(text) }
                advance()
            }
            text.append(scalar)
        }
        throw problem("the \(kind) is not finished", expected: "a closing \(mark)", fix: "write it", at: open)
    }

    private func unfinished(_ open: String, _ close: String, _ location: NotationLocation) -> InputProblem {
        problem("'\(open)' is not closed", expected: "'\(close)'", fix: "write it", at: location)
    }

    // MARK: Scalars

    private var current: Unicode.Scalar? { index < scalars.count ? scalars[index] : nil }
    private var isSpace: Bool { current.map(Self.isSpace) ?? false }
    private var location: NotationLocation { NotationLocation(source: name, line: line, column: index - lineStart + 1) }

    private mutating func advance() {
        if scalars[index] == "\n" {
            line += 1
            lineStart = index + 1
        }
        index += 1
    }

    private mutating func skipSpace() {
        while isSpace { advance() }
    }

    private mutating func take(_ isWanted: (Unicode.Scalar) -> Bool) -> String {
        let start = index
        while index < scalars.count, isWanted(scalars[index]) { index += 1 }
        return String(String.UnicodeScalarView(scalars[start..<index]))
    }

    private var rest: String {
        String(String.UnicodeScalarView(scalars[index...].prefix { !Self.isSpace($0) }.prefix(20)))
    }

    private static func isSpace(_ scalar: Unicode.Scalar) -> Bool {
        scalar == " " || scalar == "\n" || scalar == "\t" || scalar == "\r"
    }

    static func isNameScalar(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar {
        case "a"..."z", "A"..."Z", "0"..."9", "_", "-", ".": true
        default: false
        }
    }

    private func problem(
        _ what: String, expected: String, fix: String, at location: NotationLocation? = nil
    ) -> InputProblem {
        (location ?? self.location).problem(what, expected: expected, fix: fix)
    }
}
