import Holdfast
import HoldfastJSON
import HoldfastTranscript

/// Members with counts, numbers or measures, anywhere in a server's frame or body.
struct IntegerMembers {
    /// Whether there are any.
    private(set) var exist = false
    /// The first one that is not an integer, with its location.
    private(set) var bad: (place: String, value: JSONValue)?

    private static let ofFrame = ["seq", "lastSeq", "retryAfterMs", "limit", "windowMs", "heartbeatSeconds"]
    private static let ofStats = ["inputTokens", "outputTokens", "durationMs"]
    private static let ofLimits = ["maxFrameBytes", "messagesPerMinute", "replayMessages", "replaySeconds"]

    /// Members that may contain more of them.
    private static let holders = ["stats", "limits", "missed", "sessions"]
    /// A bit for each length of these names; most other names have other lengths.
    private static let lengths: UInt = (ofFrame + holders).reduce(0) { $0 | 1 << UInt($1.utf8.count) }

    init(in value: JSONValue) {
        guard let object = value.objectValue else { return }
        var isPlain = true
        let lengths = Self.lengths
        for (name, member) in object where lengths >> UInt(name.utf8.count) & 1 == 1 {
            if Self.ofFrame.contains(name) {
                exist = true
                isPlain = isPlain && Self.isInteger(member)
            } else {
                isPlain = isPlain && !Self.holders.contains(name)
            }
        }
        // Only an invalid or nested one needs its location.
        if !isPlain { take(value, at: "") }
    }

    private mutating func take(_ value: JSONValue, at place: String) {
        take(Self.ofFrame, of: value, at: place)
        if let stats = value["stats"] { take(Self.ofStats, of: stats, at: "\(place)/stats") }
        if let limits = value["limits"], value["type"] == "connected" {
            take(Self.ofLimits, of: limits, at: "\(place)/limits")
        }
        for (index, frame) in (value["missed"]?.arrayValue ?? []).enumerated() {
            take(frame, at: "\(place)/missed/\(index)")
        }
        for (index, session) in (value["sessions"]?.arrayValue ?? []).enumerated() {
            take(["messageCount"], of: session, at: "\(place)/sessions/\(index)")
        }
    }

    private mutating func take(_ names: [String], of object: JSONValue, at place: String) {
        for name in names {
            guard let member = object[name] else { continue }
            exist = true
            if bad == nil, !Self.isInteger(member) { bad = ("\(place)/\(name)", member) }
        }
    }

    static func isInteger(_ value: JSONValue) -> Bool {
        guard let number = value.numberValue, number.isIntegerToken, let whole = number.int else { return false }
        return (0...9_007_199_254_740_991).contains(whole)
    }
}

/// Members outside version 1.
enum UnknownMembers {
    /// Whether a server's frame has such a member, also in its limits and replayed frames.
    static func areTold(in frame: Frame) -> Bool { frame.value.map(areTold) ?? false }

    private static func areTold(in value: JSONValue) -> Bool {
        guard let object = value.objectValue,
            let known = MessageMembers.ofFrame(value.string("type") ?? "", sentBy: .server)
        else { return false }
        return object.keys.contains { !known.contains($0) }
            || (value["limits"]?.objectValue?.keys.contains { !MessageMembers.ofLimits.contains($0) } ?? false)
            || (value["missed"]?.arrayValue ?? []).contains(where: areTold)
    }

    /// Whether a client's frame, or the body of a question, has such a member, also in its messages and their parts.
    ///
    /// Frames before `connected` are not examined.
    static func exist(in value: JSONValue, as name: String) -> Bool {
        guard let object = value.objectValue, name != "auth",
            let known = name == "chatRequest"
                ? MessageMembers.ofBody(name) : MessageMembers.ofFrame(name, sentBy: .client)
        else { return false }
        if object.contains(where: { !known.contains($0.key) }) { return true }
        for message in value["messages"]?.arrayValue ?? [] {
            if message.objectValue?.contains(where: { $0.key != "role" && $0.key != "content" }) == true { return true }
            for part in message["content"]?.arrayValue ?? [] {
                if part.objectValue?.keys.contains(where: { !["type", "text", "image"].contains($0) }) == true {
                    return true
                }
            }
        }
        return false
    }
}
