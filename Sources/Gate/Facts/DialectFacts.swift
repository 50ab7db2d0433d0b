import HoldfastJSON
import HoldfastSchemaDiff

/// The mappings of a state's dialects, with which the judge reads the messages of their subjects.
enum DialectFacts {
    private static let prose: Set<String> = ["$schema", "name", "summary"]
    /// Human-readable reasons inside a mapping: only their presence counts.
    private static let reasons: Set<String> = ["ignored", "unknown", "otherwise", "because"]

    static func facts(of state: ProtocolState) -> [Fact] {
        state.texts(below: "dialects/", ".json").flatMap { path, text -> [Fact] in
            guard let root = try? JSONParser.value(text) else { return [] }
            let name = root["name"]?.stringValue ?? path
            let whole = Fact(
                rule: .dialect, key: name, location: GateLocation(file: path, line: 1), subject: name)
            func fact(_ rule: FactRule, _ key: String, _ tokens: [String], _ value: JSONValue) -> Fact {
                Fact(
                    rule: rule, key: "\(name) \(key)", value: value.withoutReasons,
                    location: GateLocation(file: path, pointer: JSONPointer(tokens: [key])),
                    place: JSONPointer(tokens: tokens), subject: name, parents: [whole.id])
            }
            // Rules for one type are ordered: the first that matches applies.
            var frames: [String: (place: [String], rules: [JSONValue])] = [:]
            for (index, rule) in (root["frames"]?.arrayValue ?? []).enumerated() {
                let key = "\(rule["wire"]?.stringValue ?? "?") from the \(rule["sender"]?.stringValue ?? "?")"
                frames[key, default: (["frames", String(index)], [])].rules.append(rule)
            }
            let mapped = frames.map { fact(.dialectMapping, $0.key, $0.value.place, .array($0.value.rules)) }
            let answers = (root["rest"]?.objectValue ?? [:]).map {
                fact(.dialectMapping, "REST \($0.key)", ["rest", $0.key], $0.value)
            }
            let exempt = (root["cannotKeep"]?.arrayValue ?? []).enumerated().flatMap { index, entry in
                let frames = (entry["frames"]?.arrayValue ?? []).compactMap(\.stringValue).map { " in \($0)" }
                return (entry["clauses"]?.arrayValue ?? []).compactMap(\.stringValue).flatMap { clause in
                    (frames.isEmpty ? [""] : frames).map {
                        fact(
                            .dialectExemption, clause + $0, ["cannotKeep", String(index)], entry["members"] ?? .null)
                    }
                }
            }
            let others = (root.objectValue ?? [:]).filter {
                !prose.contains($0.key) && !["frames", "rest", "cannotKeep"].contains($0.key)
            }.map { fact(.dialectMapping, $0.key, [$0.key], $0.value) }
            return [whole] + (mapped + answers + exempt + others).sorted { $0.key < $1.key }
        }
    }

    fileprivate static func isReason(_ key: String) -> Bool { reasons.contains(key) }
}

extension JSONValue {
    /// The value with each reason reduced to its presence.
    fileprivate var withoutReasons: JSONValue {
        if let list = arrayValue { return .array(list.map(\.withoutReasons)) }
        guard let object = objectValue else { return self }
        return .object(
            JSONObject(
                object.map { key, value in
                    let isReason = DialectFacts.isReason(key) && value.stringValue != nil
                    return (key: key, value: isReason ? true : value.withoutReasons)
                }))
    }
}
