import Holdfast
import HoldfastBasics
import HoldfastJSON

struct NotationArguments {
    private(set) var ids: [(letter: Character, number: Int, value: NotationArgument.Value?)] = []
    private(set) var position: Int?
    private(set) var text: String?
    private(set) var words: [String] = []
    private(set) var dropped: [String] = []
    private(set) var fields: [(name: String, value: NotationArgument.Value)] = []
    let location: NotationLocation

    init(_ frame: NotationFrame, _ word: NotationWord) throws(InputProblem) {
        location = frame.location
        for argument in frame.arguments {
            switch argument.content {
            case .id(let letter, let number, let value):
                guard word.ids.contains(letter) else {
                    throw argument.location.problem(
                        "'\(letter)\(number)' does not apply to \(frame.name)",
                        expected: word.ids.isEmpty
                            ? "no ids" : "ids with \(word.ids.map(String.init).joined(separator: ", "))")
                }
                ids.append((letter, number, value))
            case .position(let number):
                guard word.hasPosition else {
                    throw argument.location.problem("\(frame.name) has no number", expected: "no '#\(number)'")
                }
                position = number
            case .text(let text):
                guard word.hasText else {
                    throw argument.location.problem("\(frame.name) has no text", expected: "no quoted text")
                }
                self.text = text
            case .word(let name):
                if let (expected, fix) = Self.objection(to: name, by: word.words) {
                    throw argument.location.problem(
                        "unknown word '\(name)' on \(frame.name)", expected: expected, fix: fix)
                }
                words.append(name)
            case .dropped(let name): dropped.append(name)
            case .field(let name, let value): fields.append((name, value))
            }
        }
        if let frames = frame.frames, frame.name != "syncResult" {
            throw frame.location.problem(
                "\(frame.name) replays no frames, but lists \(frames.count)", expected: "no brackets")
        }
    }

    private static func objection(to name: String, by words: NotationWord.Words) -> (String, String)? {
        switch words {
        case .any: return nil
        case .none: return ("no bare word", "write name=value, or quote the text")
        case .number: return Int(name) == nil ? ("a number", "write the code as a number") : nil
        case .among(let known):
            if known.contains(name) { return nil }
            let hint = nearestName(to: name, among: known)
            return (known.sorted().joined(separator: ", "), hint.map { "did you mean '\($0)'?" } ?? "correct the word")
        }
    }

    /// The value of the first id with a letter, or its name if it has no value.
    func id(_ letter: Character) -> JSONValue? {
        ids.first { $0.letter == letter }.map { .string($0.value?.characters ?? "\($0.letter)\($0.number)") }
    }

    /// The number of an id with one of these letters; the first letter that occurs decides.
    func number(ofAny letters: String) -> Int? {
        for letter in letters {
            if let id = ids.first(where: { $0.letter == letter }) { return id.number }
        }
        return nil
    }

    /// The principal, by default `p1`; nil if dropped.
    var principal: String? {
        if dropped.contains("p") { return nil }
        return id("p")?.stringValue ?? "p1"
    }

    var session: JSONValue { id("s") ?? "s1" }

    func field(_ name: String) -> String? { fields.first { $0.name == name }?.value.characters }

    /// Writes fields to an object and removes dropped ones.
    func finish(_ object: inout JSONObject, inside nested: (name: String, members: Set<String>)? = nil) {
        for (name, value) in fields {
            if let nested, nested.members.contains(name) {
                object[nested.name]?[name] = Self.json(value)
            } else {
                object[name] = Self.json(value)
            }
        }
        for name in dropped where name != "p" {
            if let nested, nested.members.contains(name) {
                object[nested.name]?[name] = nil
            } else {
                object[NotationWord.field(droppedBy: name)] = nil
            }
        }
    }

    /// The members of an answer, after others.
    func answer(_ others: JSONObject = [:], turn: Int) -> JSONObject {
        let turn = number(ofAny: "tac") ?? turn
        var object = others
        object["text"] = .string(text ?? "answer \(turn)")
        object["sessionId"] = session
        object["turnId"] = id("t") ?? .string("t\(turn)")
        object["messageId"] = id("a") ?? .string("a\(turn)")
        object["clientMessageId"] = id("c")
        if words.contains("duplicate") { object["duplicate"] = true }
        return object
    }

    /// The members of an error, after others; `session` is used if none is written.
    func failure(_ others: JSONObject = [:], session: JSONValue? = nil) -> JSONObject {
        var object = others
        object["error"] = .string(text ?? words.first.map(Self.spoken) ?? "error")
        object["code"] = words.first.map { .string($0) }
        object["sessionId"] = id("s") ?? session
        object["turnId"] = id("t")
        object["clientMessageId"] = id("c")
        return object
    }

    /// A code in words.
    static func spoken(_ code: String) -> String { String(code.map { $0 == "_" ? " " : $0 }) }

    /// Quoted values are strings; bare ones are parsed as JSON if possible, else strings.
    static func json(_ value: NotationArgument.Value) -> JSONValue {
        switch value {
        case .text(let text): return .string(text)
        case .word("true"): return true
        case .word("false"): return false
        case .word("null"): return nil
        case .word(let word): return JSONNumber(text: word).map { .number($0) } ?? .string(word)
        }
    }
}
