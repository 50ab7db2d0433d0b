import JSON

/// One fact that survives the process; the log of these is everything the server knows.
enum StoredRecord: Sendable, Equatable {
    /// A question was accepted; it begins its session when that does not exist yet.
    case question(Question)
    /// A turn ended with an answer.
    case answer(Answer)
    /// A turn ended without one.
    case failure(Failure)
    /// The agent said something that nobody asked for.
    case remark(Remark)

    /// A question as it was accepted.
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

    /// The answer of a turn.
    struct Answer: Sendable, Equatable {
        var session: String
        var turn: String
        var message: String
        var text: String
        var at: Int
    }

    /// The failure of a turn.
    struct Failure: Sendable, Equatable {
        var session: String
        var turn: String
        var code: String
        var text: String
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

extension StoredRecord {
    /// The record as one line of JSON, without the line end.
    var line: String {
        let value: JSONValue
        switch self {
        case .question(let it):
            value = members([
                ("record", "question"), ("principal", .string(it.principal)), ("session", .string(it.session)),
                ("turn", .string(it.turn)), ("message", .string(it.message)), ("key", it.key.map(JSONValue.string)),
                ("content", it.content), ("at", JSONValue(it.at)),
            ])
        case .answer(let it):
            value = members([
                ("record", "answer"), ("session", .string(it.session)), ("turn", .string(it.turn)),
                ("message", .string(it.message)), ("text", .string(it.text)), ("at", JSONValue(it.at)),
            ])
        case .failure(let it):
            value = members([
                ("record", "failure"), ("session", .string(it.session)), ("turn", .string(it.turn)),
                ("code", .string(it.code)), ("text", .string(it.text)), ("at", JSONValue(it.at)),
            ])
        case .remark(let it):
            value = members([
                ("record", "remark"), ("principal", .string(it.principal)), ("session", .string(it.session)),
                ("message", .string(it.message)), ("text", .string(it.text)), ("at", JSONValue(it.at)),
            ])
        }
        return value.text()
    }

    /// Reads a line again; nil when it is none of the records.
    init?(line: [UInt8]) {
        guard let root = try? JSONParser.value(bytes: line), let session = root["session"]?.stringValue,
            let at = root["at"]?.intValue
        else { return nil }
        func text(_ name: String) -> String? { root[name]?.stringValue }
        if text("record") == "remark" {
            guard let principal = text("principal"), let message = text("message"), let said = text("text") else {
                return nil
            }
            self = .remark(Remark(principal: principal, session: session, message: message, text: said, at: at))
            return
        }
        guard let turn = text("turn") else { return nil }
        switch text("record") {
        case "question":
            guard let principal = text("principal"), let message = text("message"), let content = root["content"]
            else { return nil }
            self = .question(
                Question(
                    principal: principal, session: session, turn: turn, message: message, key: text("key"),
                    content: content, at: at))
        case "answer":
            guard let message = text("message"), let answer = text("text") else { return nil }
            self = .answer(Answer(session: session, turn: turn, message: message, text: answer, at: at))
        case "failure":
            guard let code = text("code"), let reason = text("text") else { return nil }
            self = .failure(Failure(session: session, turn: turn, code: code, text: reason, at: at))
        default: return nil
        }
    }
}

/// An object of the members that have a value.
func members(_ pairs: [(String, JSONValue?)]) -> JSONValue {
    .object(JSONObject(pairs.compactMap { name, value in value.map { (key: name, value: $0) } }))
}
