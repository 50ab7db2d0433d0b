import Holdfast
import HoldfastBasics
import HoldfastJSON

/// Expands words of the notation to wire frames.
///
/// Expansion is stateless except for the name of the connection, so a reader can do it mentally.
struct FrameExpansion {
    let profiles: Set<Profile>

    /// The JSON object of a frame; nil if that direction has no such type.
    func object(
        _ frame: NotationFrame, _ direction: Direction, connection: String = ""
    ) throws(InputProblem) -> JSONObject? {
        let table = direction == .toServer ? NotationWord.toServer : NotationWord.fromServer
        guard let word = table[frame.name] else { return nil }
        let arguments = try NotationArguments(frame, word)
        var object: JSONObject
        switch frame.name {
        case "auth": object = auth(arguments)
        case "chat": object = chat(arguments)
        case "sync": object = sync(arguments)
        case "ping", "pong":
            object = ["type": .string(frame.name)]
            object["nonce"] = arguments.id("n")
        case "connected":
            object = connected(arguments, connection: connection)
            arguments.finish(&object, inside: ("limits", Self.limits))
            return object
        case "ack": object = ack(arguments)
        case "message": object = message(arguments)
        case "toolUse": object = toolUse(arguments)
        case "done": object = done(arguments)
        case "error": object = error(arguments)
        case "syncResult": object = try syncResult(arguments, frame)
        default: return nil
        }
        arguments.finish(&object)
        return object
    }

    /// Members of `limits` that `connected` takes by name only.
    static let limits: Set<String> = ["maxFrameBytes", "messagesPerMinute", "replayMessages", "replaySeconds"]

    /// A time on a fixed clock, in seconds after midnight.
    static func timestamp(_ seconds: Int) -> JSONValue {
        func padded(_ number: Int) -> String { number < 10 ? "0\(number)" : "\(number)" }
        let seconds = min(max(seconds, 0), 86_399)
        return .string("2026-03-01T\(padded(seconds / 3600)):\(padded(seconds / 60 % 60)):\(padded(seconds % 60))Z")
    }

    static func question(_ arguments: NotationArguments) -> JSONValue {
        let text = arguments.text ?? "question \(arguments.number(ofAny: "c") ?? 1)"
        return [["role": "user", "content": .string(text)]]
    }

    private func auth(_ arguments: NotationArguments) -> JSONObject {
        var object: JSONObject = ["type": "auth", "protocol": 1]
        if profiles.contains(.auth) || profiles.contains(.clientCore), let principal = arguments.principal {
            object["token"] = .string("‹token of \(principal)›")
        }
        return object
    }

    private func chat(_ arguments: NotationArguments) -> JSONObject {
        var object: JSONObject = ["type": "chat", "messages": Self.question(arguments)]
        object["sessionId"] = arguments.id("s")
        object["clientMessageId"] = arguments.id("c") ?? "c1"
        return object
    }

    private func sync(_ arguments: NotationArguments) -> JSONObject {
        var object: JSONObject = ["type": "sync"]
        object["lastSeqSeen"] = arguments.position.map { JSONValue($0) }
        object["epoch"] = arguments.id("e")
        return object
    }

    private func connected(_ arguments: NotationArguments, connection: String) -> JSONObject {
        var limits: JSONObject = ["maxFrameBytes": 983_040]
        if profiles.contains(.rateLimit) { limits["messagesPerMinute"] = 60 }
        if profiles.contains(.sync) {
            limits["replayMessages"] = 1000
            limits["replaySeconds"] = 3600
        }
        var object: JSONObject = [
            "type": "connected", "protocol": 1, "connectionId": .string("connection-\(connection)"),
            "serverTime": Self.timestamp(0), "capabilities": [], "limits": .object(limits),
        ]
        let needsEpoch = profiles.contains(.sync)
        object["epoch"] = needsEpoch ? arguments.id("e") ?? "e1" : arguments.id("e")
        let written = arguments.words.filter { $0 != Profile.core.rawValue }
        let stated = arguments.words.isEmpty ? defaultCapabilities(hasEpoch: object["epoch"] != nil) : written
        object["capabilities"] = .array(stated.map { .string($0) })
        object["lastSeq"] = arguments.position.map { JSONValue($0) }
        return object
    }

    /// The default capabilities in `connected`: the declared profiles; for a client, `sync` if an epoch is written.
    func defaultCapabilities(hasEpoch: Bool) -> [String] {
        let kept: Set<Profile> = profiles.contains(.clientCore) ? hasEpoch ? [.sync] : [] : profiles
        return Self.capabilities.filter(kept.contains).map(\.rawValue)
    }

    /// The profiles that `connected` can state, in order.
    static let capabilities: [Profile] = [.sync, .rateLimit, .push, .auth]

    private func ack(_ arguments: NotationArguments) -> JSONObject {
        let turn = arguments.number(ofAny: "ctu") ?? 1
        var object: JSONObject = [
            "type": "ack", "clientMessageId": arguments.id("c") ?? .string("c\(turn)"),
            "sessionId": arguments.session, "turnId": arguments.id("t") ?? .string("t\(turn)"),
            "messageId": arguments.id("u") ?? .string("u\(turn)"),
        ]
        if arguments.words.contains("duplicate") { object["duplicate"] = true }
        return object
    }

    private func message(_ arguments: NotationArguments) -> JSONObject {
        let isAnswer = arguments.id("u") == nil && arguments.id("a") != nil
        let turn = arguments.number(ofAny: "uatc") ?? 1
        let text = arguments.text ?? (isAnswer ? "answer \(turn)" : "question \(turn)")
        var object: JSONObject = [
            "type": "message", "sessionId": arguments.session,
            "messageId": arguments.id("u") ?? arguments.id("a") ?? .string("u\(turn)"),
            "role": isAnswer ? "assistant" : "user", "text": .string(text),
            "timestamp": Self.timestamp(turn * 2 + (isAnswer ? 1 : 0)),
            "turnId": arguments.id("t") ?? .string("t\(turn)"),
        ]
        object["clientMessageId"] = arguments.id("c")
        object["seq"] = arguments.position.map { JSONValue($0) }
        return object
    }

    private func toolUse(_ arguments: NotationArguments) -> JSONObject {
        var object: JSONObject = [
            "type": "toolUse", "tool": .string(arguments.words.first ?? "webFetch"), "sessionId": arguments.session,
            "turnId": arguments.id("t") ?? "t1",
        ]
        object["seq"] = arguments.position.map { JSONValue($0) }
        return object
    }

    private func done(_ arguments: NotationArguments) -> JSONObject {
        var object = arguments.answer(["type": "done"], turn: 1)
        object["seq"] = arguments.position.map { JSONValue($0) }
        return object
    }

    private func error(_ arguments: NotationArguments) -> JSONObject {
        // An error that ends no turn has no session, unless it is written.
        var object = arguments.failure(["type": "error"], session: arguments.id("t").map { _ in arguments.session })
        if arguments.words.first == "rate_limited", profiles.contains(.rateLimit) {
            object["retryAfterMs"] = 60_000
            object["limit"] = 60
            object["windowMs"] = 60_000
        }
        object["seq"] = arguments.position.map { JSONValue($0) }
        return object
    }

    private func syncResult(
        _ arguments: NotationArguments, _ frame: NotationFrame
    ) throws(InputProblem) -> JSONObject {
        var missed: [JSONValue] = []
        for inner in frame.frames ?? [] {
            let types = ["message", "toolUse", "done", "error"]
            guard types.contains(inner.name), let object = try object(inner, .fromServer) else {
                throw inner.unknown(
                    "'\(inner.name)' is not a replayed frame", known: types, fix: "correct the name")
            }
            missed.append(.object(object))
        }
        var object: JSONObject = ["type": "syncResult", "epoch": arguments.id("e") ?? "e1"]
        object["lastSeq"] = arguments.position.map { JSONValue($0) }
        object["missed"] = .array(missed)
        object["complete"] = .bool(arguments.words.contains("complete"))
        object["reason"] = arguments.words.first { NotationWord.gapReasons.contains($0) }.map { .string($0) }
        if arguments.words.contains("more") { object["more"] = true }
        return object
    }
}
