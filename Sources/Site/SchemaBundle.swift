import Holdfast
import HoldfastJSON

/// All messages in one schema, and the HTTP requests with them, for type generators.
///
/// Every object, union and enumeration has a name, and nothing refers to another file. Rules that a type cannot express
/// stay in `schemas/`: conditions between members, and additions by profiles. So the bundle accepts everything that
/// those schemas accept.
struct SchemaBundle {
    /// JSON Schema: `$defs` with every message, body and push, and their union.
    private(set) var messages: JSONValue = .null
    /// OpenAPI: the requests, with the same definitions below `components`.
    private(set) var requests: JSONValue = .null

    private let roots: [String: JSONValue]
    private var definitions = JSONObject()

    private static let common = "common.json"
    private static let unknown = "UnknownFrame"
    /// Keywords of a single value that are copied.
    private static let kept = [
        "minLength", "maxLength", "pattern", "minimum", "maximum", "x-extensible-enum", "deprecated",
    ]

    init(_ files: SpecificationFiles) {
        var roots: [String: JSONValue] = [:]
        for path in files.texts.keys where path.hasPrefix("schemas/") && !path.hasPrefix("schemas/files/") {
            roots[String(path.dropFirst("schemas/".count))] = files.json(path)
        }
        self.roots = roots
        var frames: [Role: [String]] = [:]
        for (file, root) in roots.sorted(by: { $0.key < $1.key }) where file != Self.common {
            let name = define(name(of: root, in: file), root, in: file)
            // A frame that narrows another one inherits its type.
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
        guard var requests = files.json("openapi.json") else { return }
        requests = requests.replacing { part in
            guard let reference = part["$ref"]?.stringValue, reference.hasPrefix("schemas/") else { return nil }
            return schema(["$ref": .string(String(reference.dropFirst("schemas/".count)))], in: Self.common)
        }
        requests["components"]?["schemas"] = .object(definitions)
        // OpenAPI has definitions in `components/schemas`.
        self.requests = requests.replacing { part in
            guard let text = part.stringValue, text.hasPrefix("#/$defs/") else { return nil }
            return .string("#/components/schemas/" + text.dropFirst("#/$defs/".count))
        }
    }

    /// The generated files, by path below `Spec/`.
    var files: [String: String] {
        ["messages": messages, "openapi": requests].reduce(into: [:]) { files, document in
            files["bundle/\(document.key).json"] = document.value.text(pretty: true) + "\n"
        }
    }

    // MARK: Names

    /// `Chat message` becomes `ChatMessage`; a message on the socket gets the suffix `Frame`.
    private func name(of schema: JSONValue, in file: String) -> String {
        let title: String = schema["title"]?.stringValue ?? file
        let words = title.split(separator: " ").map { word -> String in
            let rest = String(word.dropFirst())
            return word.prefix(1).uppercased() + (rest.allSatisfy(\.isUppercase) ? rest.lowercased() : rest)
        }
        let isFrame = file.hasPrefix("messages/") && roots[file]?["title"] == schema["title"]
        return words.joined() + (isFrame ? "Frame" : "")
    }

    /// Whether a schema gets its own name; single values are inlined.
    private func isNamed(_ schema: JSONValue) -> Bool {
        schema["title"] != nil && !isAnything(schema)
            && (schema["enum"] != nil || schema["type"] == "object" || schema["type"]?.arrayValue != nil
                || schema["properties"] != nil)
    }

    /// Whether an object has no known members: treat it as any value, because generated unions would drop its contents.
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

    private func target(_ reference: String, from file: String) -> (schema: JSONValue, file: String)? {
        let parts = reference.split(separator: "#", maxSplits: 1, omittingEmptySubsequences: false)
        let path = parts[0].isEmpty ? file : LinkResolver.joined(String(parts[0]), to: file)
        let pointer = JSONPointer(parts.count > 1 ? String(parts[1]) : "")
        return pointer.flatMap { roots[path]?[$0] }.map { ($0, path) }
    }

    // MARK: Frames

    /// Unknown types are legal, so each union has a case for them.
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

    // Constant types distinguish the alternatives. With a discriminator, generated readers would reject unlisted types.
    private static func union(_ description: JSONValue?, of names: [String]) -> JSONValue {
        ["description": description ?? "", "oneOf": .array((names + [unknown]).map(reference))]
    }

    // MARK: Schemas

    /// A schema at its place of use: a reference if it has a name.
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

    /// A schema with no references to other files, no conditions and no extension keywords.
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
        // Most languages have only string constants.
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
            // With a description, a plain string would become a separate type.
            if element["$ref"] == nil { element["description"] = nil }
            result["items"] = element
        }
        return .object(result)
    }

    /// The type of a constant or of an enumeration.
    private func type(of schema: JSONValue) -> JSONValue? {
        switch schema["const"] ?? schema["enum"]?.arrayValue?.first {
        case .string: "string"
        case .bool: "boolean"
        case .number: "integer"
        default: nil
        }
    }

    /// The part of a schema that concerns one of its types.
    private func one(_ type: JSONValue, of schema: JSONValue) -> JSONValue {
        var result: JSONValue = ["type": type]
        if type == "array" { for keyword in ["items", "minItems"] { result[keyword] = schema[keyword] } }
        return result
    }

    /// The members of an object and of its base, which it may redefine.
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
        // A profile's rules for known members are omitted; members that it adds are not.
        for (_, overlay) in schema["x-profiles"]?.objectValue ?? [:] {
            for (name, value) in members(of: overlay, in: file).properties where properties[name] == nil {
                properties[name] = value
            }
        }
        return (properties, required)
    }
}
