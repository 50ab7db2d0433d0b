import Holdfast
import HoldfastJSON

/// Writes HTTP requests and responses in the notation, and verifies each by expanding it.
struct ExchangePrinting {
    let names: NotationNames
    let isBrief: Bool
    private let expansion = ExchangeExpansion()

    /// The text of a question; nil if it is not a single message of plain text.
    static func question(in messages: JSONValue?) -> String? {
        guard let messages = messages?.arrayValue, messages.count == 1, let message = messages[0].objectValue,
            message.count == 2, message["role"] == "user"
        else { return nil }
        return message["content"]?.stringValue
    }

    /// A request such as `POST(c1)`, and its kind.
    func request(_ request: Event.Request) -> (text: String, asked: ExchangeExpansion.Asked)? {
        guard NotationWord.methods.contains(request.method) else { return nil }
        var parts: [String] = []
        let body = request.body.flatMap { try? JSONParser.document($0).root }
        let prefix = "/api/sessions/"
        if request.method == "POST" {
            parts += names.ids([("c", "clientMessageId"), ("s", "sessionId")], in: body, isBrief: isBrief)
            if !isBrief, let text = Self.question(in: body?["messages"]) { parts.append(Spelling.quoted(text)) }
            if body?["clientMessageId"] == nil { parts.append("-c") }
        } else if request.path == "/api/health" {
            parts.append("health")
        } else if request.path.hasPrefix(prefix) {
            let session = String(request.path.dropFirst(prefix.count))
            let name = names.name("s", session) ?? "s1"
            parts.append(Spelling.named(name, session, isUsual: isBrief || name == session))
        }
        let isUsual = request.path == (request.method == "POST" ? "/api/chat" : "/api/sessions")
        if !isUsual, parts.isEmpty || request.method == "POST" {
            parts.append("path=\(Spelling.quoted(request.path))")
        }
        parts += Spelling.principal(request.principal)
        if proven(request, parts) != nil { return proven(request, leanest(parts) { proven(request, $0) != nil }) }
        guard !isBrief else {
            return expanded(request.method, parts).map { (Spelling.word(request.method, parts), $0.asked) }
        }
        return proven(request, parts + [request.body.map { "body=\(Spelling.quoted($0))" } ?? "-body"])
    }

    /// A response such as `200(u1 a1)`.
    func response(_ response: Event.Response, to asked: ExchangeExpansion.Asked) -> String? {
        let status = String(response.status)
        let parts = contents(response, asked)
        if isBrief { return Spelling.word(status, parts) }
        var headers: [String] = []
        let isUsual = response.headers.first == ExchangeExpansion.json
        if !response.headers.contains(where: { $0.name == "content-type" }) { headers.append("-content-type") }
        let isSaidFirst = isUsual && !response.headers.dropFirst().contains { $0.name == "content-type" }
        for header in isSaidFirst ? response.headers.dropFirst() : response.headers[...] {
            guard Spelling.isWord("header.\(header.name)") else { return nil }
            let name =
                header.name.contains("-") && Spelling.isWord(header.name) ? header.name : "header.\(header.name)"
            headers.append("\(name)=\(Spelling.quoted(header.value))")
        }
        let verbatim =
            ["body=\(Spelling.quoted(response.body))"] + (response.bodyIsText ? [] : ["bodyIsText=false"])
        func isProven(_ parts: [String]) -> Bool {
            guard let frame = Spelling.frame(of: "1<" + Spelling.word(status, parts)),
                case .response(let found)? = try? expansion.response(frame, to: asked)
            else { return false }
            return Self.isSame(found, response)
        }
        guard let parts = [parts + headers, headers + verbatim].first(where: isProven) else { return nil }
        return Spelling.word(status, leanest(parts, isProven))
    }

    /// Omits texts and ids that are the default; the first part always stays.
    private func leanest(_ parts: [String], _ isProven: ([String]) -> Bool) -> [String] {
        let parts = Spelling.leanest(parts, omitting: Array(parts.indices.dropFirst()), isProven)
        if parts.count == 1, parts[0].hasPrefix("'"), isProven([]) { return [] }
        return parts
    }

    /// The contents of a response's body as words.
    private func contents(_ response: Event.Response, _ asked: ExchangeExpansion.Asked) -> [String] {
        guard let body = try? JSONParser.document(response.body).root else { return [] }
        if response.status >= 300 {
            var parts = [body["code"]?.stringValue].compactMap { $0 }.filter(NotationWord.errorCodes.contains)
            parts += names.ids(
                [("s", "sessionId"), ("t", "turnId"), ("c", "clientMessageId")], in: body, isBrief: isBrief)
            if !isBrief, let text = body["error"]?.stringValue { parts.append(Spelling.quoted(text)) }
            let known = ["code", "sessionId", "turnId", "clientMessageId", "error"]
            for (name, value) in body.objectValue ?? JSONObject() where !known.contains(name) {
                if !isBrief || name == "retryAfterMs", let part = Spelling.field(name, value) {
                    parts.append(part)
                }
            }
            return parts
        }
        switch asked {
        case .session:
            let messages = (body["session"]?["messages"]?.arrayValue ?? []).compactMap(message)
            guard let turns = body["session"]?["turns"]?.arrayValue?.compactMap(turn) else {
                return messages + (isBrief ? [] : ["-turns"])
            }
            return messages + (turns == usualTurns(messages) ? [] : turns)
        case .list:
            return (body["sessions"]?.arrayValue ?? []).compactMap { entry in
                guard let id = entry["id"]?.stringValue, let name = names.name("s", id) else { return nil }
                guard !isBrief, let count = entry["messageCount"]?.intValue, count != 2 else { return name }
                return "\(name)=\(count)"
            }
        case .chat:
            var parts = names.ids(
                [("t", "turnId"), ("s", "sessionId"), ("a", "messageId")], in: body, isBrief: isBrief)
            if isBrief, let turn = parts.first {
                parts.removeAll { $0 == "s1" || $0 == "a" + turn.dropFirst() }
            }
            if body["duplicate"] == true { parts.append("duplicate") }
            if !isBrief, let text = body["text"]?.stringValue { parts.append(Spelling.quoted(text)) }
            return parts
        case .health, .other: return []
        }
    }

    private func message(_ message: JSONValue) -> String? {
        let letter: Character = message["role"] == "assistant" ? "a" : "u"
        guard let id = message["id"]?.stringValue, let name = names.name(letter, id) else { return nil }
        guard !isBrief, let text = message["content"]?.stringValue else { return name }
        let usual = (letter == "a" ? "answer " : "question ") + name.dropFirst()
        return Spelling.named(name, text, isUsual: text == usual)
    }

    private func usualTurns(_ messages: [String]) -> [String] {
        let spelled = messages.map { $0.prefix { $0 != "=" } }
        var numbers: [Substring] = []
        for number in spelled.map({ $0.dropFirst() }) where !numbers.contains(number) { numbers.append(number) }
        return numbers.map { spelled.contains("a" + $0) ? "t\($0)" : "t\($0)=running" }
    }

    private func turn(_ turn: JSONValue) -> String? {
        guard let id = turn["turnId"]?.stringValue, let name = names.name("t", id) else { return nil }
        guard let status = turn["status"]?.stringValue, status != "done" else { return name }
        return Spelling.isWord(status) ? "\(name)=\(status)" : "\(name)=\(Spelling.quoted(status))"
    }

    // MARK: proof

    private func expanded(_ method: String, _ parts: [String]) -> (Event.Request, asked: ExchangeExpansion.Asked)? {
        Spelling.frame(of: "1>" + Spelling.word(method, parts)).flatMap { try? expansion.request($0) }
    }

    private func proven(_ request: Event.Request, _ parts: [String]) -> (String, ExchangeExpansion.Asked)? {
        guard let (found, asked) = expanded(request.method, parts) else { return nil }
        guard found.method == request.method, found.path == request.path, found.principal == request.principal,
            Self.isSame(found.body, request.body)
        else { return nil }
        return (Spelling.word(request.method, parts), asked)
    }

    private static func isSame(_ left: Event.Response, _ right: Event.Response) -> Bool {
        left.status == right.status && left.headers == right.headers && left.bodyIsText == right.bodyIsText
            && isSame(left.body, right.body)
    }

    /// Whether two texts are equal, or equal JSON without flaws.
    static func isSame(_ left: String?, _ right: String?) -> Bool {
        guard let left, let right else { return left == nil && right == nil }
        if left == right { return true }
        guard let left = try? JSONParser.value(left), let right = try? JSONParser.value(right) else { return false }
        return left == right
    }
}
