import Basics
import JSON

// What is waited for.
extension ClientStepReader {
    func arrival() -> AwaitedArrival? {
        guard let kind = reader.choice("comes", of: AwaitedArrival.Kind.self, required: true) else { return nil }
        let isQuestion = [.chat, .post, .question].contains(kind)
        if !isQuestion, kind != .read { refuse("session", "'\(kind.rawValue)' names no session") }
        if !isQuestion { refuse("as", "'\(kind.rawValue)' is no message of the person") }
        let usual: String =
            switch kind {
            case .connection, .attempt, .auth: "connect"
            case .sync: "sync"
            case .end: "close"
            default: "rest"
            }
        return AwaitedArrival(
            kind: kind, session: reader.string("session"), name: reader.string("as"),
            count: reader.integer("count", in: 1...1000) ?? 1, within: bound("within") ?? usual,
            isOptional: reader.bool("optional") ?? false)
    }

    private enum Shown: String, CaseIterable { case connecting, connected, degraded, offline }

    func state() -> AwaitedState? {
        let connection: [String]? = reader.value("connection").map { value in
            let named =
                value.stringValue == nil
                ? reader.strings("connection") ?? []
                : [(text: value.stringValue ?? "", pointer: reader.pointer.appending("connection"))]
            return named.compactMap {
                reader.choice($0.text, of: Shown.self, called: "connection", at: $0.pointer)?.rawValue
            }
        }
        let session: String?? = reader.value("session").map { $0.isNull ? nil : reader.string("session") }
        var unread: [String: Int] = [:]
        if let members = reader.members("unread") {
            for key in members.object.keys { unread[key] = members.integer(key, in: 0...10_000) }
        }
        return AwaitedState(
            connection: connection, thinking: reader.bool("thinking"), session: session,
            shows: (reader.strings("shows") ?? []).map(\.text), hides: (reader.strings("hides") ?? []).map(\.text),
            count: reader.integer("count", in: 0...10_000), errors: reader.bool("errors"),
            failed: reader.string("failed"), sent: reader.string("sent"), told: reader.string("told"),
            unread: unread,
            within: bound("within") ?? "rest", isOptional: reader.bool("optional") ?? false)
    }

    func watch() -> ClientWatch? {
        guard let value = reader.require("for") else { return nil }
        if value.stringValue != nil { return bound("for").map { .bound($0) } }
        return reader.integer("for", in: 1...60_000).map { .milliseconds($0) }
    }

    private func bound(_ key: String) -> String? {
        guard let name = reader.string(key) else { return nil }
        let known = Timeouts().byName
        if known[name] != nil { return name }
        let near = nearestName(to: name, among: known.keys)
        reader.collector.note(
            reader.pointer.appending(key), "unknown bound '\(clipped(name))'",
            expected: known.keys.sorted().joined(separator: ", "),
            fix: near.map { "did you mean '\($0)'?" } ?? "choose one of these")
        return nil
    }

    private func refuse(_ key: String, _ why: String) {
        guard reader.value(key) != nil else { return }
        reader.collector.note(
            reader.pointer.appending(key), why, expected: "no '\(key)' here", fix: "remove it")
    }
}
