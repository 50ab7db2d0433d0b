import Holdfast
import HoldfastJSON
import HoldfastTranscript

/// A dialect drafted from a capture: every type in it, with the meaning that its name and members suggest.
///
/// If a name is not enough to decide, the draft marks the place for a person.
package struct DialectDraft {
    /// All messages of one type from one side.
    private struct Kind {
        let sender: Role
        let wire: String
        /// The members that distinguish it from others of its type, by place.
        let when: [(place: String, value: String)]
        var count = 0
        /// The places of its members and of their members, in the order in which they were seen.
        var locations: [String] = []
        var meaning: String?

        var name: String { ([wire] + when.map(\.value)).joined(separator: " ") }
    }

    package static let mark = "DRAFT"

    private let file: String
    private let typeLocation: String
    private let path: String
    private let keyParameter: String?
    private let first: (sender: Role, value: JSONValue)?
    private var kinds: [Kind] = []
    /// The name of the first message.
    private var opening: String?

    package init(_ file: String) throws {
        var messages: [(sender: Role, value: JSONValue)] = []
        var openedPath: String?
        _ = try CapturedEvents.read(file, by: .canonical) { event, _ in
            switch event.kind {
            case .opening(let opening): openedPath = openedPath ?? opening.path
            case .text(let direction, let text):
                guard messages.count < Self.maxMessages, let value = try? JSONParser.value(text),
                    value.objectValue != nil
                else { return }
                messages.append((direction.sender, value))
            default: break
            }
        }
        guard !messages.isEmpty else {
            throw InputProblem(
                file, "no message in it shows who sent it",
                expected:
                    "messages with their direction: a HAR file, a transcript, or notes such as 'A -> {…}' and 'A <- {…}'",
                fix: "record it with 'conformance proxy --upstream URL --out capture.ndjson', or add the arrows")
        }
        self.file = file
        typeLocation = Self.typeLocation(in: messages.map(\.value))
        path = String((openedPath ?? "/ws").prefix { $0 != "?" })
        keyParameter = Self.keyParameter(in: openedPath ?? "")
        first = messages.first
        let splits = splits(of: messages)
        for (sender, value) in messages { note(value, from: sender, splits) }
        opening = kinds.first?.name
        // If a type has several rules, the first one whose conditions hold applies.
        kinds = kinds.enumerated().sorted { one, other in
            (-one.element.when.count, one.offset) < (-other.element.when.count, other.offset)
        }.map(\.element)
        guard !kinds.isEmpty else {
            throw InputProblem(
                file, "no message in it has a member with its type",
                expected: "messages with a member such as 'type', 'event', 'op' or 'method'",
                fix: "let an adapter add a type to each message: a dialect cannot tell types apart by their members")
        }
        var taken: Set<[String]> = []
        for (sender, type, words) in Self.words {
            for word in words where !taken.contains([sender.rawValue, type]) {
                let found = kinds.indices.first { index in
                    kinds[index].sender == sender && kinds[index].meaning == nil
                        && Self.parts(of: kinds[index].name).contains(word)
                }
                guard let found else { continue }
                kinds[found].meaning = type
                taken.insert([sender.rawValue, type])
            }
        }
    }

    private static let maxMessages = 20_000
    private static let maxKinds = 200

    // MARK: Reading

    /// The member that has the type in most messages.
    private static func typeLocation(in values: [JSONValue]) -> String {
        let locations = ["type", "event", "op", "action", "method", "kind", "cmd", "command", "t"]
        let counts = locations.map { location in values.count { $0[location]?.stringValue != nil } }
        let most = counts.max() ?? 0
        return most == 0 ? "type" : locations[counts.firstIndex(of: most) ?? 0]
    }

    /// The parameter of the address that carries the credential.
    private static func keyParameter(in path: String) -> String? {
        let query = path.split(separator: "?", maxSplits: 1).dropFirst().first ?? ""
        let names = query.split(separator: "&").map { String($0.prefix { $0 != "=" }) }
        return names.first { ["token", "key", "apiKey", "api_key", "access_token", "auth"].contains($0) }
    }

    /// Members that distinguish messages of one type in many systems.
    private static let splitters = [
        "method", "event", "op", "action", "state", "subtype", "kind", "/payload/state", "/payload/type",
        "/payload/event",
        "/params/state", "/data/state", "/data/type", "/data/event", "/event/type", "/event/event_type",
    ]

    /// The members that distinguish messages of a type, by side and type: at most two, each with few values.
    private func splits(of messages: [(sender: Role, value: JSONValue)]) -> [String: [String]] {
        var values: [String: [String: Set<String>]] = [:]
        for (sender, value) in messages {
            guard let wire = value[typeLocation]?.stringValue else { continue }
            for place in Self.splitters where place != typeLocation {
                let found = Self.text(at: place, in: value) ?? ""
                values["\(sender) \(wire)", default: [:]][place, default: []].insert(found)
            }
        }
        return values.mapValues { places in
            Array(Self.splitters.filter { (2...20).contains(places[$0]?.count ?? 0) }.prefix(2))
        }
    }

    private static func text(at place: String, in value: JSONValue) -> String? {
        place.split(separator: "/").reduce(Optional(value)) { $0?[String($1)] }?.stringValue
    }

    private mutating func note(_ value: JSONValue, from sender: Role, _ splits: [String: [String]]) {
        guard let wire = value[typeLocation]?.stringValue else { return }
        let when = (splits["\(sender) \(wire)"] ?? []).compactMap { place in
            Self.text(at: place, in: value).map { (place, $0) }
        }
        var index = kinds.firstIndex { kind in
            kind.sender == sender && kind.wire == wire && kind.when.elementsEqual(when, by: ==)
        }
        if index == nil, kinds.count < Self.maxKinds {
            index = kinds.count
            kinds.append(Kind(sender: sender, wire: wire, when: when))
        }
        guard let index else { return }
        kinds[index].count += 1
        for (name, member) in value.objectValue ?? [:] where name != typeLocation {
            if !kinds[index].locations.contains(name) { kinds[index].locations.append(name) }
            for (inner, _) in member.objectValue ?? [:] where !inner.contains("/") && !inner.contains("~") {
                let location = "/\(name)/\(inner)"
                if !kinds[index].locations.contains(location) { kinds[index].locations.append(location) }
            }
        }
    }

    // MARK: Guessing

    /// The usual names of each canonical type, for each side; the most distinctive ones come first.
    private static let words: [(sender: Role, type: String, words: [String])] = [
        (.client, "auth", ["auth", "authenticate", "login", "handshake", "hello", "connect"]),
        (.client, "ping", ["ping", "heartbeat"]),
        (.client, "sync", ["sync", "resume", "catchup", "history"]),
        (.client, "chat", ["chat", "ask", "question", "prompt", "message", "send", "say", "input", "query"]),
        (.server, "connected", ["connected", "welcome", "ready", "authenticated", "hello"]),
        (.server, "pong", ["pong"]),
        (.server, "error", ["error", "failure", "failed"]),
        (.server, "ack", ["ack", "acknowledged", "accepted", "delivered", "received"]),
        (.server, "toolUse", ["tool", "tooluse", "toolcall"]),
        (.server, "syncResult", ["syncresult", "syncresponse", "resumed", "history", "replay"]),
        (
            .server, "done",
            ["done", "answer", "reply", "response", "final", "completed", "complete", "assistant", "message"]
        ),
    ]

    /// The words of a name: `tool`, `use` and `tooluse` for `tool_use` and `toolUse`.
    private static func parts(of wire: String) -> [String] {
        var parts: [String] = [""]
        for character in wire {
            if !character.isLetter {
                parts.append("")
            } else if character.isUppercase {
                parts.append(character.lowercased())
            } else {
                parts[parts.count - 1].append(character)
            }
        }
        return parts.filter { !$0.isEmpty } + [wire.lowercased().filter(\.isLetter)]
    }

    /// Common names of members in other systems.
    private static let names: [String: [String]] = [
        "text": ["text", "content", "body", "answer", "message", "output", "reply", "data"],
        "error": ["error", "message", "reason", "detail", "text"],
        "code": ["code", "errorCode", "error_code", "status"],
        "sessionId": [
            "sessionId", "session_id", "session", "conversationId", "conversation_id", "conversation", "threadId",
            "thread_id", "thread", "chatId", "chat_id", "room", "channel",
        ],
        "turnId": ["turnId", "turn_id", "turn", "requestId", "request_id", "runId", "run_id"],
        "messageId": ["messageId", "message_id", "msgId", "msg_id", "id"],
        "clientMessageId": [
            "clientMessageId", "client_message_id", "clientId", "client_id", "localId", "tempId", "relatedId", "nonce",
        ],
        "seq": ["seq", "sequence", "offset"], "tool": ["tool", "toolName", "tool_name", "name"],
        "input": ["input", "arguments", "args"], "token": ["token", "apiKey", "api_key", "key", "accessToken"],
        "nonce": ["nonce", "id"], "lastSeqSeen": ["lastSeqSeen", "since", "after", "offset", "cursor"],
        "connectionId": ["connectionId", "connection_id", "sid", "socketId", "socket_id"],
        "role": ["role", "from", "author"], "missed": ["missed", "messages", "events", "items"],
    ]

    /// The place of a canonical member in a kind; nil if no member has such a name.
    private func location(of member: String, in kind: Kind) -> String? {
        for name in Self.names[member] ?? [member] {
            if kind.locations.contains(name), !kind.locations.contains(where: { $0.hasPrefix("/\(name)/") }) {
                return name
            }
            if let inner = kind.locations.first(where: { $0.hasPrefix("/") && $0.hasSuffix("/\(name)") }) {
                return inner
            }
        }
        return nil
    }

    // MARK: Writing

    /// Whether the client begins by giving its credential.
    private var greets: Bool { kinds.contains { $0.meaning == "auth" } }

    package var text: String {
        JSONValue(members: [
            "$schema": "https://holdfast.example/spec/1/schemas/files/dialect.json", "name": "my-server",
            "summary": "\(Self.mark): what system this is, in one sentence.", "profiles": ["core"],
            "socket": JSONValue(members: [
                "path": path,
                "credential": JSONValue(members: [
                    "in": keyParameter != nil ? "query" : greets ? "frame" : "none", "name": keyParameter,
                ]),
            ]),
            "greeting": greeting, "typeAt": typeLocation == "type" ? nil : typeLocation,
            "frames": kinds.map(rule) + unseen + [
                JSONValue(members: [
                    "sender": "client", "wire": "*",
                    "unknown": "\(Self.mark): what the server does with any other type",
                ])
            ],
        ]).text(pretty: true) + "\n"
    }

    /// Rules for messages that every dialect needs and the recording lacks.
    private var unseen: [JSONValue] {
        let needed = [(Role.client, "chat"), (.server, "done"), (.server, "error")]
        return (greets ? [(.server, "connected")] + needed : needed).compactMap { sender, type in
            guard !kinds.contains(where: { $0.meaning == type }) else { return nil }
            return JSONValue(members: [
                "sender": sender.rawValue, "wire": "\(Self.mark): what stands for \(type)", "is": type,
            ])
        }
    }

    private var greeting: JSONValue {
        guard greets else {
            return JSONValue(members: ["opens": "nobody", "assumed": JSONValue(members: ["type": "connected"])])
        }
        let isChallenge = first?.sender == .server && kinds.first { $0.name == opening }?.meaning == nil
        guard isChallenge, let first else { return JSONValue(members: ["opens": "client"]) }
        return JSONValue(members: ["opens": "server", "challenge": first.value])
    }

    private func rule(_ kind: Kind) -> JSONValue {
        guard let type = kind.meaning else {
            return JSONValue(members: [
                "sender": kind.sender.rawValue, "wire": kind.wire, "when": when(kind),
                "ignored": "\(Self.mark): say what it is, or why to ignore it",
            ])
        }
        var members: [(key: String, value: JSONValue)] = []
        for member in Self.members[type] ?? [] {
            let location = location(of: member, in: kind)
            if location == member { continue }
            members.append((member, location.map { JSONValue.string($0) } ?? .null))
        }
        if type == "chat", !kind.locations.contains("messages") {
            let text = location(of: "text", in: kind).map { JSONValue(members: ["lastUserText": $0]) }
            members.insert(("messages", text ?? .null), at: 0)
        }
        if type == "auth", !kind.locations.contains("protocol") {
            members.insert(("protocol", JSONValue(members: ["always": 1])), at: 0)
        }
        return JSONValue(members: [
            "sender": kind.sender.rawValue, "wire": kind.wire, "is": type, "when": when(kind),
            "members": Self.object(members),
        ])
    }

    private func when(_ kind: Kind) -> JSONValue? { Self.object(kind.when.map { ($0.place, .string($0.value)) }) }

    private static func object(_ members: [(key: String, value: JSONValue)]) -> JSONValue? {
        members.isEmpty ? Optional<JSONValue>.none : .some(.object(JSONObject(members)))
    }

    /// The members that a rule of each type names if the wire has other names for them, or lacks them.
    private static let members: [String: [String]] = [
        "auth": ["token", "clientId", "capabilities"], "chat": ["sessionId", "clientMessageId"],
        "sync": ["lastSeqSeen", "epoch", "limit"], "ping": ["nonce"], "pong": ["nonce"],
        "connected": ["connectionId", "protocol", "serverTime", "capabilities", "limits", "epoch", "lastSeq"],
        "ack": ["clientMessageId", "sessionId", "turnId", "messageId", "duplicate"],
        "toolUse": ["tool", "sessionId", "turnId", "toolUseId", "status", "input", "seq"],
        "done": ["text", "sessionId", "turnId", "messageId", "clientMessageId", "duplicate", "seq"],
        "error": ["error", "code", "sessionId", "turnId", "clientMessageId", "retryable", "retryAfterMs", "seq"],
        "syncResult": ["missed", "epoch", "lastSeq", "complete", "reason", "more"],
    ]

    package var advice: String {
        let undecided = kinds.filter { $0.meaning == nil }
        let guessed = kinds.compactMap { kind in kind.meaning.map { "\(kind.sender.rawValue) \(kind.name) → \($0)" } }
        var lines = ["\(kinds.count) types in \(file); guessed by their names: \(guessed.joined(separator: ", "))"]
        if !undecided.isEmpty {
            let names = undecided.map { "\($0.sender.rawValue) \($0.name) (\($0.count)×)" }
            lines.append("to decide: " + names.joined(separator: ", "))
        }
        lines.append(
            "next: edit the \(Self.mark) entries, then conformance dialect check my-server.json --capture \(file)")
        return lines.joined(separator: "\n")
    }
}
