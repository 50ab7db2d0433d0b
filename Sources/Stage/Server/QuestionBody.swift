import Holdfast
import HoldfastJSON

extension ScenarioStep.ReadUntil {
    /// Whether the body of a read meets the condition, given the number of the session's questions refused as busy.
    package func isMet(by answer: JSONValue, refused: Int = 0) -> Bool {
        let session = answer["session"]
        // A question that is refused is neither stored nor answered.
        guard let count = session?["messages"]?.arrayValue?.count, count + 2 * refused >= messages else { return false }
        let ended = session?["turns"]?.arrayValue?.count { $0["status"]?.stringValue != "running" }
        // Not all servers show turns; for the others, the messages decide.
        return ended.map { $0 + refused >= endedTurns } ?? true
    }
}

extension ScenarioStep.Question {
    /// The members of a question, for a frame or for a body.
    ///
    /// The prompt is the script if the agent follows scripts, otherwise plain text that any agent can answer.
    ///
    /// * `filled`: Fills in the references of a value.
    /// * `key`: Returns the key for the name of a question.
    /// * `count`: Returns a number of tools, or throws if it is too large.
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

    /// The question with a longer text; nil if it has none.
    ///
    /// Up to 400,000 bytes the filler has three bytes a character, so that a peer which cuts bytes into chunks of any
    /// power of two splits one. Larger texts are plain: an encoder that escapes them would exceed every frame limit.
    package static func lengthened(_ question: JSONValue, by bytes: Int) -> JSONValue? {
        guard var elements = question["messages"]?.arrayValue, let text = elements.last?["content"]?.stringValue else {
            return nil
        }
        // Built from bytes: `String(repeating:)` appends one by one, which is slow for a megabyte.
        let wide = bytes <= 400_000 ? bytes / 3 : 0
        var filler = Array([[UInt8]](repeating: Array("€".utf8), count: wide).joined())
        filler += [UInt8](repeating: UInt8(ascii: "x"), count: bytes - filler.count)
        elements[elements.count - 1]["content"] = .string(text + String(decoding: filler, as: UTF8.self))
        var longer = question
        longer["messages"] = .array(elements)
        return longer
    }
}
