import HoldfastJSON

/// Short names for the ids of a history: `t3` for the third turn, whatever its id.
///
/// An id that already has this form keeps it; ids in one frame get the same number if it is free.
struct NotationNames {
    private var numbers: [Character: [ExactString: Int]] = [:]
    private var taken: [Character: Set<Int>] = [:]

    init(_ history: History) {
        let bodies = history.events.map { event -> JSONValue? in
            switch event.kind {
            case .request(let request): request.body.flatMap(Self.parsed)
            case .response(let response): Self.parsed(response.body)
            default: nil
            }
        }
        // Ids that have the form of a name are collected first, so that no other id takes their number.
        for pass in [true, false] {
            var asked: [Lane: JSONValue] = [:]
            for (index, event) in history.events.enumerated() {
                switch event.kind {
                case .text: learn(history.frames[index]?.document?.root, onlySpelled: pass)
                case .request:
                    asked[event.lane] = bodies[index]?["clientMessageId"]
                    learn(bodies[index], onlySpelled: pass)
                case .response: learn(bodies[index], of: asked[event.lane], onlySpelled: pass)
                case .state(let state): learn(shown: state, onlySpelled: pass)
                case .act(_, let details):
                    note("s", details["sessionId"], nil, pass)
                    note("t", details["turnId"], nil, pass)
                default: break
                }
            }
        }
    }

    func name(_ letter: Character, _ value: String) -> String? {
        numbers[Self.kind(letter)]?[ExactString(value)].map { "\(letter)\($0)" }
    }

    static func isSpelled(_ letter: Character, _ value: String) -> Bool { number(letter, value) != nil }

    private static func number(_ letter: Character, _ value: String) -> Int? {
        guard value.first == letter, let number = Int(value.dropFirst()), number >= 0, "\(letter)\(number)" == value
        else { return nil }
        return number
    }

    /// Questions and answers share their numbers.
    private static func kind(_ letter: Character) -> Character { letter == "a" ? "u" : letter }

    private static func parsed(_ text: String) -> JSONValue? { try? JSONParser.document(text).root }

    /// Collects the ids of a message or a body; a response does not repeat the key of its question.
    private mutating func learn(_ value: JSONValue?, of key: JSONValue? = nil, onlySpelled: Bool) {
        guard let value, value.objectValue != nil else { return }
        learnIDs(of: value, onlySpelled, key: key)
        for frame in value["missed"]?.arrayValue ?? [] { learnIDs(of: frame, onlySpelled) }
        for entry in value["sessions"]?.arrayValue ?? [] { note("s", entry["id"], nil, onlySpelled) }
        guard let session = value["session"] else { return }
        note("s", session["id"], nil, onlySpelled)
        for turn in session["turns"]?.arrayValue ?? [] { learnIDs(of: turn, onlySpelled) }
        // If its turn is unnamed, an answer belongs to the message before it.
        var last: Int?
        for message in session["messages"]?.arrayValue ?? [] {
            let named =
                known("u", message["id"]) ?? known("t", message["turnId"]) ?? known("c", message["clientMessageId"])
            note("u", message["id"], named ?? (message["role"] == "assistant" ? last : nil), onlySpelled)
            last = known("u", message["id"])
        }
    }

    /// Collects the ids on a client's screen, for messages that no frame named.
    private mutating func learn(shown state: JSONValue, onlySpelled: Bool) {
        note("s", state["sessionId"], nil, onlySpelled)
        for message in state["messages"]?.arrayValue ?? [] {
            let number = note("c", message["clientMessageId"], known("u", message["id"]), onlySpelled)
            note("u", message["id"], number, onlySpelled)
        }
        for session in (state["unread"]?.objectValue ?? [:]).keys { note("s", .string(session), nil, onlySpelled) }
    }

    private mutating func learnIDs(of frame: JSONValue, _ onlySpelled: Bool, key: JSONValue? = nil) {
        let key = frame["clientMessageId"] ?? key
        note("s", frame["sessionId"], nil, onlySpelled)
        note("e", frame["epoch"], nil, onlySpelled)
        note("n", frame["nonce"], nil, onlySpelled)
        let number =
            known("t", frame["turnId"]) ?? known("c", key) ?? known("u", frame["messageId"])
        let given = note("c", key, number, onlySpelled) ?? number
        let turn = note("t", frame["turnId"], given, onlySpelled) ?? given
        note("u", frame["messageId"], turn, onlySpelled)
    }

    private func known(_ letter: Character, _ value: JSONValue?) -> Int? {
        value?.stringValue.flatMap { numbers[letter]?[ExactString($0)] }
    }

    @discardableResult
    private mutating func note(
        _ letter: Character, _ value: JSONValue?, _ wanted: Int?, _ onlySpelled: Bool
    ) -> Int? {
        guard let text = value?.stringValue else { return nil }
        if let number = numbers[letter]?[ExactString(text)] { return number }
        let spelled = Self.number(letter, text) ?? (letter == "u" ? Self.number("a", text) : nil)
        if onlySpelled, spelled == nil { return nil }
        var number = spelled ?? wanted ?? 1
        if spelled == nil {
            // A question and its answer may share a number; the letter distinguishes them.
            while taken[letter]?.contains(number) == true, !(letter == "u" && number == wanted) { number += 1 }
        }
        numbers[letter, default: [:]][ExactString(text)] = number
        taken[letter, default: []].insert(number)
        return number
    }
}
