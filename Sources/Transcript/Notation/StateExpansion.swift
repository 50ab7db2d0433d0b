import Holdfast
import HoldfastJSON

/// Expands a word such as `connected(s1 u1 a1 thinking)` to a client's reported screen.
struct StateExpansion {
    func state(_ frame: NotationFrame) throws(InputProblem) -> JSONValue {
        let arguments = try NotationArguments(frame, NotationWord.state)
        if frame.name == "state" { return try verbatim(arguments) }
        var object: JSONObject = ["connection": .string(frame.name)]
        object["sessionId"] = arguments.id("s") ?? .null
        object["thinking"] = .bool(arguments.words.contains("thinking"))
        var messages: [JSONValue] = []
        for (letter, number, value) in arguments.ids where "uac".contains(letter) {
            messages.append(message(letter, number, value))
        }
        var errors: [JSONValue] = arguments.words.filter { $0 != "thinking" }.map { Self.error(code: $0) }
        if let text = arguments.text { errors.append(["text": .string(text)]) }
        var unread = JSONObject()
        var rest: [(String, NotationArgument.Value)] = []
        for (name, value) in arguments.fields {
            if name == "failed" {
                messages = messages.map { Self.failed($0, key: value.characters) }
            } else if name.hasPrefix("unread.") {
                unread[String(name.dropFirst("unread.".count))] = NotationArguments.json(value)
            } else if name.hasPrefix("error.") {
                let key = String(name.dropFirst("error.".count))
                switch value {
                case .word(let code): errors.append(Self.error(code: code, key: key))
                case .text(let text): errors.append(["text": .string(text), "clientMessageId": .string(key)])
                }
            } else {
                rest.append((name, value))
            }
        }
        object["messages"] = .array(messages)
        object["errors"] = .array(errors)
        object["unread"] = .object(unread)
        for (name, value) in rest { object[name] = NotationArguments.json(value) }
        for name in arguments.dropped { object[NotationWord.field(droppedBy: name)] = nil }
        return .object(object)
    }

    private func verbatim(_ arguments: NotationArguments) throws(InputProblem) -> JSONValue {
        do {
            return try JSONParser.value(arguments.field("json") ?? "")
        } catch {
            throw arguments.location.problem(
                "the state is not JSON: \(error)", expected: "state(json='{…}')", fix: "correct it")
        }
    }

    /// `u1` is a question that the server has, `c1` an unconfirmed one, `a1` an answer.
    private func message(_ letter: Character, _ number: Int, _ value: NotationArgument.Value?) -> JSONValue {
        let isAnswer = letter == "a"
        let isConfirmed = letter != "c"
        var message = JSONObject()
        if isConfirmed { message["id"] = .string("\(letter)\(number)") }
        if !isAnswer { message["clientMessageId"] = .string("c\(number)") }
        message["role"] = isAnswer ? "assistant" : "user"
        message["text"] = .string(value?.characters ?? (isAnswer ? "answer \(number)" : "question \(number)"))
        message["status"] = isConfirmed ? "sent" : "sending"
        return .object(message)
    }

    private static func failed(_ message: JSONValue, key: String) -> JSONValue {
        guard var object = message.objectValue, object["clientMessageId"]?.stringValue == key else { return message }
        object["status"] = "failed"
        return .object(object)
    }

    private static func error(code: String, key: String? = nil) -> JSONValue {
        var error: JSONObject = ["text": .string(NotationArguments.spoken(code)), "code": .string(code)]
        error["clientMessageId"] = key.map { .string($0) }
        return .object(error)
    }
}
