import Holdfast
import HoldfastJSON

/// Summarizes a frame in a few words.
///
/// Ids of a kind get a letter and a number in order of appearance, as in notation: `c` key, `s` session, `t` turn,
/// `m` message, `e` epoch.
struct FrameBrief {
    /// The maximum number of ids of a kind that are numbered; later ones are shown by their last characters.
    private static let maxNames = 2000
    private static let shownLength = 60

    private var numbers: [String: Int] = [:]
    private var counts: [Character: Int] = [:]

    mutating func words(for frame: JSONValue) -> String? {
        frame["type"]?.stringValue.map { words(for: frame, type: $0) }
    }

    private mutating func words(for frame: JSONValue, type: String) -> String {
        var words = [cut(type)]
        func add(_ word: String?) { if let word { words.append(word) } }
        switch type {
        case "connected":
            add(
                frame["capabilities"]?.arrayValue.map { names in
                    "[\(names.prefix(8).compactMap(\.stringValue).map(cut).joined(separator: " "))]"
                })
        case "error": add(frame["code"]?.stringValue.map(cut))
        case "toolUse":
            add(frame["tool"]?.stringValue.map(cut))
            if let status = frame["status"]?.stringValue, status != "started" { add(cut(status)) }
        case "message": add(frame["role"]?.stringValue.map(cut))
        default: break
        }
        for (letter, member) in Self.ids {
            guard let id = frame[member]?.stringValue else { continue }
            add(name(letter, id))
        }
        if let position = frame["seq"]?.intValue ?? frame["lastSeq"]?.intValue ?? frame["lastSeqSeen"]?.intValue {
            add("#\(position)")
        }
        if frame["duplicate"]?.boolValue == true { add("duplicate") }
        if type == "syncResult" {
            add(frame["complete"]?.boolValue == true ? "complete" : frame["reason"]?.stringValue.map(cut))
            let missed = frame["missed"]?.arrayValue ?? []
            var inside = missed.prefix(8).compactMap { frame -> String? in
                guard let type = frame["type"]?.stringValue else { return nil }
                return cut(type) + (frame["seq"]?.intValue.map { " #\($0)" } ?? "")
            }
            if missed.count > inside.count { inside.append("… \(missed.count) in all") }
            add("[\(inside.joined(separator: ", "))]")
        }
        if let wait = frame["retryAfterMs"]?.intValue { add("again in \(wait) ms") }
        let text = frame["text"] ?? frame["error"] ?? frame["messages"]?.arrayValue?.last?["content"]
        if let text { add(quoted(text)) }
        return words.joined(separator: " ")
    }

    private static let ids: [(Character, String)] = [
        ("c", "clientMessageId"), ("s", "sessionId"), ("t", "turnId"), ("m", "messageId"), ("e", "epoch"),
    ]

    private mutating func name(_ letter: Character, _ id: String) -> String {
        // A short key chosen by the client says more than a number.
        if letter == "c", id.unicodeScalars.count <= 12, !id.contains(" ") { return id }
        let key = "\(letter) \(id)"
        if let number = numbers[key] { return "\(letter)\(number)" }
        guard counts[letter, default: 0] < Self.maxNames, id.utf8.count <= 512 else {
            return "\(letter)…\(String(String.UnicodeScalarView(id.unicodeScalars.suffix(6))))"
        }
        counts[letter, default: 0] += 1
        numbers[key] = counts[letter]
        return "\(letter)\(counts[letter, default: 0])"
    }

    private func quoted(_ text: JSONValue) -> String {
        let shown = text.stringValue ?? text.text()
        return JSONValue.string(cut(shown)).text()
    }

    private func cut(_ text: String) -> String { MockFrame.beginning(of: text, Self.shownLength) }
}
