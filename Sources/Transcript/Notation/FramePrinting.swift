import Holdfast
import JSON

/// Writes wire frames as words of the notation, and proves each by expanding it again.
struct FramePrinting {
    let expansion: FrameExpansion
    let names: NotationNames
    let isBrief: Bool

    /// A frame such as `done(t1 #2)`; nil when it does not fit.
    func frame(_ object: JSONObject, _ direction: Direction, connection: String = "") -> String? {
        guard let type = object["type"]?.stringValue, let shape = Self.shapes[type] else { return nil }
        var object = object
        var parts: [Part] = []
        for (letter, field, isPrimary) in shape.ids {
            guard let value = object[field]?.stringValue else { continue }
            let letter = letter == "u" && object["role"] == "assistant" ? "a" : letter
            guard let name = names.name(letter, value) else { return nil }
            if isBrief { object[field] = .string(name) }
            let isSpelled = isBrief || name == value
            parts.append(Part(isSpelled ? name : "\(name)=\(Self.quoted(value))", isPrimary: isPrimary))
        }
        if let position = shape.position, let number = object[position]?.numberValue, let int = number.int,
            int >= 0, number.text == String(int)
        {
            parts.append(Part("#\(int)", isPrimary: true))
        }
        let words = words(of: object, type).map { Part($0, isPrimary: true) }
        parts = type == "error" || type == "toolUse" ? words + parts : parts + words
        if !isBrief, let text = shape.text(object) { parts.append(Part(Self.quoted(text), isPrimary: false)) }
        var frames = ""
        if type == "syncResult" {
            guard let (text, replayed) = missed(object, direction) else { return nil }
            frames = text
            object["missed"] = replayed
        }
        return fitted(type, parts, frames, object, direction, connection)
    }

    /// Adds what the expansion lacks and has too much, then leaves out what goes without saying.
    private func fitted(
        _ type: String, _ parts: [Part], _ frames: String, _ object: JSONObject, _ direction: Direction,
        _ connection: String
    ) -> String? {
        var parts = parts
        func expanded(_ parts: [Part]) -> JSONObject? {
            let arguments = parts.isEmpty ? "" : "(" + parts.map(\.text).joined(separator: " ") + ")"
            var parser = NotationParser("A\(direction.rawValue)\(type)\(arguments)\(frames)", name: "")
            guard case .frame(_, let frame)? = (try? parser.items())?.first?.content else { return nil }
            return try? expansion.object(frame, direction, connection: connection)
        }
        guard let plain = expanded(parts) else { return nil }
        var object = object
        if isBrief { object = calmed(object, like: plain) }
        guard let corrections = corrections(from: plain, to: object, type) else { return nil }
        parts += corrections
        guard expanded(parts) == object else { return nil }
        for index in parts.indices.reversed() where !parts[index].isPrimary {
            var fewer = parts
            fewer.remove(at: index)
            if expanded(fewer) == object { parts = fewer }
        }
        return type + (parts.isEmpty ? "" : "(" + parts.map(\.text).joined(separator: " ") + ")") + frames
    }

    private func corrections(from plain: JSONObject, to object: JSONObject, _ type: String) -> [Part]? {
        var parts: [Part] = []
        for (key, value) in object where plain[key] != value {
            if type == "connected", key == "limits", let limits = value.objectValue {
                let usual = plain[key]?.objectValue ?? JSONObject()
                for (name, value) in limits where usual[name] != value {
                    guard FrameExpansion.limits.contains(name), let part = Self.field(name, value) else { return nil }
                    parts.append(part)
                }
                for name in usual.keys where !limits.contains(name) { parts.append(Part("-\(name)", isPrimary: true)) }
                continue
            }
            guard let part = Self.field(key, value) else { return nil }
            parts.append(part)
        }
        for key in plain.keys where !object.contains(key) {
            parts.append(Part("-\(Self.dropped(key, type))", isPrimary: true))
        }
        return parts
    }

    /// In brief, members that are only noise are taken from the expansion.
    private func calmed(_ object: JSONObject, like plain: JSONObject) -> JSONObject {
        let telling: Set<String> = [
            "type", "sessionId", "turnId", "messageId", "clientMessageId", "epoch", "seq", "lastSeq", "lastSeqSeen",
            "nonce", "code", "tool", "complete", "reason", "more", "duplicate", "missed", "role", "retryAfterMs",
            "limit",
            "protocol",
        ]
        var calm = JSONObject()
        for (key, value) in object {
            if telling.contains(key) {
                calm[key] = value
            } else if let usual = plain[key] {
                calm[key] = usual
            }
        }
        return calm
    }

    private func missed(_ object: JSONObject, _ direction: Direction) -> (String, JSONValue)? {
        guard let values = object["missed"]?.arrayValue else { return ("", .array([])) }
        var texts: [String] = []
        var replayed: [JSONValue] = []
        for value in values {
            guard let inner = value.objectValue, let text = frame(inner, direction) else { return nil }
            var parser = NotationParser("A<\(text)", name: "")
            guard case .frame(_, let frame)? = (try? parser.items())?.first?.content,
                let expanded = try? expansion.object(frame, direction)
            else { return nil }
            texts.append(text)
            replayed.append(.object(expanded))
        }
        return texts.isEmpty ? ("", .array([])) : ("[\(texts.joined(separator: " "))]", .array(replayed))
    }

    private func words(of object: JSONObject, _ type: String) -> [String] {
        var words: [String] = []
        switch type {
        case "error":
            if let code = object["code"]?.stringValue, NotationWord.errorCodes.contains(code) { words.append(code) }
        case "toolUse":
            if let tool = object["tool"]?.stringValue, tool != "webFetch", Self.isWord(tool) { words.append(tool) }
        case "syncResult":
            if object["complete"] == true { words.append("complete") }
            if let reason = object["reason"]?.stringValue, NotationWord.gapReasons.contains(reason) {
                words.append(reason)
            }
            if object["more"] == true { words.append("more") }
        case "ack", "done":
            if object["duplicate"] == true { words.append("duplicate") }
        default: break
        }
        return words
    }

    // MARK: Spelling

    struct Part {
        let text: String
        let isPrimary: Bool

        init(_ text: String, isPrimary: Bool) {
            self.text = text
            self.isPrimary = isPrimary
        }
    }

    static func field(_ name: String, _ value: JSONValue) -> Part? {
        guard isWord(name), !name.hasPrefix("-") else { return nil }
        switch value {
        case .array, .object: return nil
        case .string(let text): return Part("\(name)=\(quoted(text))", isPrimary: true)
        default: return Part("\(name)=\(value.text())", isPrimary: true)
        }
    }

    static func quoted(_ text: String, by mark: Unicode.Scalar = "'") -> String {
        var quoted = String.UnicodeScalarView([mark])
        for scalar in text.unicodeScalars {
            quoted.append(scalar)
            if scalar == mark { quoted.append(mark) }
        }
        quoted.append(mark)
        return String(quoted)
    }

    /// Whether a text can stand as a bare word: no id and no punctuation the notation does not take.
    static func isWord(_ text: String) -> Bool {
        guard let first = text.unicodeScalars.first, first != "-" else { return false }
        let isNamed = text.unicodeScalars.allSatisfy { scalar in
            switch scalar {
            case "a"..."z", "A"..."Z", "0"..."9", "_", "-", ".": true
            default: false
            }
        }
        let rest = text.unicodeScalars.dropFirst()
        let isID = !rest.isEmpty && rest.allSatisfy { ("0"..."9").contains($0) } && first.properties.isAlphabetic
        return isNamed && !isID
    }

    private static func dropped(_ field: String, _ type: String) -> String {
        switch field {
        case "sessionId": "s"
        case "turnId": "t"
        case "clientMessageId": "c"
        case "messageId": type == "done" ? "a" : "u"
        case "epoch": "e"
        case "nonce": "n"
        default: field
        }
    }

    /// Which members of a type are ids, a position and a text; primary ids are always written.
    private struct Shape: Sendable {
        let ids: [(letter: Character, field: String, isPrimary: Bool)]
        var position: String?
        var text: @Sendable (JSONObject) -> String? = { _ in nil }
    }

    private static let shapes: [String: Shape] = [
        "auth": Shape(ids: []),
        "chat": Shape(
            ids: [("c", "clientMessageId", true), ("s", "sessionId", true)],
            text: { ExchangePrinting.question(in: $0["messages"]) }),
        "sync": Shape(ids: [("e", "epoch", true)], position: "lastSeqSeen"),
        "ping": Shape(ids: [("n", "nonce", true)]),
        "pong": Shape(ids: [("n", "nonce", true)]),
        "connected": Shape(ids: [("e", "epoch", true)], position: "lastSeq"),
        "ack": Shape(
            ids: [
                ("c", "clientMessageId", true), ("s", "sessionId", false), ("t", "turnId", false),
                ("u", "messageId", false),
            ]),
        "message": Shape(
            ids: [
                ("u", "messageId", true), ("s", "sessionId", false), ("t", "turnId", true),
                ("c", "clientMessageId", true),
            ], position: "seq", text: { $0["text"]?.stringValue }),
        "toolUse": Shape(ids: [("s", "sessionId", false), ("t", "turnId", true)], position: "seq"),
        "done": Shape(
            ids: [
                ("t", "turnId", true), ("s", "sessionId", false), ("a", "messageId", false),
                ("c", "clientMessageId", true),
            ], position: "seq", text: { $0["text"]?.stringValue }),
        "error": Shape(
            ids: [("s", "sessionId", false), ("t", "turnId", true), ("c", "clientMessageId", true)], position: "seq",
            text: { $0["error"]?.stringValue }),
        "syncResult": Shape(ids: [("e", "epoch", true)], position: "lastSeq"),
    ]
}
