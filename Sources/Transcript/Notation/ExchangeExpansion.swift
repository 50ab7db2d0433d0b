import Holdfast
import HoldfastBasics
import HoldfastJSON

struct ExchangeExpansion {
    /// The kind of a lane's request, which determines the form of the response.
    enum RequestKind {
        case session(JSONValue)
        case list
        case chat(turn: Int)
        case health
        case other
    }

    func request(_ frame: NotationFrame) throws(InputProblem) -> (Event.Request, RequestKind) {
        guard NotationWord.methods.contains(frame.name) else {
            throw frame.unknown("unknown word '\(frame.name)'", known: NotationWord.methods)
        }
        let word = NotationWord("csp", .among(["health"]), text: true)
        let arguments = try NotationArguments(frame, word)
        var request = Event.Request(method: frame.name, path: "/api/sessions", principal: arguments.principal)
        var asked = RequestKind.list
        if frame.name == "POST" {
            request.path = "/api/chat"
            asked = .chat(turn: arguments.number(ofAny: "c") ?? 1)
            var body: JSONObject = ["messages": FrameExpansion.question(arguments)]
            body["sessionId"] = arguments.id("s")
            body["clientMessageId"] = arguments.id("c") ?? "c1"
            for (name, value) in arguments.fields where name != "path" && name != "body" {
                body[name] = NotationArguments.json(value)
            }
            for name in arguments.dropped { body[NotationWord.field(droppedBy: name)] = nil }
            request.body = JSONValue.object(body).text()
        } else if arguments.words.contains("health") {
            request.path = "/api/health"
            asked = .health
        } else if let session = arguments.id("s") {
            request.path = "/api/sessions/\(session.stringValue ?? "")"
            asked = .session(session)
        }
        if let path = arguments.field("path") {
            request.path = path
            asked = frame.name == "POST" ? asked : Self.asked(for: path)
        }
        if let body = arguments.field("body") { request.body = body }
        if arguments.dropped.contains("body") { request.body = nil }
        return (request, asked)
    }

    private static func asked(for path: String) -> RequestKind {
        if path == "/api/sessions" { return .list }
        if path == "/api/health" { return .health }
        let prefix = "/api/sessions/"
        return path.hasPrefix(prefix) ? .session(.string(String(path.dropFirst(prefix.count)))) : .other
    }

    func response(_ frame: NotationFrame, to asked: RequestKind) throws(InputProblem) -> Event.Kind {
        if frame.name == "failed" {
            let arguments = try NotationArguments(frame, NotationWord("", text: true))
            return .failed(reason: arguments.text ?? "")
        }
        guard let status = frame.status else {
            throw frame.unknown("unknown word '\(frame.name)'", known: ["failed", "a status such as 200"])
        }
        var response = Event.Response(status: status)
        let arguments: NotationArguments
        var body: JSONObject
        if status >= 300 {
            arguments = try NotationArguments(
                frame, NotationWord("cst", .among(NotationWord.errorCodes), text: true))
            body = arguments.failure()
        } else {
            switch asked {
            case .session(let session):
                arguments = try NotationArguments(frame, NotationWord("uat"))
                body = ["session": .object(self.session(session, arguments))]
            case .list:
                arguments = try NotationArguments(frame, NotationWord("s"))
                body = list(arguments)
            case .chat(let turn):
                let word = NotationWord("csta", .among(["duplicate"]), text: true)
                arguments = try NotationArguments(frame, word)
                body = arguments.answer(turn: turn)
            case .health, .other:
                arguments = try NotationArguments(frame, NotationWord(""))
                body = ["ok": true]
            }
        }
        finish(&body, &response, arguments)
        return .response(response)
    }

    /// Applies the arguments: fields with a hyphen, or after `header.`, are header fields; others belong to the body.
    ///
    /// The content type is JSON unless `content-type` is written or dropped.
    private func finish(_ body: inout JSONObject, _ response: inout Event.Response, _ arguments: NotationArguments) {
        let named = (arguments.fields.map(\.name) + arguments.dropped).compactMap(Self.header)
        if !named.contains("content-type") { response.headers = [Self.json] }
        for (name, value) in arguments.fields {
            if let header = Self.header(name) {
                response.headers.append(.init(name: header, value: value.characters))
            } else if name != "body", name != "bodyIsText" {
                body[name] = NotationArguments.json(value)
            }
        }
        for name in arguments.dropped where Self.header(name) == nil {
            body[NotationWord.field(droppedBy: name)] = nil
        }
        response.body = arguments.field("body") ?? JSONValue.object(body).text()
        response.bodyIsText = arguments.field("bodyIsText") != "false"
    }

    /// The default header field of a response.
    static let json = Event.Header(name: "content-type", value: "application/json")

    private static func header(_ name: String) -> String? {
        if name.hasPrefix("header.") { return String(name.dropFirst(7)) }
        return name.contains("-") ? name : nil
    }

    private func session(_ id: JSONValue, _ arguments: NotationArguments) -> JSONObject {
        var messages: [JSONValue] = []
        var last = 0
        for (letter, number, value) in arguments.ids where letter != "t" {
            let isAnswer = letter == "a"
            let seconds = number * 2 + (isAnswer ? 1 : 0)
            last = max(last, seconds)
            var message: JSONObject = [
                "id": .string("\(letter)\(number)"), "role": isAnswer ? "assistant" : "user",
                "content": .string(value?.characters ?? (isAnswer ? "answer \(number)" : "question \(number)")),
                "timestamp": FrameExpansion.timestamp(seconds), "turnId": .string("t\(number)"),
            ]
            if !isAnswer { message["clientMessageId"] = .string("c\(number)") }
            for name in arguments.dropped { message[NotationWord.field(droppedBy: name)] = nil }
            messages.append(.object(message))
        }
        var session: JSONObject = [
            "id": id, "createdAt": FrameExpansion.timestamp(0), "updatedAt": FrameExpansion.timestamp(last),
            "messages": .array(messages), "turns": .array(turns(arguments)),
        ]
        if arguments.dropped.contains("turns") { session["turns"] = nil }
        return session
    }

    /// The turns as written, or those of the messages: `done` if answered, else `running`.
    private func turns(_ arguments: NotationArguments) -> [JSONValue] {
        var turns = arguments.ids.filter { $0.letter == "t" }.map { ($0.number, $0.value?.characters ?? "done") }
        if turns.isEmpty, !arguments.dropped.contains("t") {
            for (letter, number, _) in arguments.ids {
                let status = letter == "a" ? "done" : "running"
                if let index = turns.firstIndex(where: { $0.0 == number }) {
                    if letter == "a" { turns[index].1 = status }
                } else {
                    turns.append((number, status))
                }
            }
        }
        return turns.map { number, status in
            [
                "turnId": .string("t\(number)"), "status": .string(status),
                "clientMessageId": .string("c\(number)"),
            ]
        }
    }

    private func list(_ arguments: NotationArguments) -> JSONObject {
        let count = arguments.ids.count
        let sessions = arguments.ids.enumerated().map { index, id -> JSONValue in
            [
                "id": .string("\(id.letter)\(id.number)"), "updatedAt": FrameExpansion.timestamp(count - index),
                "messageCount": JSONValue(id.value.flatMap { Int($0.characters) } ?? 2),
            ]
        }
        return ["sessions": .array(sessions)]
    }
}
