import Holdfast
import HoldfastBasics
import HoldfastJSON

// Frames and conditions of steps; the performer fills in the references.
extension ScenarioStep.Connect {
    package func auth(token: String?, filled: (JSONValue) throws -> JSONValue) rethrows -> JSONValue {
        let client = try filled(.string(clientId ?? "device-\(on)-${run}"))
        return JSONValue(members: [
            "type": "auth", "protocol": try filled(version), "token": token,
            "clientId": client.stringValue ?? client.text(),
        ])
    }
}

extension ScenarioStep {
    package static func sync(
        _ position: JSONValue, epoch: String?, limit: JSONValue?, filled: (JSONValue) throws -> JSONValue
    ) rethrows -> JSONValue {
        JSONValue(members: [
            "type": "sync", "lastSeqSeen": try filled(position), "epoch": try epoch.map { try filled(.string($0)) },
            "limit": try limit.map(filled),
        ])
    }

    /// Whether a message has the given values at the given pointers; null stands for an absent member.
    package static func matching(
        _ values: [String: JSONValue], filled: (JSONValue) throws -> JSONValue
    ) rethrows -> (JSONValue) -> Bool {
        let conditions = try values.compactMap { key, value in
            try JSONPointer(key).map { ($0, try filled(value)) }
        }
        return { root in
            conditions.allSatisfy { pointer, value in
                value.isNull ? root[pointer] == nil : root[pointer] == value
            }
        }
    }
}

extension JSONValue {
    package static func chat(_ body: JSONObject) -> JSONValue {
        var frame: JSONObject = ["type": "chat"]
        for member in body { frame[member.key] = member.value }
        return .object(frame)
    }
}

extension Timeouts {
    /// The timeout of a wait; for a turn, the waits in its script are added.
    package func bound(_ name: String, scriptWait: Duration) -> Duration {
        let bound = self[name] ?? turn
        // A turn's bound begins when the turn is accepted, which is after the question was sent.
        return name == "turn" ? bound + scriptWait + .milliseconds(500) : bound
    }
}

extension ScenarioVariables {
    /// The values that every scenario of a server starts with.
    ///
    /// * `tokens`: The tokens of the principals, which scenarios use only in URLs; elsewhere steps name the principal.
    package init(run: String, kills: Int, authSeconds: Int, tokens: [String: String?]) {
        self.init()
        self["run"] = .string(run)
        self["kills"] = JSONValue(kills)
        self["authSeconds"] = JSONValue(authSeconds)
        for (name, token) in tokens { self["\(name)Token"] = .string(percentEncoded(token ?? "")) }
    }
}
