import JSON

/// Writes pushes and the answers to them as words of the notation, and proves each by expanding it again.
struct PushPrinting {
    let names: NotationNames
    let isBrief: Bool
    private let expansion = PushExpansion(source: "")

    /// A push such as `alert(a1 s1)`; nil when it is something else.
    func request(_ request: Event.Request) -> String? {
        var parts = principal(request.principal)
        let body = request.body.flatMap { try? JSONParser.document($0).root }
        parts += ids([("a", "messageId"), ("s", "sessionId"), ("t", "turnId")], in: body)
        if isBrief { return Self.word("alert", parts) }
        // Whom and what it is about stands there also where it goes without saying.
        let named = parts.count
        let headers = self.headers(request.headers)
        parts += contents(body)
        if request.path != "/3/device/\(request.principal ?? "other")" {
            parts.append("path=\(FramePrinting.quoted(request.path))")
        }
        let verbatim = principal(request.principal) + ["body=\(FramePrinting.quoted(request.body ?? ""))"]
        for parts in [parts + headers, verbatim + headers] where isProven(parts, request) {
            return Self.word("alert", leanest(parts, from: named) { isProven($0, request) })
        }
        return nil
    }

    /// An answer such as `410(Unregistered)`.
    func response(_ response: Event.Response) -> String {
        let status = String(response.status)
        let body = (try? JSONParser.document(response.body).root)?.objectValue
        var parts = [body?["reason"]?.stringValue].compactMap { $0 }.filter(FramePrinting.isWord)
        if isBrief { return Self.word(status, parts) }
        for (name, value) in body ?? JSONObject() where name != "reason" || parts.isEmpty {
            if let part = FramePrinting.field(name, value) { parts.append(part.text) }
        }
        let headers = response.headers.map { "\(Self.spelled($0.name))=\(FramePrinting.quoted($0.value))" }
        let verbatim = ["body=\(FramePrinting.quoted(response.body))"]
        for parts in [parts + headers, verbatim + headers] {
            guard let frame = frame(">", Self.word(status, parts)), let found = try? expansion.response(frame) else {
                continue
            }
            if found.headers == response.headers, ExchangePrinting.isSame(found.body, response.body) {
                return Self.word(status, parts)
            }
        }
        return status
    }

    private func contents(_ body: JSONValue?) -> [String] {
        guard let body = body?.objectValue else { return [] }
        var parts: [String] = []
        let aps = body["aps"]?.objectValue ?? JSONObject()
        let alert = aps["alert"]
        if let text = alert?["body"]?.stringValue { parts.append(FramePrinting.quoted(text)) }
        if alert?["body"] == nil { parts.append("-text") }
        switch alert?["title"] {
        case nil: parts.append("-title")
        case .some(let title): parts += [FramePrinting.field("title", title)?.text].compactMap { $0 }
        }
        for name in PushExpansion.members.sorted() {
            if let value = aps[name] {
                parts += [FramePrinting.field(name, value)?.text].compactMap { $0 }
            } else if name == "thread-id" {
                parts.append("-thread-id")
            }
        }
        for (name, value) in body where !["aps", "sessionId", "messageId", "turnId"].contains(name) {
            parts += [FramePrinting.field(name, value)?.text].compactMap { $0 }
        }
        if body["sessionId"] == nil { parts.append("-s") }
        if body["messageId"] == nil { parts.append("-a") }
        return parts
    }

    private func headers(_ headers: [Event.Header]) -> [String] {
        headers.map { "\(Self.spelled($0.name))=\(FramePrinting.quoted($0.value))" }
            + PushExpansion.usualHeaders.filter { usual in !headers.contains { $0.name == usual.name } }.map {
                "-\($0.name)"
            }
    }

    private static func spelled(_ name: String) -> String {
        PushExpansion.header(name) == name ? name : "header.\(name)"
    }

    private func ids(_ fields: [(Character, String)], in body: JSONValue?) -> [String] {
        fields.compactMap { letter, field in
            guard let value = body?[field]?.stringValue, let name = names.name(letter, value) else { return nil }
            return isBrief || name == value ? name : "\(name)=\(FramePrinting.quoted(value))"
        }
    }

    private func principal(_ principal: String?) -> [String] {
        switch principal {
        case nil: ["-p"]
        case "p1"?: []
        case let name? where NotationNames.isSpelled("p", name): [name]
        case let name?: ["p1=\(FramePrinting.quoted(name))"]
        }
    }

    // MARK: proof

    private static func word(_ name: String, _ parts: [String]) -> String {
        parts.isEmpty ? name : "\(name)(\(parts.joined(separator: " ")))"
    }

    private func frame(_ mark: String, _ text: String) -> NotationFrame? {
        var parser = NotationParser("push\(mark)\(text)", name: "")
        guard case .frame(_, let frame)? = (try? parser.items())?.first?.content else { return nil }
        return frame
    }

    private func isProven(_ parts: [String], _ request: Event.Request) -> Bool {
        guard let frame = frame("<", Self.word("alert", parts)), let found = try? expansion.request(frame) else {
            return false
        }
        return found.method == request.method && found.path == request.path && found.principal == request.principal
            && found.headers == request.headers && ExchangePrinting.isSame(found.body, request.body)
    }

    /// Leaves out what goes without saying, from a place on.
    private func leanest(_ parts: [String], from start: Int, _ isProven: ([String]) -> Bool) -> [String] {
        var parts = parts
        for index in parts.indices.dropFirst(start).reversed() {
            var fewer = parts
            fewer.remove(at: index)
            if isProven(fewer) { parts = fewer }
        }
        return parts
    }
}
