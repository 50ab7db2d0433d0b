import JSON

/// One fact that survives the process; the log of these is everything the server knows.
enum StoredRecord: Sendable, Equatable {
    /// A question was accepted; it begins its session when that does not exist yet.
    case question(Question)
    /// A turn ended.
    case ending(Ending)
    /// The agent said something that nobody asked for.
    case remark(Remark)

    struct Question: Sendable, Equatable {
        var principal: String
        var session: String
        var turn: String
        var message: String
        var key: String?
        /// Text or parts, as the client gave them.
        var content: JSONValue
        /// In microseconds since 1970.
        var at: Int
    }

    struct Ending: Sendable, Equatable {
        var session: String
        var turn: String
        var ending: TurnEnding
        var at: Int
    }

    /// A message of the agent that belongs to no turn; it begins its session when that does not exist yet.
    struct Remark: Sendable, Equatable {
        var principal: String
        var session: String
        var message: String
        var text: String
        var at: Int
    }
}

/// How a turn ended.
enum TurnEnding: Sendable, Equatable {
    case answered(message: String, text: String)
    case failed(code: String, text: String)
}

extension StoredRecord {
    /// The record as one line of JSON, without the line end.
    var line: String {
        let value: [(String, JSONValue?)]
        switch self {
        case .question(let it):
            value = [
                ("record", "question"), ("principal", .string(it.principal)), ("session", .string(it.session)),
                ("turn", .string(it.turn)), ("message", .string(it.message)), ("key", it.key.map(JSONValue.string)),
                ("content", it.content), ("at", JSONValue(it.at)),
            ]
        case .ending(let it):
            let ending: [(String, JSONValue?)] =
                switch it.ending {
                case .answered(let message, let text): [("message", .string(message)), ("text", .string(text))]
                case .failed(let code, let text): [("code", .string(code)), ("text", .string(text))]
                }
            value =
                [
                    ("record", ending[0].0 == "code" ? "failure" : "answer"), ("session", .string(it.session)),
                    ("turn", .string(it.turn)),
                ] + ending + [("at", JSONValue(it.at))]
        case .remark(let it):
            value = [
                ("record", "remark"), ("principal", .string(it.principal)), ("session", .string(it.session)),
                ("message", .string(it.message)), ("text", .string(it.text)), ("at", JSONValue(it.at)),
            ]
        }
        return members(value).text()
    }

    /// Reads a line again; nil when it is none of the records.
    init?(line: [UInt8]) {
        guard let root = try? JSONParser.value(bytes: line), let session = root.text("session"),
            let at = root["at"]?.intValue
        else { return nil }
        func text(_ name: String) -> String? { root[name]?.stringValue }
        let (principal, turn, message, words) = (text("principal"), text("turn"), text("message"), text("text"))
        switch (text("record"), principal, turn, message, words) {
        case ("question", let principal?, let turn?, let message?, _):
            guard let content = root["content"] else { return nil }
            self = .question(
                Question(
                    principal: principal, session: session, turn: turn, message: message, key: text("key"),
                    content: content, at: at))
        case ("answer", _, let turn?, let message?, let words?):
            let ending = TurnEnding.answered(message: message, text: words)
            self = .ending(Ending(session: session, turn: turn, ending: ending, at: at))
        case ("failure", _, let turn?, _, let words?):
            guard let code = text("code") else { return nil }
            self = .ending(Ending(session: session, turn: turn, ending: .failed(code: code, text: words), at: at))
        case ("remark", let principal?, _, let message?, let words?):
            self = .remark(Remark(principal: principal, session: session, message: message, text: words, at: at))
        default: return nil
        }
    }
}

/// An object of the members that have a value.
func members(_ pairs: [(String, JSONValue?)]) -> JSONValue {
    .object(JSONObject(pairs.compactMap { name, value in value.map { (key: name, value: $0) } }))
}

extension JSONValue {
    /// The text of a member.
    func text(_ name: String) -> String? { self[name]?.stringValue }

    /// The `type` of a frame; empty for what is none.
    var type: String { text("type") ?? "" }
}
