import Holdfast
import HoldfastBasics
import HoldfastJSON

struct PushExpansion {
    static let defaultHeaders = [
        Event.Header(name: "apns-topic", value: "app.example"), Event.Header(name: "apns-push-type", value: "alert"),
    ]
    /// Members of `aps` that are fields of the word.
    static let members: Set<String> = ["thread-id", "sound", "badge", "category"]

    /// A push, such as `alert(a1 s1 'text')`.
    func request(_ frame: NotationFrame) throws(InputProblem) -> Event.Request {
        guard frame.name == "alert" else {
            throw frame.unknown("unknown word '\(frame.name)' on lane push", known: ["alert"])
        }
        let arguments = try NotationArguments(frame, NotationWord("psta", text: true))
        let turn = arguments.number(ofAny: "ta") ?? 1
        var alert: JSONObject = ["title": "Agent", "body": .string(arguments.text ?? "answer \(turn)")]
        var aps: JSONObject = ["alert": nil, "thread-id": arguments.session]
        var payload: JSONObject = [
            "aps": nil, "sessionId": arguments.session, "messageId": arguments.id("a") ?? .string("a\(turn)"),
        ]
        payload["turnId"] = arguments.id("t")
        var headers = Self.defaultHeaders
        for (name, value) in arguments.fields where name != "body" && name != "path" {
            if let header = Self.header(name) {
                let field = Event.Header(name: header, value: value.characters)
                if let index = headers.firstIndex(where: { $0.name == header }) {
                    headers[index] = field
                } else {
                    headers.append(field)
                }
            } else if name == "title" {
                alert[name] = NotationArguments.json(value)
            } else if Self.members.contains(name) {
                aps[name] = NotationArguments.json(value)
            } else {
                payload[name] = NotationArguments.json(value)
            }
        }
        for name in arguments.dropped where name != "p" {
            switch name {
            case "title": alert["title"] = nil
            case "text": alert["body"] = nil
            case _ where Self.members.contains(name): aps[name] = nil
            case _ where Self.header(name) != nil: headers.removeAll { $0.name == Self.header(name) }
            default: payload[NotationWord.field(droppedBy: name)] = nil
            }
        }
        aps["alert"] = .object(alert)
        payload["aps"] = .object(aps)
        return Event.Request(
            method: "POST", path: arguments.field("path") ?? "/3/device/\(arguments.principal ?? "other")",
            principal: arguments.principal, headers: headers,
            body: arguments.field("body") ?? JSONValue.object(payload).text())
    }

    /// An answer of the push service, such as `410(Unregistered)`.
    func response(_ frame: NotationFrame) throws(InputProblem) -> Event.Response {
        guard let status = frame.status else {
            throw frame.unknown("unknown word '\(frame.name)' on lane push", known: ["a status such as 410"])
        }
        let arguments = try NotationArguments(frame, NotationWord("", .any))
        var response = Event.Response(status: status)
        var body = JSONObject()
        body["reason"] = arguments.words.first.map { .string($0) }
        for (name, value) in arguments.fields where name != "body" {
            if let header = Self.header(name) {
                response.headers.append(Event.Header(name: header, value: value.characters))
            } else {
                body[name] = NotationArguments.json(value)
            }
        }
        response.body = arguments.field("body") ?? (body.isEmpty ? "" : JSONValue.object(body).text())
        return response
    }

    /// The header field that a name stands for: a field of the push service, or any field after `header.`.
    static func header(_ name: String) -> String? {
        if name.hasPrefix("header.") { return String(name.dropFirst(7)) }
        return name.hasPrefix("apns-") || name == "content-type" ? name : nil
    }
}
