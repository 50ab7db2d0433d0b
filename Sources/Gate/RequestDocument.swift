import JSON
import SchemaDiff

/// The requests over HTTP of one state, cut into what is compared by rules of its own and the rest.
struct RequestDocument {
    static let file = "openapi.json"
    private static let methods: Set<String> = ["get", "put", "post", "delete", "options", "head", "patch"]
    /// Members that speak to people.
    private static let prose: Set<String> = [
        "description", "summary", "example", "examples", "tags", "operationId", "externalDocs",
    ]

    /// One parameter of a request.
    struct Parameter {
        let isRequired: Bool
        let schema: JSONValue
    }

    /// The schema of a body, and which way it travels.
    struct Body {
        let schema: JSONValue
        let isAnswer: Bool
    }

    /// One request.
    struct Request {
        /// By method and path: `GET /api/health`.
        let name: String
        let place: GatePlace
        let statuses: [String]
        /// By name and place: `page in query`.
        let parameters: [String: Parameter]
        /// By what they are: `answer 200 application/json`.
        let bodies: [String: Body]
        /// Whether a body must be given; nil when none may be.
        let needsBody: Bool?
        /// By status, or empty for the request itself: what no rule compares.
        let rest: [String: JSONValue]
    }

    /// The requests, by name.
    private(set) var requests: [Request] = []
    /// What holds for all requests, without words.
    private(set) var common: JSONValue = .null
    private let root: JSONValue
    private let text: String

    /// Reads the requests of a state; nil when its file is no JSON.
    ///
    /// Without a file there are no requests.
    init?(_ state: ProtocolState) {
        text = state.text(Self.file) ?? "{}"
        guard let root = try? JSONParser.value(text) else { return nil }
        self.root = root
        // These are read where something refers to them.
        let components = root["components"]?.objectValue?.without([
            "responses", "parameters", "requestBodies", "schemas",
        ])
        var rest = root.objectValue?.without(["info", "paths"]) ?? [:]
        rest["components"] = .object(components ?? [:])
        common = plain(.object(rest))
        for (path, item) in root["paths"]?.objectValue ?? [:] {
            for (method, operation) in item.objectValue ?? [:] where Self.methods.contains(method) {
                requests.append(request(path, method, item, operation))
            }
        }
        requests.sort { $0.name < $1.name }
    }

    private func request(_ path: String, _ method: String, _ item: JSONValue, _ operation: JSONValue) -> Request {
        let pointer = JSONPointer(tokens: ["paths", path, method])
        var rest: [String: JSONValue] = [:]
        var bodies: [String: Body] = [:]
        var parameters: [String: Parameter] = [:]
        for list in [item["parameters"], operation["parameters"]] {
            for parameter in list?.arrayValue ?? [] {
                let parameter = plain(parameter).objectValue ?? [:]
                guard let name = parameter["name"]?.stringValue else { continue }
                let key = "\(name) in \(parameter["in"]?.stringValue ?? "?")"
                parameters[key] = Parameter(
                    isRequired: parameter["required"] == true, schema: parameter["schema"] ?? true)
                rest["parameter \(key)"] = .object(parameter.without(["required", "schema"]))
            }
        }
        let own = operation.objectValue?.without(["parameters", "responses", "requestBody"])
        let shared = item.objectValue?.without(Self.methods.union(["parameters"]))
        rest["request"] = [plain(.object(own ?? [:])), plain(.object(shared ?? [:]))]
        var needsBody: Bool?
        if let body = operation["requestBody"] {
            let body = plain(body).objectValue ?? [:]
            needsBody = body["required"] == true
            rest["body"] = cut(.object(body.without(["required"])), "body", isAnswer: false, &bodies)
        }
        let responses = operation["responses"]?.objectValue ?? [:]
        for (status, response) in responses {
            rest["answer \(status)"] = cut(plain(response), "answer \(status)", isAnswer: true, &bodies)
        }
        return Request(
            name: "\(method.uppercased()) \(path)",
            place: GatePlace(
                file: Self.file, pointer: pointer, line: JSONParser.location(of: pointer, in: text)?.line),
            statuses: responses.keys.sorted(), parameters: parameters, bodies: bodies, needsBody: needsBody, rest: rest)
    }

    /// Takes the schemas of a body out of what is around them.
    private func cut(
        _ holder: JSONValue, _ label: String, isAnswer: Bool, _ bodies: inout [String: Body]
    ) -> JSONValue {
        guard var object = holder.objectValue, var content = object["content"]?.objectValue else { return holder }
        for (type, media) in content {
            guard var members = media.objectValue, let schema = members["schema"] else { continue }
            bodies["\(label) \(type)"] = Body(schema: schema, isAnswer: isAnswer)
            members["schema"] = true
            content[type] = .object(members)
        }
        object["content"] = .object(content)
        return .object(object)
    }

    /// A value without words, with what it refers to in this file in place.
    private func plain(_ value: JSONValue, depth: Int = 0, isNames: Bool = false) -> JSONValue {
        guard depth < 40 else { return value }
        if let list = value.arrayValue { return .array(list.map { plain($0, depth: depth + 1) }) }
        guard let object = value.objectValue else { return value }
        if !isNames, let reference = object["$ref"]?.stringValue, reference.hasPrefix("#"),
            let pointer = JSONPointer(String(reference.dropFirst())), let target = root[pointer]
        {
            return plain(target, depth: depth + 1)
        }
        var shown: JSONObject = [:]
        for (key, member) in object where isNames || !Self.prose.contains(key) {
            // Members of these are named by whoever wrote the file, so none of them is prose.
            let names = !isNames && ["properties", "responses", "content", "headers", "$defs"].contains(key)
            shown[key] = plain(member, depth: depth + 1, isNames: names)
        }
        return .object(shown)
    }
}

extension JSONObject {
    /// The same without some members.
    fileprivate func without(_ names: Set<String>) -> JSONObject {
        JSONObject(filter { !names.contains($0.key) }.map { (key: $0.key, value: $0.value) })
    }
}
