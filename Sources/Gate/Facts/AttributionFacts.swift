import Holdfast
import HoldfastJSON
import HoldfastSchemaDiff

/// The clause that judges each keyword of a schema (`x-clause`): a violation of the keyword violates that clause.
struct AttributionFacts {
    private static let mark = "x-clause"
    /// Keywords that reject nothing, or whose parts have their own attributions.
    private static let silent: Set<String> = [
        "$schema", "$id", "$ref", "$comment", "title", "description", "examples", "deprecated", "default", "if",
    ]
    private static let maps: Set<String> = [
        "properties", "patternProperties", "dependentSchemas", "$defs", "x-profiles",
    ]
    private static let parts: Set<String> = ["items", "then", "else", "additionalProperties", "unevaluatedProperties"]

    private let path: String
    private let state: ProtocolState
    private var facts: [Fact] = []

    static func facts(of state: ProtocolState) -> [Fact] {
        state.texts(below: "schemas/", ".json").filter { !$0.path.hasPrefix("schemas/files/") }.flatMap {
            path, text -> [Fact] in
            guard text.contains(mark), let root = try? JSONParser.value(text) else { return [] }
            var reader = AttributionFacts(path: path, state: state)
            reader.read(root, at: JSONPointer(), "", nil)
            return reader.facts
        }
    }

    private init(path: String, state: ProtocolState) { (self.path, self.state) = (path, state) }

    /// Reads a schema; `place` is its name, without its position in any `allOf`.
    private mutating func read(
        _ schema: JSONValue, at pointer: JSONPointer, _ place: String, _ outer: (clause: String, pointer: JSONPointer)?
    ) {
        guard let object = schema.objectValue else { return }
        let attribution = object[Self.mark]
        let own = pointer.appending(Self.mark)
        let fallback = attribution?.stringValue.map { ($0, own) } ?? outer
        func add(_ word: String, _ names: String...) {
            let named = names.lazy.compactMap { attribution?[$0]?.stringValue }.first.map { ($0, own) }
            guard let (clause, pointer) = named ?? fallback else { return }
            let party = ClauseID(clause).flatMap { state.specification[$0]?.party }
            facts.append(
                Fact(
                    rule: .schemaClause, key: "\(path)\(place) \(word)", value: .string(clause),
                    location: GateLocation(file: path, pointer: pointer),
                    subject: MessageSchemas.name(of: String(path.dropFirst("schemas/".count))),
                    obliged: [party].compactMap(\.self), shared: pointer))
        }
        for (word, value) in object where !Self.silent.contains(word) && word != Self.mark {
            let inner = pointer.appending(word)
            if word == "allOf" {
                for (index, part) in (value.arrayValue ?? []).enumerated() {
                    read(part, at: inner.appending(String(index)), place, fallback)
                }
            } else if Self.maps.contains(word) {
                for (name, part) in value.objectValue ?? [:] {
                    read(part, at: inner.appending(name), "\(place)/\(word)/\(name)", fallback)
                }
            } else if Self.parts.contains(word), value.objectValue != nil {
                let test = ["then", "else"].contains(word) ? object["if"]?.text(sortedKeys: true) ?? "" : ""
                read(value, at: inner, "\(place)/\(word)\(test)", fallback)
            } else if word == "required" {
                for name in (value.arrayValue ?? []).compactMap(\.stringValue) {
                    add("required \(name)", "required/\(name)", "required")
                }
            } else if !word.hasPrefix("x-") {
                // A keyword may have several schemas at one place, so their text is part of the name.
                let isSchema = value.objectValue != nil || word == "anyOf" || word == "oneOf"
                add(isSchema ? "\(word) \(value.text(sortedKeys: true))" : word, word)
            }
        }
    }
}
