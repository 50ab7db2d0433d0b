import Basics
import JSON

// What the server does: of its own accord, or otherwise than usual.
extension ClientStepReader {
    /// What each reaction to something takes; the first that is named has to be there.
    private static let reactions: [ClientRule.Arrival: [ClientRule.Reaction: [String]]] = {
        let answers: [ClientRule.Reaction: [String]] = [
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
                .page: ["size"], .cut: ["cut"],
            ],
            .read: answers, .list: answers,
            .ping: [.serve: [], .drop: []],
        ]
    }()

    /// Members that belong to some reactions.
    static let reactionMembers = [
        "status", "code", "error", "frame", "body", "retryAfter", "milliseconds", "reason", "size", "greeting", "cut",
    ]

    /// The names of the ways to end a connection without a close frame.
    private enum CutName: String, CaseIterable { case fin, reset, silence }
    private enum Reason: String, CaseIterable {
        case epochChanged = "epoch_changed"
        case evicted
        case unknownPosition = "unknown_position"
        case tooMany = "too_many"
    }

    func rule() -> ClientRule? {
        guard let comes = reader.choice("comes", of: ClientRule.Arrival.self, required: true),
            let text = reader.string("then", required: true)
        else { return nil }
        let known = Self.reactions[comes] ?? [:]
        guard let then = ClientRule.Reaction(rawValue: text), let members = known[then] else {
            let names = known.keys.map(\.rawValue).sorted()
            let near = nearestName(to: text, among: names)
            reader.collector.note(
                reader.pointer.appending("then"), "'\(clipped(text))' is nothing to do with '\(comes.rawValue)'",
                expected: names.joined(separator: ", "),
                fix: near.map { "did you mean '\($0)'?" } ?? "choose one of these")
            return nil
        }
        for name in Self.reactionMembers where reader.value(name) != nil && !members.contains(name) {
            reader.collector.note(
                reader.pointer.appending(name), "'\(name)' says nothing of '\(comes.rawValue)' and '\(text)'",
                expected: members.isEmpty ? "no further member" : members.joined(separator: ", "), fix: "remove it")
        }
        if let first = members.first, !["greeting", "cut"].contains(first) || then == .cut {
            _ = reader.require(first)
        }
        var rule = ClientRule(comes, then)
        rule.session = session(ofRuleFor: comes)
        rule.times = reader.integer("times", in: 1...1_000_000)
        rule.status = reader.integer("status", in: 300...599)
        rule.code = reader.integer("code", in: 1000...4999)
        rule.error = reader.string("error")
        rule.frame = reader.members("frame").map { .object($0.object) }
        rule.body = reader.value("body")
        rule.retryAfter = reader.integer("retryAfter", in: 0...3600)
        rule.milliseconds = reader.integer("milliseconds", in: 1...60_000)
        rule.reason = reader.choice("reason", of: Reason.self)?.rawValue
        rule.size = reader.integer("size", in: 0...10_000)
        rule.greeting = reader.members("greeting")?.object
        rule.cut = reader.choice("cut", of: CutName.self)?.rawValue
        return rule
    }

    private func session(ofRuleFor comes: ClientRule.Arrival) -> String? {
        guard reader.value("session") != nil else { return nil }
        guard [.chat, .post, .read].contains(comes) else {
            reader.collector.note(
                reader.pointer.appending("session"), "'\(comes.rawValue)' names no session",
                expected: "a session with chat, post or read", fix: "remove it")
            return nil
        }
        return reader.string("session")
    }

    private enum Moment: String, CaseIterable { case asked, now }
    private enum Pick: String, CaseIterable { case oldest, newest }
    private enum Held: String, CaseIterable { case auth, post, sync, read, list }

    func release() -> ClientRelease? {
        guard let held = reader.choice("comes", of: Held.self, required: true),
            let comes = ClientRule.Arrival(rawValue: held.rawValue)
        else { return nil }
        return ClientRelease(
            comes, session: session(ofRuleFor: comes), isAsAsked: reader.choice("as", of: Moment.self) == .asked,
            isNewest: reader.choice("pick", of: Pick.self) == .newest, isOptional: reader.bool("optional") ?? false)
    }

    func deed(_ verb: String) -> ServerDeed? {
        let audience = reader.choice("to", of: ServerAudience.self) ?? .all
        switch verb {
        case "tool": return .tool(turn: turn(), tool: reader.string("tool") ?? "webFetch", to: audience)
        case "finish":
            return .finish(turn: turn(), text: reader.string("text", isEmptyAllowed: true), to: audience)
        case "fail": return .fail(turn: turn(), code: reader.string("code") ?? "agent_failed", to: audience)
        case "tell": return tell(to: audience)
        case "elsewhere":
            guard let session = reader.string("session", required: true) else { return nil }
            let messages = (reader.array("messages", required: true) ?? []).compactMap {
                ClientWorldReader.message($0.value, at: $0.pointer, into: reader.collector)
            }
            return .elsewhere(
                session: session, messages: messages, isNew: reader.bool("new") ?? false, to: audience)
        case "end": return ending().map { .end($0) }
        case "restart":
            guard let epoch = reader.string("epoch", required: true) else { return nil }
            return .restart(
                epoch: epoch, lastSeq: reader.integer("lastSeq", in: 0...1_000_000_000) ?? 0,
                keepsFrames: reader.bool("keepsFrames") ?? false)
        case "forget": return reader.require("upTo").flatMap { _ in number("upTo") }.map { .forget(upTo: $0) }
        default: return reader.string("session", required: true).map { .remove(session: $0) }
        }
    }

    private func tell(to audience: ServerAudience) -> ServerDeed? {
        if reader.value("text") != nil || reader.value("hex") != nil {
            for name in ["frame", "numbered", "to"] where reader.value(name) != nil {
                reader.collector.note(
                    reader.pointer.appending(name), "'\(name)' says nothing of a text or of bytes",
                    expected: "text or hex alone", fix: "remove it")
            }
            guard let hex = reader.string("hex") else {
                return .tellRaw(text: reader.string("text", isEmptyAllowed: true), bytes: nil)
            }
            let digits = hex.compactMap(\.hexDigitValue)
            guard digits.count == hex.count, digits.count.isMultiple(of: 2) else {
                return reader.wrong("hex", .string(hex), "pairs of hexadecimal digits")
            }
            let bytes = stride(from: 0, to: digits.count, by: 2).map { UInt8(digits[$0] * 16 + digits[$0 + 1]) }
            return .tellRaw(text: nil, bytes: bytes)
        }
        _ = reader.require("frame")
        guard let frame = reader.members("frame") else { return nil }
        return .tell(frame: .object(frame.object), isNumbered: reader.bool("numbered") ?? false, to: audience)
    }

    private func ending() -> ServerEnding? {
        let how = reader.string("how", required: true)
        switch how {
        case "close": return .close(code: reader.integer("code", in: 1000...4999) ?? 1001)
        case nil: return nil
        default:
            if reader.value("code") != nil {
                reader.collector.note(
                    reader.pointer.appending("code"), "a code without a close frame", expected: "how: close",
                    fix: "remove it")
            }
            guard let how, CutName(rawValue: how) != nil else {
                reader.collector.note(
                    reader.pointer.appending("how"), "unknown end '\(clipped(how ?? ""))'",
                    expected: "close, fin, reset, silence", fix: "choose one of these")
                return nil
            }
            return .cut(how)
        }
    }

    /// A turn by its number, a reference, or the name of its question; nil for the latest.
    private func turn() -> JSONValue? {
        guard let value = reader.value("turn") else { return nil }
        if value.intValue != nil || value.stringValue?.isEmpty == false { return value }
        return reader.wrong("turn", value, "a number, a reference such as ${turn}, or the name of a message")
    }

    private func number(_ key: String) -> JSONValue? {
        guard let value = reader.value(key) else { return nil }
        if value.intValue != nil || value.stringValue?.hasPrefix("${") == true { return value }
        return reader.wrong(key, value, "an integer, or a reference such as ${lastSeq}")
    }
}
