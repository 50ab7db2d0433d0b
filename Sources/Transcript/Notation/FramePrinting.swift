import Holdfast
import HoldfastJSON

/// Writes wire frames in the notation, and verifies each by expanding it.
struct FramePrinting {
    let expansion: FrameExpansion
    let names: NotationNames

    /// A frame such as `done(t1 #2)`; nil if the notation cannot express it.
    func frame(_ object: JSONObject, _ direction: Direction, connection: String = "") -> String? {
        guard let type = object["type"]?.stringValue, let shape = Self.shapes[type] else { return nil }
        var object = object
        var parts: [Part] = []
        for id in shape.ids {
            let field = NotationWord.field(droppedBy: id.lowercased())
            guard let value = object[field]?.stringValue else { continue }
            let letter: Character = id == "U" && object["role"] == "assistant" ? "a" : Character(id.lowercased())
            guard let name = names.name(letter, value) else { return nil }
            object[field] = .string(name)
            parts.append(Part(text: name, isPrimary: id.isUppercase))
        }
        if let position = shape.position, let number = object[position]?.numberValue, let int = number.int,
            int >= 0, number.text == String(int)
        {
            parts.append(Part(text: "#\(int)", isPrimary: true))
        }
        let words = words(of: object, type).map { Part(text: $0, isPrimary: true) }
        parts = type == "error" || type == "toolUse" ? words + parts : parts + words
        var frames = ""
        if type == "syncResult" {
            guard let (text, replayed) = missed(object, direction) else { return nil }
            frames = text
            object["missed"] = replayed
        }
        return fitted(type, parts, frames, object, direction, connection)
    }

    /// Adds missing and drops extra members, then omits defaults.
    private func fitted(
        _ type: String, _ parts: [Part], _ frames: String, _ object: JSONObject, _ direction: Direction,
        _ connection: String
    ) -> String? {
        var parts = parts
        func expanded(_ parts: [Part]) -> JSONObject? {
            let word = Spelling.word(type, parts.map(\.text))
            return Spelling.frame(of: "A\(direction.rawValue)\(word)\(frames)").flatMap {
                try? expansion.object($0, direction, connection: connection)
            }
        }
        guard let plain = expanded(parts) else { return nil }
        let object = normalized(object, like: plain)
        guard let corrections = corrections(from: plain, to: object, type) else { return nil }
        parts += corrections
        guard expanded(parts) == object else { return nil }
        for index in parts.indices.reversed() where !parts[index].isPrimary {
            var fewer = parts
            fewer.remove(at: index)
            if expanded(fewer) == object { parts = fewer }
        }
        return Spelling.word(type, parts.map(\.text)) + frames
    }

    private func corrections(from plain: JSONObject, to object: JSONObject, _ type: String) -> [Part]? {
        var parts: [String] = []
        for (key, value) in object where plain[key] != value {
            if type == "connected", key == "limits", let limits = value.objectValue {
                let expected = plain[key]?.objectValue ?? JSONObject()
                for (name, value) in limits where expected[name] != value {
                    guard FrameExpansion.limits.contains(name), let part = Spelling.field(name, value) else {
                        return nil
                    }
                    parts.append(part)
                }
                parts += expected.keys.filter { !limits.contains($0) }.map { "-\($0)" }
                continue
            }
            guard let part = Spelling.field(key, value) else { return nil }
            parts.append(part)
        }
        parts += plain.keys.filter { !object.contains($0) }.map { "-\(Self.dropped($0, type))" }
        return parts.map { Part(text: $0, isPrimary: true) }
    }

    /// Takes unimportant members from the expansion.
    private func normalized(_ object: JSONObject, like plain: JSONObject) -> JSONObject {
        let significant: Set<String> = [
            "type", "sessionId", "turnId", "messageId", "clientMessageId", "epoch", "seq", "lastSeq", "lastSeqSeen",
            "nonce", "code", "tool", "complete", "reason", "more", "duplicate", "missed", "role", "retryAfterMs",
            "limit",
            "protocol",
        ]
        var normalized = JSONObject()
        for (key, value) in object {
            if significant.contains(key) {
                normalized[key] = value
            } else if let expected = plain[key] {
                normalized[key] = expected
            }
        }
        return normalized
    }

    private func missed(_ object: JSONObject, _ direction: Direction) -> (String, JSONValue)? {
        guard let values = object["missed"]?.arrayValue else { return ("", .array([])) }
        var texts: [String] = []
        var replayed: [JSONValue] = []
        for value in values {
            guard let inner = value.objectValue, let text = frame(inner, direction) else { return nil }
            guard let frame = Spelling.frame(of: "A<\(text)"), let expanded = try? expansion.object(frame, direction)
            else { return nil }
            texts.append(text)
            replayed.append(.object(expanded))
        }
        return texts.isEmpty ? ("", .array([])) : ("[\(texts.joined(separator: " "))]", .array(replayed))
    }

    private func words(of object: JSONObject, _ type: String) -> [String] {
        var words: [String] = []
        switch type {
        case "connected":
            guard let stated = object["capabilities"]?.arrayValue?.compactMap(\.stringValue),
                stated != expansion.defaultCapabilities(hasEpoch: object["epoch"] != nil)
            else { break }
            words = stated.isEmpty ? [Profile.core.rawValue] : stated.filter(NotationWord.capabilities.contains)
        case "error":
            if let code = object["code"]?.stringValue, NotationWord.errorCodes.contains(code) { words.append(code) }
        case "toolUse":
            if let tool = object["tool"]?.stringValue, tool != "webFetch", Spelling.isWord(tool) { words.append(tool) }
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

    private struct Part {
        let text: String
        /// Whether it is written even if it is the default.
        let isPrimary: Bool
    }

    private static func dropped(_ field: String, _ type: String) -> String {
        let letters = ["s", "t", "c", type == "done" ? "a" : "u", "e", "n"]
        return letters.first { NotationWord.field(droppedBy: $0) == field } ?? field
    }

    /// A type's ids and position; ids in capitals are always written.
    private struct Shape: Sendable {
        let ids: String
        var position: String?
    }

    private static let shapes: [String: Shape] = [
        "auth": Shape(ids: ""),
        "chat": Shape(ids: "CS"),
        "sync": Shape(ids: "E", position: "lastSeqSeen"),
        "ping": Shape(ids: "N"),
        "pong": Shape(ids: "N"),
        "connected": Shape(ids: "E", position: "lastSeq"),
        "ack": Shape(ids: "Cstu"),
        "message": Shape(ids: "UstC", position: "seq"),
        "toolUse": Shape(ids: "sT", position: "seq"),
        "done": Shape(ids: "TsaC", position: "seq"),
        "error": Shape(ids: "sTC", position: "seq"),
        "syncResult": Shape(ids: "E", position: "lastSeq"),
    ]
}
