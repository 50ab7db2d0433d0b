import Holdfast
import HoldfastJSON

extension InferredNames {
    mutating func take(_ response: Event.Response, of number: Int, at index: Int) {
        guard let body = try? JSONParser.value(response.body) else { return }
        let prefix = "/api/sessions/"
        var named: (value: JSONValue, generated: [JSONPointer])?
        if let question = posts[number] {
            named = answer(body, response.status, to: question, at: index)
        } else if response.status == 200, let read = reads[number], let principal = read.principal,
            read.path.hasPrefix(prefix)
        {
            let session = String(read.path.dropFirst(prefix.count).prefix { $0 != "?" })
            named = nameMessages(of: body, session: session, principal: principal, at: index)
        }
        guard let named, !named.generated.isEmpty else { return }
        generated[index] = named.generated
        var response = response
        response.body = Dialect.text(of: response.body) { _ in named.value }
        events[index].kind = .response(response)
    }

    private mutating func answer(
        _ body: JSONValue, _ status: Int, to question: Int, at index: Int
    ) -> (value: JSONValue, generated: [JSONPointer]) {
        guard (200...299).contains(status) || questions[question].hasBegun else {
            questions[question].isRefused = status < 500 || body["error"]?.stringValue != nil
            return (body, [])
        }
        let session = body["sessionId"]?.stringValue
        questions[question].order = questions[question].order ?? index
        if let session { noteSession(session, of: questions[question].principal, at: index) }
        questions[question].session = questions[question].session ?? session
        questions[question].hasBegun = true
        questions[question].answer = questions[question].answer ?? body["text"]?.stringValue
        if status >= 400 || body["text"] != nil { questions[question].ended = questions[question].ended ?? index }
        return body.adding(["turnId": questions[question].turnId])
    }

    /// Adds ids to the stored messages whose questions are identified by an id, or by text and order.
    private mutating func nameMessages(
        of body: JSONValue, session: String, principal: String, at index: Int
    ) -> (value: JSONValue, generated: [JSONPointer]) {
        noteSession(session, of: principal, at: index)
        guard var messages = body["session"]?["messages"]?.arrayValue, let old = body["session"] else {
            return (body, [])
        }
        let candidates = questions.indices.filter { place in
            let question = questions[place]
            return question.principal == principal && question.session == session && question.order != nil
                && !question.isRefused
        }.sorted { questions[$0].order ?? 0 < questions[$1].order ?? 0 }
        var names: [Int: Int] = [:]
        /// Pairs messages and questions with the same text, if there are equally many.
        func pair(_ role: String, _ text: (Question) -> String?) {
            let stored = messages.indices.filter {
                messages[$0]["role"]?.stringValue == role && names[$0] == nil && !isCapture
            }
            for group in Dictionary(grouping: stored, by: { MessageContent.text(of: messages[$0]["content"]) }) {
                let asked = candidates.filter { text(questions[$0]) == group.key }
                    .filter { place in
                        role != "user" || !names.contains { $0.value == place && messages[$0.key]["role"] == "user" }
                    }
                guard asked.count == group.value.count else { continue }
                for (message, question) in zip(group.value, asked) { names[message] = question }
            }
        }
        for (place, message) in messages.enumerated() {
            names[place] =
                find("key", message["clientMessageId"]?.stringValue, principal)
                ?? find("message", message["id"]?.stringValue, principal)
        }
        pair("user") { $0.prompt }
        for place in messages.indices.dropFirst() where names[place] == nil && messages[place]["role"] == "assistant" {
            guard messages[place - 1]["role"] == "user", let question = names[place - 1] else { continue }
            let isAlone = candidates.allSatisfy { other in
                other == question || questions[other].ended ?? .max < questions[question].event
                    || questions[other].event > questions[question].ended ?? .max
            }
            if isAlone { names[place] = question }
        }
        pair("assistant") { $0.answer }
        var pointers: [JSONPointer] = []
        for (place, question) in names.sorted(by: { $0.key < $1.key }) {
            let own =
                messages[place]["role"] == "user" ? bothNames(of: question) : ["turnId": questions[question].turnId]
            let (named, generated) = messages[place].adding(own)
            messages[place] = named
            pointers += generated.map { JSONPointer(tokens: ["session", "messages", "\(place)"] + $0.tokens) }
        }
        var (body, session) = (body, old)
        session["messages"] = .array(messages)
        body["session"] = session
        return (body, pointers)
    }
}
