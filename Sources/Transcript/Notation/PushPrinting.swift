import HoldfastJSON

/// Writes pushes and their answers in the notation, and verifies each by expanding it.
struct PushPrinting {
    let names: NotationNames
    let isBrief: Bool
    private let expansion = PushExpansion()

    /// A push such as `alert(a1 s1)`; nil for other requests.
    func request(_ request: Event.Request) -> String? {
        var parts = Spelling.principal(request.principal)
        let body = request.body.flatMap { try? JSONParser.document($0).root }
        parts += names.ids([("a", "messageId"), ("s", "sessionId"), ("t", "turnId")], in: body, isBrief: isBrief)
        if isBrief { return Spelling.word("alert", parts) }
        // The device and the subject are written even if they are the default.
        let named = parts.count
        let headers = self.headers(request.headers)
        parts += contents(body)
        if request.path != "/3/device/\(request.principal ?? "other")" {
            parts.append("path=\(Spelling.quoted(request.path))")
        }
        let verbatim = Spelling.principal(request.principal) + ["body=\(Spelling.quoted(request.body ?? ""))"]
        for parts in [parts + headers, verbatim + headers] where isProven(parts, request) {
            let lean = Spelling.leanest(parts, omitting: Array(parts.indices.dropFirst(named))) {
                isProven($0, request)
            }
            return Spelling.word("alert", lean)
        }
        return nil
    }

    /// An answer such as `410(Unregistered)`.
    func response(_ response: Event.Response) -> String {
        let status = String(response.status)
        let body = (try? JSONParser.document(response.body).root)?.objectValue
        var parts = [body?["reason"]?.stringValue].compactMap { $0 }.filter(Spelling.isWord)
        if isBrief { return Spelling.word(status, parts) }
        for (name, value) in body ?? JSONObject() where name != "reason" || parts.isEmpty {
            if let part = Spelling.field(name, value) { parts.append(part) }
        }
        let headers = response.headers.map { "\(Self.spelled($0.name))=\(Spelling.quoted($0.value))" }
        let verbatim = ["body=\(Spelling.quoted(response.body))"]
        for parts in [parts + headers, verbatim + headers] {
            guard let frame = Spelling.frame(of: "push>" + Spelling.word(status, parts)),
                let found = try? expansion.response(frame)
            else { continue }
            if found.headers == response.headers, ExchangePrinting.isSame(found.body, response.body) {
                return Spelling.word(status, parts)
            }
        }
        return status
    }

    private func contents(_ body: JSONValue?) -> [String] {
        guard let body = body?.objectValue else { return [] }
        var parts: [String] = []
        let aps = body["aps"]?.objectValue ?? JSONObject()
        let alert = aps["alert"]
        if let text = alert?["body"]?.stringValue { parts.append(Spelling.quoted(text)) }
        if alert?["body"] == nil { parts.append("-text") }
        switch alert?["title"] {
        case nil: parts.append("-title")
        case .some(let title): parts += [Spelling.field("title", title)].compactMap { $0 }
        }
        for name in PushExpansion.members.sorted() {
            if let value = aps[name] {
                parts += [Spelling.field(name, value)].compactMap { $0 }
            } else if name == "thread-id" {
                parts.append("-thread-id")
            }
        }
        for (name, value) in body where !["aps", "sessionId", "messageId", "turnId"].contains(name) {
            parts += [Spelling.field(name, value)].compactMap { $0 }
        }
        if body["sessionId"] == nil { parts.append("-s") }
        if body["messageId"] == nil { parts.append("-a") }
        return parts
    }

    private func headers(_ headers: [Event.Header]) -> [String] {
        headers.map { "\(Self.spelled($0.name))=\(Spelling.quoted($0.value))" }
            + PushExpansion.usualHeaders.filter { usual in !headers.contains { $0.name == usual.name } }.map {
                "-\($0.name)"
            }
    }

    private static func spelled(_ name: String) -> String {
        PushExpansion.header(name) == name ? name : "header.\(name)"
    }

    // MARK: proof

    private func isProven(_ parts: [String], _ request: Event.Request) -> Bool {
        guard let frame = Spelling.frame(of: "push<" + Spelling.word("alert", parts)),
            let found = try? expansion.request(frame)
        else { return false }
        return found.method == request.method && found.path == request.path && found.principal == request.principal
            && found.headers == request.headers && ExchangePrinting.isSame(found.body, request.body)
    }
}
