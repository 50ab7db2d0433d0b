import Holdfast
import HoldfastJSON

/// Writes a client's screen as a word such as `connected(s1 u1 a1 thinking)`, and verifies it by expanding it.
struct StatePrinting {
    let names: NotationNames
    let isBrief: Bool

    /// The word for a state; in the exact style, `state(json='…')` if words cannot express all of it.
    func state(_ state: JSONValue) -> String {
        let verbatim = "state(json=\(Spelling.quoted(state.text())))"
        guard let object = state.objectValue, let connection = object["connection"]?.stringValue,
            NotationWord.states.contains(connection), connection != "state"
        else { return verbatim }
        var parts: [String] = []
        if let session = object["sessionId"]?.stringValue {
            guard let name = names.name("s", session) else { return verbatim }
            parts.append(name)
        }
        for message in object["messages"]?.arrayValue ?? [] { parts.append(self.message(message)) }
        if object["thinking"] == true { parts.append("thinking") }
        for message in object["messages"]?.arrayValue ?? [] where message["status"] == "failed" {
            if let key = message["clientMessageId"]?.stringValue { parts.append("failed=\(named("c", key))") }
        }
        parts += (object["errors"]?.arrayValue ?? []).map(error)
        for (session, count) in object["unread"]?.objectValue ?? [:] {
            parts.append("unread.\(named("s", session))=\(count.text())")
        }
        let word = Spelling.word(connection, parts)
        return isBrief || expanded(word) == state ? word : verbatim
    }

    private func expanded(_ word: String) -> JSONValue? {
        guard case .state(let frame)? = Spelling.content(of: "client=\(word)") else { return nil }
        return try? StateExpansion().state(frame)
    }

    private func named(_ letter: Character, _ id: String) -> String { names.name(letter, id) ?? id }

    private func message(_ message: JSONValue) -> String {
        let isAnswer = message["role"] == "assistant"
        let text = message["text"]?.stringValue ?? ""
        let name: String
        if let id = message["id"]?.stringValue {
            name = named(isAnswer ? "a" : "u", id)
        } else if let key = message["clientMessageId"]?.stringValue {
            name = named("c", key)
        } else {
            return Spelling.quoted(text)
        }
        let usual = "\(isAnswer ? "answer" : "question") \(name.dropFirst())"
        return Spelling.named(name, text, isUsual: isBrief || text == usual)
    }

    private func error(_ error: JSONValue) -> String {
        let text = error.stringValue ?? error["text"]?.stringValue ?? ""
        let code = error["code"]?.stringValue
        guard let key = error["clientMessageId"]?.stringValue else { return code ?? Spelling.quoted(text) }
        return "error.\(named("c", key))=\(code ?? Spelling.quoted(text))"
    }
}
