import JSON

/// Broken ways to form what is sent, and to read what comes.
extension ClientDefect {
    static let writesChatsAsText = ClientDefect(
        "client-writes-one-message-not-a-list", .ENV, 21, "Sends its question as 'message' instead of 'messages'.")
    static let sendsTwoObjectsInAFrame = ClientDefect(
        "client-sends-two-objects-in-a-frame", .ENV, 21, "Puts a ping behind its question, in the same text message.")
    static let refusesUnknownMembers = ClientDefect(
        "client-refuses-unknown-members", .ENV, 22, "Drops a frame that has a member it does not know.")
    static let dropsUnreadableInputs = ClientDefect(
        "client-drops-unexpected-values", .ENV, 22, "Drops a frame with a nested object it does not expect.")
    static let showsUnknownTypesAsErrors = ClientDefect(
        "client-shows-unknown-types-as-errors", .ENV, 23, "Shows an error for a frame of a type it does not know.")
    static let closesOnUnknownTypes = ClientDefect(
        "client-closes-on-unknown-types", .ENV, 23, "Closes its connection at a frame of a type it does not know.")
    static let leavesOutTheVersion = ClientDefect(
        "client-leaves-out-the-version", .AUTH, 13, "Sends auth without the version of the protocol.")
    static let sendsBeforeConnected = ClientDefect(
        "client-sends-before-connected", .AUTH, 14, "Sends a ping behind its auth, before connected.")
    static let putsTheTokenIntoTheURL = ClientDefect(
        "client-puts-the-token-into-the-url", .AUTH, 15, "Sends its token in the query of the WebSocket's URL.")
    static let putsTheTokenIntoPaths = ClientDefect(
        "client-puts-the-token-into-requests", .AUTH, 15, "Sends its token in the query of every REST request.")

    static let speaking = [
        writesChatsAsText, sendsTwoObjectsInAFrame, refusesUnknownMembers, dropsUnreadableInputs,
        showsUnknownTypesAsErrors, closesOnUnknownTypes, leavesOutTheVersion, sendsBeforeConnected,
        putsTheTokenIntoTheURL, putsTheTokenIntoPaths,
    ]
}

extension ClientSaboteur {
    /// The text messages that carry a frame.
    func texts(of frame: JSONValue) -> [String] {
        guard !isUsual else { return [frame.text()] }
        var frame = frame
        let type = frame["type"]?.stringValue
        if differs(.addsMembers) { frame["note"] = ["nobody": "knows", "this": [1, 2, 3]] }
        if has(.leavesOutTheVersion), type == "auth" { frame["protocol"] = nil }
        if has(.writesChatsAsText), type == "chat" {
            frame["message"] = frame["messages"]
            frame["messages"] = nil
        }
        if has(.sendsTwoObjectsInAFrame), type == "chat" { return [frame.text() + #"{"type":"ping"}"#] }
        if differs(.asksForLife), type == "chat" { return [frame.text(), #"{"type":"ping","nonce":"alive"}"#] }
        return [frame.text()]
    }

    /// The URL of the WebSocket.
    func address(_ url: String, token: String?) -> String {
        guard has(.putsTheTokenIntoTheURL), let token else { return url }
        return url + (url.contains("?") ? "&" : "?") + "token=" + token
    }

    /// A REST request.
    func rewrite(_ request: RESTRequest, token: String?) -> RESTRequest {
        guard !isUsual else { return request }
        var request = request
        if has(.putsTheTokenIntoPaths), let token { request.url += "?token=" + token }
        if differs(.addsMembers), var body = try? JSONParser.value(request.body) {
            body["note"] = ["nobody": "knows"]
            request.body = body.text()
        }
        return request
    }

    /// What a text holds; nil when it is no JSON object.
    func read(_ text: String) -> JSONValue? {
        guard let value = try? JSONParser.document(text).root, let object = value.objectValue else { return nil }
        guard !isHealthy else { return value }
        let known = Self.members[object["type"]?.stringValue ?? ""]
        if has(.refusesUnknownMembers), let known, object.keys.contains(where: { !known.contains($0) }) { return nil }
        if has(.dropsUnreadableInputs), let known, known.contains("seq"),
            object.contains(where: { $0.key != "stats" && $0.value.objectValue != nil })
        {
            return nil
        }
        return value
    }

    /// The frames of a replay.
    func replayed(_ frames: [JSONValue]) -> [JSONValue] {
        has(.refusesUnknownMembers) ? frames.compactMap { read($0.text()) } : frames
    }

    private static let members: [String: Set<String>] = [
        "ack": ["type", "clientMessageId", "sessionId", "turnId", "messageId", "duplicate"],
        "message": [
            "type", "sessionId", "messageId", "role", "text", "timestamp", "turnId", "clientMessageId", "seq",
        ],
        "toolUse": ["type", "tool", "sessionId", "turnId", "toolUseId", "status", "input", "seq"],
        "done": [
            "type", "text", "sessionId", "turnId", "messageId", "clientMessageId", "stats", "duplicate", "seq",
        ],
        "syncResult": ["type", "epoch", "lastSeq", "missed", "complete", "reason", "more"],
    ]
}

extension ClientCore {
    /// What broken clients do about a type they do not know.
    mutating func sabotageUnknown(_ type: String) {
        guard !["pong", "connected", "syncResult"].contains(type) else { return }
        if broken(.showsUnknownTypesAsErrors) { complain("Unknown message type '\(type)'.", code: "unknown_type") }
        if broken(.closesOnUnknownTypes) { giveUpConnection() }
    }
}
