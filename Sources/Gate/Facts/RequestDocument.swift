import Holdfast
import HoldfastBasics
import HoldfastJSON
import HoldfastSchemaDiff

/// The HTTP requests of one state, as `Spec/openapi.json` lists them: facts, and their schemas.
struct RequestDocument {
    static let file = "openapi.json"
    private static let methods: Set<String> = ["get", "put", "post", "delete", "options", "head", "patch"]
    /// The word for access without credentials.
    private static let nothing = "nothing"

    struct Slot {
        enum Kind: String { case parameter, body, header }

        /// The request and its part: `POST /api/chat answer 200 application/json`.
        let label: String
        let kind: Kind
        let schema: JSONValue
        let isAnswer: Bool
        let request: String
        let location: GateLocation
    }

    private(set) var facts: [Fact] = []
    private(set) var slots: [Slot] = []
    private let root: JSONValue

    /// Reads the requests of a state; without a file there are none.
    ///
    /// A path parameter gets the name it has in the other state, because peers never send that name.
    init(_ state: ProtocolState, namedAs other: ProtocolState? = nil) {
        root = state.json(Self.file) ?? [:]
        let names = (other?.json(Self.file)?["paths"]?.objectValue ?? [:]).keys.keyed(by: Self.shape)
        guard root != [:] else { return }
        facts.append(
            Fact(rule: .table, key: Self.file, location: GateLocation(file: Self.file, line: 1), subject: Self.file))
        add(
            .serverPath, "every request", ["servers"], subject: "servers", value: Self.paths(root["servers"]),
            parents: [Self.fileFact])
        for (name, scheme) in root["components"]?["securitySchemes"]?.objectValue ?? [:] {
            add(
                .securityScheme, "REST \(name)", ["components", "securitySchemes", name], subject: name,
                value: scheme.bindingPart(in: root), parents: [Self.fileFact])
        }
        for (path, item) in root["paths"]?.objectValue ?? [:] {
            for (method, operation) in item.objectValue ?? [:] where Self.methods.contains(method) {
                self.read(path, names[Self.shape(path)] ?? path, method, item, operation)
            }
        }
        facts.sort { ($0.subject, $0.rule.id, $0.key) < ($1.subject, $1.rule.id, $1.key) }
        slots.sort { $0.label < $1.label }
    }

    /// Errors that clients must act on, so no range or default covers them.
    private static let ownErrors: Set<String> = ["401", "404", "409", "413", "429", "503"]

    /// The keys that include a status: `default` for errors, and its range.
    private static func cover(of status: String) -> [String] {
        guard !ownErrors.contains(status), status != "default" else { return [] }
        let range = "\(status.prefix(1))XX"
        return (status == range ? [] : [range]) + ("45".contains(status.prefix(1)) ? ["default"] : [])
    }

    private static func shape(_ path: String) -> String { path.replacing(/\{[^}]*\}/, with: "{}") }

    private static func variables(_ path: String) -> [String] { path.matches(of: /\{([^}]*)\}/).map { String($0.1) } }

    private static let fileFact = "\(FactRule.table.id): \(file)"

    /// The base paths of servers; their hosts are only examples and bind no peer.
    private static func paths(_ servers: JSONValue?) -> JSONValue {
        let paths = Set(
            (servers?.arrayValue ?? []).map { server in
                let url = server["url"]?.stringValue ?? ""
                let path = url.replacing(/^[A-Za-z][A-Za-z0-9+.-]*:\/\/[^\/]*/, with: "")
                return "/" + path.split(separator: "/").joined(separator: "/")
            })
        return .array((paths.isEmpty ? ["/"] : paths).sorted().map { .string($0) })
    }

    private mutating func add(
        _ rule: FactRule, _ key: String, _ path: [String], subject: String, value: JSONValue = .null,
        parents: [String] = [], holder: String? = nil, cover: [String] = [], shared: JSONPointer? = nil
    ) {
        facts.append(
            Fact(
                rule: rule, key: key, value: value,
                location: GateLocation(file: Self.file, pointer: JSONPointer(tokens: path)), subject: subject,
                parents: parents, holder: holder, shared: shared, cover: cover))
    }

    private mutating func read(
        _ path: String, _ knownPath: String, _ method: String, _ item: JSONValue, _ operation: JSONValue
    ) {
        let name = "\(method.uppercased()) \(knownPath)"
        let variables = Dictionary(
            zip(Self.variables(path), Self.variables(knownPath)), uniquingKeysWith: { first, _ in first })
        let pointer = ["paths", path, method]
        let parent = "\(FactRule.request.id): \(name)"
        add(.request, name, pointer, subject: name, parents: [Self.fileFact])
        if let servers = operation["servers"] ?? item["servers"],
            Self.paths(servers) != Self.paths(root["servers"])
        {
            add(
                .serverPath, name, pointer + ["servers"], subject: name, value: Self.paths(servers), parents: [parent])
        }
        // A part that several requests refer to; an edit of it is one finding.
        var shared: JSONPointer?
        func refer(to holder: JSONValue?) {
            shared = holder?["$ref"]?.stringValue.flatMap { JSONPointer(String($0.dropFirst())) }
        }
        func fact(
            _ rule: FactRule, _ detail: String, _ path: [String], _ parents: [String] = [], value: JSONValue = .null,
            in holder: FactRule? = nil, cover: [String] = []
        ) {
            let key = detail.isEmpty ? name : "\(name) \(detail)"
            add(
                rule, key, pointer + path, subject: name, value: value, parents: [parent] + parents,
                holder: holder.map { "\($0.id): \(key)" }, cover: cover.map { "\(rule.id): \(name) \($0)" },
                shared: shared.map { JSONPointer(tokens: $0.tokens + path.dropFirst(2)) })
        }
        func slot(_ kind: Slot.Kind, _ label: String, _ schema: JSONValue?, _ path: [String], isAnswer: Bool = false) {
            slots.append(
                Slot(
                    label: "\(name) \(label)", kind: kind, schema: schema ?? true, isAnswer: isAnswer, request: name,
                    location: GateLocation(file: Self.file, pointer: JSONPointer(tokens: pointer + path))))
        }
        func detail(_ label: String, _ path: [String], _ value: JSONValue, _ parents: [String] = []) {
            if value.objectValue?.isEmpty != true { fact(.requestDetail, label, path, parents, value: value) }
        }
        /// The media types of a body, with their schemas.
        func media(_ rule: FactRule, _ label: String, _ holder: JSONValue, _ path: [String], _ parents: [String]) {
            for (type, value) in holder["content"]?.objectValue ?? [:] {
                let path = path + ["content", type]
                fact(rule, "\(label) \(type)", path, parents)
                slot(.body, "\(label) \(type)", value["schema"], path, isAnswer: rule == .answerMedia)
                detail("\(label) \(type)", path, value.without(["schema"]), parents)
            }
        }

        // A parameter of an operation replaces that of its path.
        var parameters: Set<String> = []
        for list in [operation["parameters"], item["parameters"]] {
            for parameter in (list?.arrayValue ?? []).map({ $0.bindingPart(in: root) }) {
                guard let own = parameter["name"]?.stringValue else { continue }
                let location = parameter["in"]?.stringValue ?? "?"
                let key = "\(location == "path" ? variables[own] ?? own : own) in \(location)"
                guard parameters.insert(key).inserted else { continue }
                let path = ["parameters", key]
                let isOptional = parameter["required"] != true
                fact(.parameter, key, path, value: isOptional ? parameter["schema"]?["default"] ?? .null : .null)
                if !isOptional { fact(.parameterRequired, key, path, in: .parameter) }
                slot(.parameter, key, parameter["schema"], path)
                detail(
                    key, path, parameter.without(["required", "schema", "name", "in", "deprecated"]),
                    ["\(FactRule.parameter.id): \(name) \(key)"])
            }
        }
        if let body = operation["requestBody"]?.bindingPart(in: root) {
            if body["required"] == true { fact(.bodyRequired, "", ["requestBody", "required"]) }
            media(.requestMedia, "body", body, ["requestBody"], [])
        }
        for (status, own) in operation["responses"]?.objectValue ?? [:] {
            let response = own.bindingPart(in: root)
            let path = ["responses", status]
            let parents = ["\(FactRule.status.id): \(name) \(status)"]
            fact(.status, status, path, cover: Self.cover(of: status))
            refer(to: own)
            defer { refer(to: nil) }
            media(.answerMedia, "answer \(status)", response, path, parents)
            for (header, value) in response["headers"]?.objectValue ?? [:] {
                let path = path + ["headers", header]
                let key = "\(status) \(header)"
                fact(.header, key, path, parents)
                if value["required"] == true { fact(.headerRequired, key, path, parents, in: .header) }
                detail(
                    "header \(key)", path, value.without(["required", "schema", "deprecated"]),
                    parents + ["\(FactRule.header.id): \(name) \(key)"])
                slot(.header, "answer \(status) \(header)", value["schema"], path, isAnswer: true)
            }
            detail("answer \(status)", path, response.without(["content", "headers", "links"]), parents)
        }
        let choices = (operation["security"] ?? item["security"] ?? root["security"])?.arrayValue ?? []
        for choice in choices.isEmpty ? [[:]] : choices {
            let names = (choice.objectValue ?? [:]).keys.sorted().joined(separator: " and ")
            let word = names.isEmpty ? Self.nothing : names
            // Access without credentials also admits requests with credentials.
            fact(.security, word, ["security", word], cover: names.isEmpty ? [] : [Self.nothing])
        }
        detail(
            "request", [],
            operation.bindingPart(in: root).without([
                "parameters", "responses", "requestBody", "security", "servers", "deprecated",
            ]))
    }
}

extension JSONValue {
    private static let prose: Set<String> = [
        "description", "summary", "title", "example", "examples", "tags", "operationId", "externalDocs",
    ]

    /// The part that binds peers: no prose, and references to its own file replaced by their targets.
    func bindingPart(in root: JSONValue, depth: Int = 0, keysAreNames: Bool = false) -> JSONValue {
        guard depth < 40 else { return self }
        if let list = arrayValue { return .array(list.map { $0.bindingPart(in: root, depth: depth + 1) }) }
        guard let object = objectValue else { return self }
        if !keysAreNames, let reference = object["$ref"]?.stringValue, reference.hasPrefix("#"),
            let pointer = JSONPointer(String(reference.dropFirst())), let target = root[pointer]
        {
            return target.bindingPart(in: root, depth: depth + 1)
        }
        var shown: JSONObject = [:]
        for (key, member) in object where keysAreNames || !Self.prose.contains(key) {
            // The author of the file chooses the names in these members, so none of them is prose.
            let names = !keysAreNames && ["properties", "responses", "content", "headers", "$defs"].contains(key)
            shown[key] = member.bindingPart(in: root, depth: depth + 1, keysAreNames: names)
        }
        return .object(shown)
    }

    fileprivate func without(_ names: Set<String>) -> JSONValue {
        .object(
            JSONObject((objectValue ?? [:]).filter { !names.contains($0.key) }.map { (key: $0.key, value: $0.value) }))
    }
}
