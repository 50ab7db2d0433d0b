/// What each word of the notation takes; one table, so that the parser's messages and the printer agree.
struct NotationWord {
    /// The letters of ids it takes.
    let ids: String
    /// What its bare words may be.
    let words: Words
    /// Whether `#7` says something.
    let hasPosition: Bool
    /// Whether `'text'` says something.
    let hasText: Bool

    /// The bare words a frame takes.
    enum Words {
        case none
        case any
        case number
        case among([String])
    }

    init(_ ids: String, _ words: Words = .none, position: Bool = false, text: Bool = false) {
        self.ids = ids
        self.words = words
        self.hasPosition = position
        self.hasText = text
    }

    /// Words on a connection, towards the server.
    static let toServer: [String: NotationWord] = [
        "auth": NotationWord("p"),
        "chat": NotationWord("csp", text: true),
        "sync": NotationWord("e", position: true),
        "ping": NotationWord("n"),
        "open": NotationWord("p"),
        "close": NotationWord("", .number, text: true),
        "binary": NotationWord("", .any),
        "pingFrame": NotationWord(""),
        "pongFrame": NotationWord(""),
    ]

    /// Words on a connection, from the server.
    static let fromServer: [String: NotationWord] = [
        "connected": NotationWord("enp", .among(capabilities), position: true),
        "ack": NotationWord("cstu", .among(["duplicate"])),
        "message": NotationWord("cstua", position: true, text: true),
        "toolUse": NotationWord("st", .any, position: true),
        "done": NotationWord("csta", .among(["duplicate"]), position: true, text: true),
        "error": NotationWord("cst", .among(errorCodes), position: true, text: true),
        "syncResult": NotationWord("e", .among(["complete", "more"] + gapReasons), position: true),
        "pong": NotationWord("n"),
        "open": NotationWord(""),
        "refused": NotationWord("", .number, text: true),
        "close": NotationWord("", .number, text: true),
        "eof": NotationWord("", text: true),
        "binary": NotationWord("", .any),
        "pingFrame": NotationWord(""),
        "pongFrame": NotationWord(""),
    ]

    /// What `connected` states; `core` alone for nothing.
    static let capabilities = ([.core] + FrameExpansion.capabilities).map(\.rawValue)

    /// Why a replay has a gap.
    static let gapReasons = ["epoch_changed", "evicted", "unknown_position", "too_many"]

    static let errorCodes = [
        "parse_error", "bad_request", "unknown_type", "auth_failed", "auth_timeout", "not_authenticated",
        "unsupported_version", "session_not_found", "too_large", "busy", "rate_limited", "idempotency_mismatch",
        "persist_failed", "agent_failed", "interrupted", "internal",
    ]

    static let methods = ["GET", "POST", "PUT", "PATCH", "DELETE", "HEAD", "OPTIONS"]

    /// What a stage does to a lane; anything else is written `act(name=…)`.
    static let verbs = [
        "acceptWrites", "act", "arm", "background", "close", "crash", "cut", "disarm", "elsewhere", "exit", "fail",
        "finish",
        "foreground", "forget", "hang", "kill", "launch", "lend", "listen", "mute", "networkDown", "networkUp",
        "openPush", "quit", "receivePush", "refuseWrites", "remove", "restart", "resumeReading", "selectSession",
        "send", "sendAgain", "start", "stop", "stopReading", "tell", "tool", "wentOn",
    ]

    /// What a client says of its connection; anything else is written `state(json='…')`.
    static let states = ["connected", "connecting", "degraded", "offline", "state"]

    /// What such a word takes.
    static let state = NotationWord("suca", .among(["thinking"] + errorCodes), text: true)

    /// The field that `-s` and its like leave out.
    static func field(droppedBy name: String) -> String {
        switch name {
        case "c": "clientMessageId"
        case "s": "sessionId"
        case "t": "turnId"
        case "u", "a": "messageId"
        case "e": "epoch"
        case "n": "nonce"
        default: name
        }
    }
}
