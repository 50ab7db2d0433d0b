import Holdfast
import HoldfastJSON
import HoldfastTranscript

/// The members that count, number or measure something, wherever a server writes them.
enum IntegerMembers {
    private static let ofFrame = ["seq", "lastSeq", "retryAfterMs", "limit", "windowMs", "heartbeatSeconds"]
    private static let ofStats = ["inputTokens", "outputTokens", "durationMs"]

    /// Every such member of a frame or body, with its place.
    static func all(in value: JSONValue, at place: String = "") -> [(place: String, value: JSONValue)] {
        var found: [(String, JSONValue)] = []
        func take(_ names: [String], of object: JSONValue?, _ path: String) {
            for name in names {
                if let member = object?[name] { found.append(("\(path)/\(name)", member)) }
            }
        }
        take(ofFrame, of: value, place)
        take(ofStats, of: value["stats"], "\(place)/stats")
        if value["type"] == "connected" {
            take(
                ["maxFrameBytes", "messagesPerMinute", "replayMessages", "replaySeconds"], of: value["limits"],
                "\(place)/limits")
        }
        for (index, frame) in (value["missed"]?.arrayValue ?? []).enumerated() {
            found += all(in: frame, at: "\(place)/missed/\(index)")
        }
        for (index, session) in (value["sessions"]?.arrayValue ?? []).enumerated() {
            take(["messageCount"], of: session, "\(place)/sessions/\(index)")
        }
        return found
    }

    /// Whether a value is spelled as an integer from 0 to 2^53 - 1.
    static func isInteger(_ value: JSONValue) -> Bool {
        guard let number = value.numberValue, number.isIntegerToken, let whole = number.int else { return false }
        return (0...9_007_199_254_740_991).contains(whole)
    }
}

/// Members that version 1 does not define.
enum UnknownMembers {
    /// Whether a frame of a server holds such a member, also inside its limits and the frames it replays.
    static func areTold(in frame: Frame) -> Bool { frame.value.map(areTold) ?? false }

    private static func areTold(in value: JSONValue) -> Bool {
        guard let object = value.objectValue,
            let known = MessageMembers.ofFrame(value.string("type") ?? "", sentBy: .server)
        else { return false }
        return object.keys.contains { !known.contains($0) }
            || (value["limits"]?.objectValue?.keys.contains { !MessageMembers.ofLimits.contains($0) } ?? false)
            || (value["missed"]?.arrayValue ?? []).contains(where: areTold)
    }

    /// Whether a frame of a client, or the body of a question, holds such a member, also inside its messages and their parts.
    ///
    /// What comes before `connected` is not looked at.
    static func exist(in value: JSONValue, as name: String) -> Bool {
        guard let object = value.objectValue, name != "auth",
            let known = name == "chatRequest"
                ? MessageMembers.ofBody(name) : MessageMembers.ofFrame(name, sentBy: .client)
        else { return false }
        if object.keys.contains(where: { !known.contains($0) }) { return true }
        for message in value["messages"]?.arrayValue ?? [] {
            if message.objectValue?.keys.contains(where: { $0 != "role" && $0 != "content" }) == true { return true }
            for part in message["content"]?.arrayValue ?? [] {
                if part.objectValue?.keys.contains(where: { !["type", "text", "image"].contains($0) }) == true {
                    return true
                }
            }
        }
        return false
    }
}
