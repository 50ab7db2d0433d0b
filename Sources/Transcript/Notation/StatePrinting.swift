import Holdfast
import HoldfastJSON

struct StatePrinting {
    let names: NotationNames

    /// The word for a state; `state(json='…')` for one that words cannot express.
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
        return Spelling.word(connection, parts)
    }

    private func named(_ letter: Character, _ id: String) -> String { names.name(letter, id) ?? id }

    private func message(_ message: JSONValue) -> String {
        let isAnswer = message["role"] == "assistant"
        if let id = message["id"]?.stringValue { return named(isAnswer ? "a" : "u", id) }
        if let key = message["clientMessageId"]?.stringValue { return named("c", key) }
        return Spelling.quoted(message["text"]?.stringValue ?? "")
    }

    private func error(_ error: JSONValue) -> String {
        let text = error.stringValue ?? error["text"]?.stringValue ?? ""
        let code = error["code"]?.stringValue
        guard let key = error["clientMessageId"]?.stringValue else { return code ?? Spelling.quoted(text) }
        return "error.\(named("c", key))=\(code ?? Spelling.quoted(text))"
    }
}
