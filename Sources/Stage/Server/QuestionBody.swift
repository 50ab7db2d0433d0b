import Holdfast
import HoldfastJSON

extension ScenarioStep.ReadUntil {
    /// Whether the body of a read shows what is awaited, where so many questions of the session were refused as busy.
    package func isMet(by answer: JSONValue, refused: Int = 0) -> Bool {
        let session = answer["session"]
        // A question that is refused is neither stored nor answered.
        guard let count = session?["messages"]?.arrayValue?.count, count + 2 * refused >= messages else { return false }
        let ended = session?["turns"]?.arrayValue?.count { $0["status"]?.stringValue != "running" }
        // Turns are shown by those servers only that choose to; the messages speak for the others.
        return ended.map { $0 + refused >= endedTurns } ?? true
    }
}

extension ScenarioStep.Question {
    /// The members of a question, as frame and as body.
    ///
    /// The prompt is the script where the agent obeys it, and else plain text that any agent can answer.
    ///
    /// * `filled`: Fills in the references of a value.
    /// * `key`: The key that belongs to the name of a question.
    /// * `count`: A number of tools, where it is one that can be asked for.
    package func body(
        obeysScripts: Bool, filled: (JSONValue) throws -> JSONValue, key: (String) -> String,
        count: (JSONValue) throws -> Int
    ) throws -> JSONObject {
        func text(_ template: String) throws -> JSONValue {
            let value = try filled(.string(template))
            return value.stringValue == nil ? .string(value.text()) : value
        }
        var messages = try context.map(filled)
        let content: JSONValue
        if let script, obeysScripts {
            var steps: [JSONValue] = []
            if let tools { steps = Array(repeating: ["tool": "webFetch"], count: try count(tools)) }
            for step in script { steps.append(try filled(step)) }
            content = .string((["script": .array(steps)] as JSONValue).text())
        } else {
            content = try text(self.text ?? "Answer in one short sentence, please. (${run} \(name ?? ""))")
        }
        messages.append(["role": "user", "content": content])
        var body = JSONObject()
        body["messages"] = .array(messages)
        if let session { body["sessionId"] = try text(session) }
        body["clientMessageId"] = try self.key.map(text) ?? .string(key(text(name ?? "").stringValue ?? ""))
        for member in extra { body[member.key] = try filled(member.value) }
        return body
    }

    /// A question with so many more bytes of text; nil when it has none.
    package static func lengthened(_ question: JSONValue, by bytes: Int) -> JSONValue? {
        guard var elements = question["messages"]?.arrayValue, let text = elements.last?["content"]?.stringValue else {
            return nil
        }
        // From bytes: a repeated text is appended as often, which takes long for a megabyte.
        let filler = String(decoding: [UInt8](repeating: UInt8(ascii: "x"), count: bytes), as: UTF8.self)
        elements[elements.count - 1]["content"] = .string(text + filler)
        var longer = question
        longer["messages"] = .array(elements)
        return longer
    }
}
