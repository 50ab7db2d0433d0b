import HoldfastBasics
import HoldfastJSON

// The acts of the server, on its own or as changed behavior.
extension ClientStepReader {
    /// The members of each reaction to an event; the first one is required.
    private static let reactions: [Rule.Event: [Rule.Action: [String]]] = {
        let answers: [Rule.Action: [String]] = [
            .serve: [], .hold: [], .delay: ["milliseconds"], .fail: ["status"], .stale: [], .reset: [],
        ]
        return [
            .upgrade: [.serve: [], .refuse: ["status"], .silent: [], .reset: [], .close: ["code"]],
            .auth: [
                .serve: ["greeting"], .silent: [], .hold: ["greeting"], .delay: ["milliseconds", "greeting"],
                .close: ["code"], .refuse: ["error", "code"], .cut: ["cut"],
            ],
            .chat: [
                .serve: ["cut"], .ack: ["cut"], .store: ["cut"], .drop: ["cut"], .refuse: ["frame", "cut"],
            ],
            .post: [
                .serve: [], .hold: [], .store: ["cut"], .drop: [], .fail: ["status"],
                .refuse: ["status", "body", "retryAfter"], .reset: [], .delay: ["milliseconds"],
            ],
            .sync: [
                .serve: [], .hold: [], .drop: [], .delay: ["milliseconds"], .incomplete: ["reason", "size"],
                .page: ["size", "reason"], .cut: ["cut"],
            ],
            .read: answers, .list: answers,
            .ping: [.serve: [], .drop: []],
        ]
    }()

    private static let reactionMembers = reactions.values.flatMap { $0.values.joined() }.unique

    func rule() -> Rule? {
        guard let comes = reader.choice("comes", of: Rule.Event.self), let known = Self.reactions[comes],
            let text = reader.string("then")
        else { return nil }
        guard let then = Rule.Action(rawValue: text), let members = known[then] else {
            reader.collector.note(
                reader.pointer.appending("then"), "'\(excerpt(text))' is not a reaction to '\(comes.rawValue)'",
                insteadOf: text, among: known.keys.map(\.rawValue), otherwise: "choose one of these")
            return nil
        }
        for name in Self.reactionMembers where !members.contains(name) {
            refuse(
                name, "'\(name)' does not apply to '\(comes.rawValue)' with '\(text)'",
                expected: members.isEmpty ? "no further member" : members.joined(separator: ", "))
        }
        if let first = members.first, !["greeting", "cut"].contains(first) || then == .cut,
            reader.value(first) == nil
        {
            let _: Never? = reader.lacking(first)
        }
        var rule = Rule(comes, then)
        rule.session = session(ofRuleFor: comes)
        rule.times = reader.integer("times")
        rule.status = reader.integer("status")
        rule.code = reader.integer("code")
        rule.error = reader.string("error")
        rule.frame = reader.value("frame")
        rule.body = reader.value("body")
        rule.retryAfter = reader.integer("retryAfter")
        rule.milliseconds = reader.integer("milliseconds")
        rule.reason = reader.string("reason")
        rule.size = reader.integer("size")
        rule.greeting = reader.value("greeting")?.objectValue
        rule.cut = reader.choice("cut", of: Cut.self)
        return rule
    }

    private func session(ofRuleFor comes: Rule.Event) -> String? {
        if [.chat, .post, .read].contains(comes) { return reader.string("session") }
        refuse("session", "'\(comes.rawValue)' names no session", expected: "a session with chat, post or read")
        return nil
    }

    func release() -> ClientRelease? {
        reader.choice("comes", of: Rule.Event.self).map { comes in
            ClientRelease(
                comes: comes, session: session(ofRuleFor: comes), isAsAsked: reader.string("as") == "asked",
                isNewest: reader.string("pick") == "newest", isOptional: reader.bool("optional") ?? false)
        }
    }

    func serverAction(_ verb: String) -> ServerAction? {
        let audience = reader.choice("to", of: ServerAudience.self) ?? .all
        let turn = reader.value("turn")
        switch verb {
        case "tool": return .tool(turn: turn, tool: reader.string("tool") ?? "webFetch", to: audience)
        case "finish": return .finish(turn: turn, text: reader.string("text", isEmptyAllowed: true), to: audience)
        case "fail": return .fail(turn: turn, code: reader.string("code") ?? "agent_failed", to: audience)
        case "tell": return tell(to: audience)
        case "elsewhere":
            return .elsewhere(
                session: reader.text("session"), messages: reader.messages("messages"),
                isNew: reader.bool("new") ?? false, to: audience)
        case "end": return .end(ending())
        case "restart":
            return .restart(
                epoch: reader.text("epoch"), lastSeq: reader.integer("lastSeq") ?? 0,
                keepsFrames: reader.bool("keepsFrames") ?? false)
        case "forget": return .forget(upTo: reader.value("upTo") ?? 0)
        case "remove": return .remove(session: reader.text("session"))
        default: return nil
        }
    }

    private func tell(to audience: ServerAudience) -> ServerAction {
        let text = reader.string("text", isEmptyAllowed: true)
        let hex = reader.string("hex")
        guard text != nil || hex != nil else {
            return .tell(
                frame: reader.value("frame") ?? .null, isNumbered: reader.bool("numbered") ?? false, to: audience)
        }
        for name in ["frame", "numbered", "to"] {
            refuse(name, "'\(name)' does not apply with 'text' or 'hex'", expected: "only 'text' or 'hex'")
        }
        return .tellRaw(text: text, bytes: hex.flatMap { bytes(ofHexDigits: $0) })
    }

    private func ending() -> ConnectionEnding {
        let how = reader.text("how")
        if how == "close" { return .close(UInt16(clamping: reader.integer("code") ?? 1001)) }
        refuse("code", "a code without a close frame", expected: "how: close")
        if let how = Cut(rawValue: how) { return .cut(how) }
        if !how.isEmpty {
            reader.collector.note(
                reader.pointer.appending("how"), "unknown end '\(excerpt(how))'",
                expected: "close, fin, reset, silence", fix: "choose one of these")
        }
        return .cut(.fin)
    }
}
