import Holdfast
import HoldfastJSON

/// All messages in one schema, and the requests over HTTP with them, as generators of types like them.
///
/// Every object, union and set of names has a name of its own, and nothing refers to another file. What a type cannot say is left to the
/// schemas of `schemas/`: conditions between members, and what profiles add. So whatever those take, this takes too.
struct SchemaBundle {
    /// JSON Schema: `$defs` with every message, body and push, and their union as a whole.
    private(set) var messages: JSONValue = .null
    /// OpenAPI: the requests, with the same definitions below `components`.
    private(set) var requests: JSONValue = .null

    /// The schemas by file below `schemas/`, as they are.
    private let roots: [String: JSONValue]
    private var definitions = JSONObject()

    private static let common = "common.json"
    private static let unknown = "UnknownFrame"
    /// What is said of a single value and stays as it is.
    private static let kept = [
        "minLength", "maxLength", "pattern", "minimum", "maximum", "x-extensible-enum", "deprecated",
    ]

    init(_ files: SpecificationFiles) {
        var roots: [String: JSONValue] = [:]
        for (path, text) in files.texts where path.hasPrefix("schemas/") && !path.hasPrefix("schemas/files/") {
            roots[String(path.dropFirst("schemas/".count))] = try? JSONParser.value(text)
        }
        self.roots = roots
        var frames: [Role: [String]] = [:]
        for (file, root) in roots.sorted(by: { $0.key < $1.key }) where file != Self.common {
            let name = define(name(of: root, in: file), root, in: file)
            // A frame that narrows another one has its type.
            let isWhole = !(root["allOf"]?.arrayValue ?? []).contains {
                $0["$ref"]?.stringValue?.contains("#") == false
            }
            guard file.hasPrefix("messages/"), isWhole, let side = root["x-direction"]?.stringValue else { continue }
            frames[side == "client" ? .client : .server, default: []].append(name)
        }
        defineFrames(frames)
        messages = [
            "$schema": "https://json-schema.org/draft/2020-12/schema",
            "$id": "https://holdfast.example/spec/1/bundle/messages.json",
            "title": "Frame",
            "description":
                "Every message, body and push, for code generators. Made from schemas/, which have more detail.",
            "anyOf": [Self.reference(to: "ServerFrame"), Self.reference(to: "ClientFrame")],
            "$defs": .object(definitions),
        ]
        guard let text = files.texts["openapi.json"], var requests = try? JSONParser.value(text) else { return }
        requests = bundled(requests)
        requests["components"]?["schemas"] = .object(definitions)
        self.requests = Self.moved(requests)
    }

    /// The files that hold them, by path below `Spec/`.
    var files: [String: String] {
        ["messages": messages, "openapi": requests].reduce(into: [:]) { files, document in
            files["bundle/\(document.key).json"] = document.value.text(pretty: true) + "\n"
        }
    }

    // MARK: Names

    /// `Chat message` is `ChatMessage`; a message of the socket is a frame.
    private func name(of schema: JSONValue, in file: String) -> String {
        let title: String = schema["title"]?.stringValue ?? file
        let words = title.split(separator: " ").map { word -> String in
            let rest = String(word.dropFirst())
            return word.prefix(1).uppercased() + (rest.allSatisfy(\.isUppercase) ? rest.lowercased() : rest)
        }
        let isFrame = file.hasPrefix("messages/") && roots[file]?["title"] == schema["title"]
        return words.joined() + (isFrame ? "Frame" : "")
    }

    /// Whether a schema has a name of its own: single values stand where they are used.
    private func isNamed(_ schema: JSONValue) -> Bool {
        schema["title"] != nil && !isAnything(schema)
            && (schema["enum"] != nil || schema["type"] == "object" || schema["type"]?.arrayValue != nil
                || schema["properties"] != nil)
    }

    /// An object without members that are known is as good as any value, and generated unions empty it.
    private func isAnything(_ schema: JSONValue) -> Bool {
        schema["type"]?.arrayValue?.contains("object") == true && schema["properties"] == nil
    }

    private mutating func define(_ name: String, _ schema: JSONValue, in file: String) -> String {
        if definitions[name] == nil {
            definitions[name] = true
            definitions[name] = plain(schema, in: file)
        }
        return name
    }

    private static func reference(to name: String) -> JSONValue { ["$ref": .string("#/$defs/\(name)")] }

    /// What a reference leads to, and the file it stands in.
    private func target(_ reference: String, from file: String) -> (schema: JSONValue, file: String)? {
        let parts = reference.split(separator: "#", maxSplits: 1, omittingEmptySubsequences: false)
        let path = parts[0].isEmpty ? file : LinkResolver.joined(String(parts[0]), to: file)
        let pointer = JSONPointer(parts.count > 1 ? String(parts[1]) : "")
        return pointer.flatMap { roots[path]?[$0] }.map { ($0, path) }
    }

    // MARK: Frames

    /// A type that is not known is legal, so each union has a place for it.
    private mutating func defineFrames(_ frames: [Role: [String]]) {
        let types = frames.values.joined().sorted().compactMap { definitions[$0]?["properties"]?["type"]?["const"] }
        definitions[Self.unknown] = [
            "description": "A frame of a type that this version does not define. Ignore it, but count its number.",
            "type": "object",
            "required": ["type"],
            "properties": [
                "type": [
                    "description": "Names the kind of frame.", "type": "string", "not": ["enum": .array(types)],
                ],
                "seq": schema(["$ref": "common.json#/$defs/seq"], in: Self.common),
            ],
        ]
        definitions["ServerFrame"] = Self.union("What a server sends.", of: frames[.server] ?? [])
        definitions["ClientFrame"] = Self.union("What a client sends.", of: frames[.client] ?? [])
    }

    // The constant types tell the alternatives apart. A discriminator would too, but generated readers then refuse what it does not name.
    private static func union(_ description: JSONValue?, of names: [String]) -> JSONValue {
        ["description": description ?? "", "oneOf": .array((names + [unknown]).map(reference))]
    }

    // MARK: Schemas

    /// A schema as it stands where it is used: a reference when it has a name.
    private mutating func schema(_ schema: JSONValue, in file: String) -> JSONValue {
        if let reference = schema["$ref"]?.stringValue {
            guard let (target, location) = target(reference, from: file) else { return schema }
            if isNamed(target) {
                return Self.reference(to: define(name(of: target, in: location), target, in: location))
            }
            var result = plain(target, in: location)
            if let description = schema["description"] { result["description"] = description }
            return result
        }
        guard isNamed(schema) else { return plain(schema, in: file) }
        return Self.reference(to: define(name(of: schema, in: file), schema, in: file))
    }

    /// A schema without references to other files, conditions and what only the suite reads.
    private mutating func plain(_ schema: JSONValue, in file: String) -> JSONValue {
        let alternatives = (schema["allOf"]?.arrayValue ?? []).compactMap { part in
            part["then"]?["$ref"]?.stringValue.flatMap { target($0, from: file) }
        }
        if !alternatives.isEmpty {
            let names = alternatives.map { define(name(of: $0.schema, in: $0.file), $0.schema, in: $0.file) }
            return Self.union(schema["description"], of: names)
        }
        var result = JSONObject()
        result["description"] = schema["description"]
        if isAnything(schema) { return .object(result) }
        if let types = schema["type"]?.arrayValue {
            result["oneOf"] = .array(types.map { type in plain(one(type, of: schema), in: file) })
            return .object(result)
        }
        let members = members(of: schema, in: file)
        result["type"] = schema["type"] ?? (members.properties.isEmpty ? type(of: schema) : "object")
        if result["type"] == "integer" { result["format"] = "int64" }
        // Most languages have constants of text alone.
        result["const"] = schema["const"]?.stringValue.map(JSONValue.string)
        result["enum"] = schema["enum"]
        for keyword in Self.kept { result[keyword] = schema[keyword] }
        if let codes = schema["x-extensible-enum"]?.arrayValue, let description = schema["description"]?.stringValue {
            let words = codes.compactMap(\.stringValue).map { "`\($0)`" }.joined(separator: ", ")
            result["description"] = .string("\(description) This version has \(words).")
        }
        let required = members.properties.keys.filter(members.required.contains)
        if !required.isEmpty { result["required"] = .array(required.map(JSONValue.string)) }
        if !members.properties.isEmpty { result["properties"] = .object(members.properties) }
        if let items = schema["items"] {
            result["minItems"] = schema["minItems"]
            var element = self.schema(items, in: file)
            // Described, a plain text would become a type of its own.
            if element["$ref"] == nil { element["description"] = nil }
            result["items"] = element
        }
        return .object(result)
    }

    /// The type of a constant or of a set of texts.
    private func type(of schema: JSONValue) -> JSONValue? {
        switch schema["const"] ?? schema["enum"]?.arrayValue?.first {
        case .string: "string"
        case .bool: "boolean"
        case .number: "integer"
        default: nil
        }
    }

    /// What a schema says of one of its types.
    private func one(_ type: JSONValue, of schema: JSONValue) -> JSONValue {
        var result: JSONValue = ["type": type]
        if type == "array" { for keyword in ["items", "minItems"] { result[keyword] = schema[keyword] } }
        return result
    }

    /// The members of an object with those of what it builds on, whose words it may replace.
    private mutating func members(
        of schema: JSONValue, in file: String
    ) -> (properties: JSONObject, required: Set<String>) {
        var properties = JSONObject()
        var required = Set((schema["required"]?.arrayValue ?? []).compactMap(\.stringValue))
        for part in schema["allOf"]?.arrayValue ?? [] {
            let base = part["$ref"]?.stringValue.flatMap { target($0, from: file) } ?? (part, file)
            let inherited = members(of: base.schema, in: base.file)
            for (name, value) in inherited.properties { properties[name] = value }
            required.formUnion(inherited.required)
        }
        for (name, value) in schema["properties"]?.objectValue ?? [:] {
            properties[name] = self.schema(value, in: file)
        }
        // What a profile says of known members is left out; a member that comes with it is not.
        for (_, overlay) in schema["x-profiles"]?.objectValue ?? [:] {
            for (name, value) in members(of: overlay, in: file).properties where properties[name] == nil {
                properties[name] = value
            }
        }
        return (properties, required)
    }

    // MARK: Requests

    /// A document with definitions in place of what refers to a schema file.
    private mutating func bundled(_ value: JSONValue) -> JSONValue {
        switch value {
        case .array(let values): return .array(values.map { bundled($0) })
        case .object(let object):
            if let reference = object["$ref"]?.stringValue, reference.hasPrefix("schemas/") {
                return schema(["$ref": .string(String(reference.dropFirst("schemas/".count)))], in: Self.common)
            }
            return .object(JSONObject(object.map { ($0.key, bundled($0.value)) }))
        default: return value
        }
    }

    /// A document whose references lead to where OpenAPI keeps definitions.
    private static func moved(_ value: JSONValue) -> JSONValue {
        switch value {
        case .array(let values): return .array(values.map(moved))
        case .object(let object): return .object(JSONObject(object.map { ($0.key, moved($0.value)) }))
        case .string(let text) where text.hasPrefix("#/$defs/"):
            return .string("#/components/schemas/" + text.dropFirst("#/$defs/".count))
        default: return value
        }
    }
}
