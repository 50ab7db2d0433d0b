import Holdfast
import HoldfastJSON

extension ServerWorld {
    package mutating func admit(_ connection: Int) -> WorldAdmission {
        effects.append(.arrived(WorldArrival([.attempt], connection: connection)))
        if isUnreachable { return .reset }
        let rule = follow(.upgrade).rule
        switch rule.action {
        case .refuse: return .refuse(status: rule.status ?? 503)
        case .silent: return .silence
        case .reset: return .reset
        case .close: return .acceptAndClose(code: rule.code ?? 1011)
        default: return .accept
        }
    }

    package mutating func opened(_ connection: Int, principal: String?) {
        connections[connection] = Connection(principal: principal)
        if isUnreachable { cut(connection, .silence) }
    }

    package mutating func authenticationIsOverdue(_ connection: Int) {
        guard connections[connection]?.state == .open else { return }
        send(Self.error("auth_timeout", "no auth in time"), to: connection)
        close(connection, code: 4002)
    }

    package mutating func ended(_ connection: Int) {
        guard let state = connections[connection]?.state else { return }
        connections[connection] = nil
        held.removeAll { $0.connection == connection }
        if state != .over { effects.append(.arrived(WorldArrival([.end], connection: connection))) }
    }

    package mutating func receive(_ text: String, on connection: Int) {
        guard let state = connections[connection]?.state, state != .over else { return }
        guard let value = try? JSONParser.value(text), value.objectValue != nil else {
            return send(Self.error("parse_error", "a message is one JSON object"), to: connection)
        }
        guard let type = value["type"]?.stringValue else {
            return send(Self.error("bad_request", "the message has no type"), to: connection)
        }
        if type == "auth" { return authenticate(value, on: connection) }
        guard state == .greeted else {
            let key = value["clientMessageId"]?.stringValue
            return send(Self.error("not_authenticated", "auth comes first", key: key), to: connection)
        }
        switch type {
        case "chat": chat(value, on: connection)
        case "sync" where isNumbered: sync(value, on: connection)
        case "ping":
            effects.append(.arrived(WorldArrival([.ping], connection: connection)))
            guard follow(.ping).rule.action != .drop else { return }
            send(JSONValue(members: ["type": "pong", "nonce": value["nonce"]]), to: connection)
        default:
            if type == "sync" { effects.append(.arrived(WorldArrival([.sync], connection: connection))) }
            send(Self.error("unknown_type", "nothing is known of '\(type.prefix(60))'"), to: connection)
        }
    }

    mutating func receiveOther(tooLarge: Bool, on connection: Int) {
        let code = tooLarge ? "too_large" : "bad_request"
        send(Self.error(code, tooLarge ? "the message is too large" : "a message is a text"), to: connection)
    }

    // MARK: auth

    private mutating func authenticate(_ frame: JSONValue, on connection: Int) {
        guard connections[connection]?.state == .open else {
            return send(Self.error("bad_request", "auth comes once"), to: connection)
        }
        effects.append(.arrived(WorldArrival([.auth], connection: connection)))
        guard frame["protocol"] == 1 else {
            var error = Self.error("unsupported_version", "only protocol 1 is spoken")
            error["supported"] = [1]
            send(error, to: connection)
            return close(connection, code: 4010)
        }
        let isKnown = frame["token"].map { $0.stringValue == token } ?? (connections[connection]?.principal == "p1")
        guard isKnown else {
            send(Self.error("auth_failed", "the token is not valid"), to: connection)
            return close(connection, code: 4001)
        }
        let rule = follow(.auth).rule
        connections[connection]?.state = .unanswered
        switch rule.action {
        case .silent: connections[connection]?.isStuck = true
        case .hold, .delay:
            hold(Held(what: .greeting(rule.greeting), connection: connection, comes: .auth), by: rule)
        case .close: close(connection, code: rule.code ?? 1011)
        case .refuse:
            var error = Self.error(rule.error ?? "auth_failed", "refused")
            // `supported` names the refused version itself: a client that tries each version once then tries no other.
            if rule.error == "unsupported_version" { error["supported"] = [1] }
            send(error, to: connection)
            close(connection, code: rule.code ?? 4001)
        case .cut: cut(connection, rule.cut ?? .reset)
        default: greet(connection, rule.greeting)
        }
    }

    mutating func greet(_ connection: Int, _ changes: JSONObject?) {
        guard connections[connection]?.state == .unanswered else { return }
        connectionNumber += 1
        var limits: JSONObject = ["maxFrameBytes": 983_040]
        for member in self.limits { limits[member.key] = member.value }
        var frame = JSONValue(members: [
            "type": "connected", "protocol": 1, "connectionId": "k\(connectionNumber)",
            "serverTime": text(at: now),
            "capabilities": profiles.subtracting([.core]).sorted().map(\.rawValue), "limits": limits,
            "heartbeatSeconds": heartbeatSeconds, "epoch": isNumbered ? epoch : nil,
            "lastSeq": isNumbered ? lastSeq : nil,
        ])
        for member in changes ?? [:] { frame[member.key] = member.value.isNull ? Optional.none : member.value }
        send(frame, to: connection)
        connections[connection]?.state = .greeted
        isSentAway = false
        effects.append(.arrived(WorldArrival([.connection], connection: connection)))
    }

    // MARK: frames

    static func error(_ code: String, _ text: String, key: String? = nil) -> JSONValue {
        JSONValue(members: ["type": "error", "error": text, "code": code, "clientMessageId": key])
    }
}
