import Holdfast
import JSON

/// Compares the requests over HTTP of two states, as `Spec/openapi.json` lists them; their bodies are schemas of their own.
struct RequestComparison {
    private static let file = "openapi.json"
    private static let methods: Set<String> = ["get", "put", "post", "delete", "options", "head", "patch"]

    /// Compares the requests of two states.
    static func entries(_ old: ProtocolState, _ new: ProtocolState) -> [GateEntry] {
        let before = requests(of: old)
        let after = requests(of: new)
        var entries: [GateEntry] = []
        for (name, was) in before.sorted(by: { $0.key < $1.key }) {
            guard let now = after[name] else {
                entries.append(
                    entry(
                        "request-removed", .error, was, nil, why: "clients that send \(name) get no answer to it",
                        breaks: [GateParty(.client)], rise: .major, name))
                continue
            }
            entries += changes(name, from: was, to: now)
        }
        for (name, now) in after.sorted(by: { $0.key < $1.key }) where before[name] == nil {
            entries.append(
                entry(
                    "request-added", .information, nil, now, why: "clients may send \(name), and need not",
                    rise: .minor,
                    name))
        }
        return entries
    }

    private struct Request {
        let place: GatePlace
        let statuses: [String]
        let parameters: [String: Bool]
    }

    private static func changes(_ name: String, from was: Request, to now: Request) -> [GateEntry] {
        var entries: [GateEntry] = []
        let added = now.statuses.filter { !was.statuses.contains($0) }
        let removed = was.statuses.filter { !now.statuses.contains($0) }
        if !added.isEmpty || !removed.isEmpty {
            entries.append(
                entry(
                    "request-status-changed", .warning, was, now,
                    old: .array(was.statuses.map { .string($0) }), new: .array(now.statuses.map { .string($0) }),
                    why: "clients of the old version may not know what to make of another status", rise: .minor, name))
        }
        for (parameter, isRequired) in now.parameters.sorted(by: { $0.key < $1.key }) {
            let wasRequired = was.parameters[parameter]
            if isRequired, wasRequired != true {
                entries.append(
                    entry(
                        "request-parameter-required", .error, was, now, new: .string(parameter),
                        why: "clients that leave out '\(parameter)' are refused", breaks: [GateParty(.client)],
                        rise: .major, name))
            } else if wasRequired == nil {
                entries.append(
                    entry(
                        "request-parameter-added", .information, was, now, new: .string(parameter),
                        why: "clients may give '\(parameter)', and need not", rise: .minor, name))
            }
        }
        for parameter in was.parameters.keys.sorted() where now.parameters[parameter] == nil {
            entries.append(
                entry(
                    "request-parameter-removed", .warning, was, now, old: .string(parameter),
                    why: "clients that give '\(parameter)' are not heard", rise: .minor, name))
        }
        return entries
    }

    private static func requests(of state: ProtocolState) -> [String: Request] {
        guard let text = state.text(file), let root = try? JSONParser.value(text) else { return [:] }
        var requests: [String: Request] = [:]
        for (path, item) in root["paths"]?.objectValue ?? [:] {
            for (method, operation) in item.objectValue ?? [:] where methods.contains(method) {
                let pointer = JSONPointer(tokens: ["paths", path, method])
                var parameters: [String: Bool] = [:]
                for list in [item["parameters"], operation["parameters"]] {
                    for parameter in list?.arrayValue ?? [] {
                        let parameter = resolved(parameter, in: root)
                        guard let name = parameter["name"]?.stringValue else { continue }
                        parameters[name] = parameter["required"] == true
                    }
                }
                requests["\(method.uppercased()) \(path)"] = Request(
                    place: GatePlace(
                        file: file, pointer: pointer, line: JSONParser.location(of: pointer, in: text)?.line),
                    statuses: (operation["responses"]?.objectValue ?? [:]).keys.sorted(), parameters: parameters)
            }
        }
        return requests
    }

    private static func resolved(_ value: JSONValue, in root: JSONValue) -> JSONValue {
        guard let reference = value["$ref"]?.stringValue, reference.hasPrefix("#"),
            let pointer = JSONPointer(String(reference.dropFirst())), let target = root[pointer]
        else { return value }
        return target
    }

    private static func entry(
        _ rule: String, _ severity: GateSeverity, _ before: Request?, _ after: Request?, old: JSONValue? = nil,
        new: JSONValue? = nil, why: String, breaks: [GateParty] = [], rise: Rise, _ name: String
    ) -> GateEntry {
        GateEntry(
            GateFinding(
                rule: rule, severity: severity, direction: nil, old: before?.place, new: after?.place, oldValue: old,
                newValue: new, why: why),
            breaks: breaks, rise: rise, subjects: [name])
    }
}
