import JSON

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
