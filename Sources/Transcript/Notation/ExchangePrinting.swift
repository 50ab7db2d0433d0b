import Holdfast
import HoldfastJSON

struct ExchangePrinting {
    let names: NotationNames

    /// A request such as `POST(c1)`, and its kind.
    func request(_ request: Event.Request) -> (text: String, asked: ExchangeExpansion.RequestKind)? {
        guard NotationWord.methods.contains(request.method) else { return nil }
        var parts: [String] = []
        let prefix = "/api/sessions/"
        if request.method == "POST" {
            let body = request.body.flatMap { try? JSONParser.document($0).root }
            parts += names.ids([("c", "clientMessageId"), ("s", "sessionId")], in: body)
            if body?["clientMessageId"] == nil { parts.append("-c") }
        } else if request.path == "/api/health" {
            parts.append("health")
        } else if request.path.hasPrefix(prefix) {
            parts.append(names.name("s", String(request.path.dropFirst(prefix.count))) ?? "s1")
        }
        let isUsual = request.path == (request.method == "POST" ? "/api/chat" : "/api/sessions")
        if !isUsual, parts.isEmpty || request.method == "POST" {
            parts.append("path=\(Spelling.quoted(request.path))")
        }
        parts += Spelling.principal(request.principal)
        let text = Spelling.word(request.method, parts)
        guard let frame = Spelling.frame(of: "1>" + text), let (_, asked) = try? ExchangeExpansion().request(frame)
        else { return nil }
        return (text, asked)
    }

    func response(_ response: Event.Response, to asked: ExchangeExpansion.RequestKind) -> String {
        Spelling.word(String(response.status), contents(response, asked))
    }

    private func contents(_ response: Event.Response, _ asked: ExchangeExpansion.RequestKind) -> [String] {
        guard let body = try? JSONParser.document(response.body).root else { return [] }
        if response.status >= 300 {
            var parts = [body["code"]?.stringValue].compactMap(\.self).filter(NotationWord.errorCodes.contains)
            parts += names.ids([("s", "sessionId"), ("t", "turnId"), ("c", "clientMessageId")], in: body)
            if let wait = body["retryAfterMs"], let part = Spelling.field("retryAfterMs", wait) { parts.append(part) }
            return parts
        }
        switch asked {
        case .session:
            let messages = (body["session"]?["messages"]?.arrayValue ?? []).compactMap(message)
            guard let turns = body["session"]?["turns"]?.arrayValue?.compactMap(turn) else { return messages }
            return messages + (turns == defaultTurns(messages) ? [] : turns)
        case .list:
            return (body["sessions"]?.arrayValue ?? []).compactMap { entry in
                entry["id"]?.stringValue.flatMap { names.name("s", $0) }
            }
        case .chat:
            var parts = names.ids([("t", "turnId"), ("s", "sessionId"), ("a", "messageId")], in: body)
            if let turn = parts.first { parts.removeAll { $0 == "s1" || $0 == "a" + turn.dropFirst() } }
            if body["duplicate"] == true { parts.append("duplicate") }
            return parts
        case .health, .other: return []
        }
    }

    private func message(_ message: JSONValue) -> String? {
        message["id"]?.stringValue.flatMap { names.name(message["role"] == "assistant" ? "a" : "u", $0) }
    }

    private func defaultTurns(_ messages: [String]) -> [String] {
        var numbers: [Substring] = []
        for number in messages.map({ $0.dropFirst() }) where !numbers.contains(number) { numbers.append(number) }
        return numbers.map { messages.contains("a" + $0) ? "t\($0)" : "t\($0)=running" }
    }

    private func turn(_ turn: JSONValue) -> String? {
        guard let id = turn["turnId"]?.stringValue, let name = names.name("t", id) else { return nil }
        guard let status = turn["status"]?.stringValue, status != "done" else { return name }
        return Spelling.isWord(status) ? "\(name)=\(status)" : "\(name)=\(Spelling.quoted(status))"
    }
}
