import Holdfast
import HoldfastJSON

/// Writes an act of the stage as a word such as `send(c1)` or `cut(silence)`.
struct ActPrinting {
    let names: NotationNames

    func act(_ verb: String, _ details: JSONObject) -> String {
        let isKnown = NotationWord.verbs.contains(verb) && verb != "act"
        var parts = isKnown ? [] : ["name=\(Spelling.quoted(verb))"]
        let how = details["how"]?.stringValue
        let isUsual = details.isEmpty ? verb != "cut" : details.count == 1 && how != nil
        if isKnown, isUsual, how.map(Spelling.isWord) ?? true {
            parts += [how].compactMap(\.self).filter { !(verb == "cut" && $0 == "fin") }
        } else if isKnown, verb != "cut", details.count == 1, let principal = details["principal"]?.stringValue,
            NotationNames.isSpelled("p", principal)
        {
            parts.append(principal)
        } else if verb == "send", let sent = sent(details) {
            parts += sent
        } else if Self.plainVerbs.contains(verb), let plain = plain(details) {
            parts += plain
        }
        return Spelling.word(isKnown ? verb : "act", parts)
    }

    /// The text that a user types, from `send(c1)`, `send(c1='text')` or `send('text')`.
    static func sent(_ arguments: NotationArguments) -> JSONObject {
        var details = JSONObject()
        if let (letter, number, value) = arguments.ids.first(where: { $0.letter == "c" }) {
            details["text"] = .string(value?.characters ?? "question \(number)")
            details["as"] = .string("\(letter)\(number)")
        }
        if let text = arguments.text { details["text"] = .string(text) }
        arguments.finish(&details)
        return details
    }

    private func sent(_ details: JSONObject) -> [String]? {
        guard let text = details["text"]?.stringValue, details.keys.allSatisfy({ $0 == "text" || $0 == "as" }) else {
            return nil
        }
        guard let name = details["as"]?.stringValue else { return [Spelling.quoted(text)] }
        guard NotationNames.isSpelled("c", name) else { return [Spelling.quoted(text), "as=\(name)"] }
        return [name]
    }

    /// Stored messages, as `u2 a2`; nil if their ids have another form.
    private func messageNames(_ value: JSONValue) -> [String]? {
        guard let values = value.arrayValue, !values.isEmpty else { return nil }
        let ids = values.compactMap(\.stringValue).filter { id in
            ["u", "a"].contains { NotationNames.isSpelled($0, id) }
        }
        return ids.count == values.count ? ids : nil
    }

    /// Acts with few and informative details.
    private static let plainVerbs: Set<String> = [
        "atRest", "elsewhere", "exit", "fail", "finish", "forget", "kill", "launch", "openPush", "receivePush",
        "remove", "restart", "selectSession", "sendAgain", "tool",
    ]

    /// The details as words: ids by their short names, and numbers, strings and Booleans as `name=value`; nil if there
    /// are others.
    private func plain(_ details: JSONObject) -> [String]? {
        var parts: [String] = []
        for member in details {
            let text = member.value.stringValue
            let letter: Character? = ["sessionId": "s", "turnId": "t"][member.key]
            if let letter, let text, let name = names.name(letter, text) {
                parts.append(name)
            } else if member.key == "clientMessageId", let text, NotationNames.isSpelled("c", text) {
                parts.append(text)
            } else if member.key == "messages", let ids = messageNames(member.value) {
                parts += ids
            } else if let text, Spelling.isWord(member.key) {
                parts.append("\(member.key)=\(Spelling.quoted(text))")
            } else if member.value.intValue != nil || member.value.boolValue != nil || member.value == .null {
                parts.append("\(member.key)=\(member.value.text())")
            } else {
                return nil
            }
        }
        return parts
    }
}
